/** What readers of a publication would get, while its form is filled in. */
import type { PublicationPreview } from '../../../models/responses.ts'
import { t } from '../../texts.ts'
import { h, type Child } from '../../kit/dom.ts'
import { ago } from '../../kit/moments.ts'
import { storyLine } from '../../kit/story-line.ts'

type Story = PublicationPreview['stories'][number]

export function previewStories({ stories, hasMore }: PublicationPreview): Child {
  if (stories.length === 0) return h('p', { class: 'soft' }, t('publications.nothing'))
  return [
    h('ol', { class: 'preview-items divided' }, stories.map((story) => storyLine({ ...story, isLettered: false, foot: footOf(story) }))),
    hasMore && h('p', { class: 'soft' }, t('publications.more')),
  ]
}

function footOf({ source, topic, eventCountry, publishedAt }: Story): Child {
  const names = [topic, source, eventCountry].filter((name) => name !== null && name !== '')
  return [names.map((name) => h('bdi', { class: 'soft' }, name)), h('span', { class: 'soft' }, ago(publishedAt))]
}
