/** What readers of a publication would get, while its form is filled in. */
import type { PublicationPreview } from '../../../models/responses.ts'
import { shownPicture } from '../../pictures.ts'
import { t } from '../../texts.ts'
import { h, webUrl, type Child } from '../../kit/dom.ts'
import { letteredPicture } from '../../kit/lettered-picture.ts'
import { ago } from '../../kit/moments.ts'

type Story = PublicationPreview['stories'][number]

export function previewStories({ stories, hasMore }: PublicationPreview): Child {
  if (stories.length === 0) return h('p', { class: 'soft' }, t('publications.nothing'))
  return [
    h('ol', { class: 'preview-items' }, stories.map((story) => h('li', {}, previewStory(story)))),
    hasMore && h('p', { class: 'soft' }, t('publications.more')),
  ]
}

function previewStory({ title, url, excerpt, imageUrl, source, topic, eventCountry, publishedAt }: Story): Child {
  const href = webUrl(url)
  const names = [topic, source, eventCountry].filter((name) => name !== null && name !== '')
  return [
    imageUrl !== null && letteredPicture({ kind: 'preview-thumb', name: title, url: shownPicture({ imageUrl }, 'imageUrl') }),
    h(
      'div',
      {},
      h('p', { class: 'preview-title', dir: 'auto' }, href === undefined ? title : h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, title)),
      excerpt !== null && excerpt !== '' && h('p', { class: 'soft preview-excerpt', dir: 'auto' }, excerpt),
      h('p', { class: 'preview-foot' }, names.map((name) => h('bdi', { class: 'soft' }, name)), h('span', { class: 'soft' }, ago(publishedAt))),
    ),
  ]
}
