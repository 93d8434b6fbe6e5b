/** The newest items of a feed as the headlines that they would become, with what keeps each of them a draft. */
import type { Arrival } from '../../../models/feed-model.ts'
import { headline } from '../../../models/headline.ts'
import type { FeedPreview } from '../../../models/responses.ts'
import { pathOf, valueTitle } from '../../model-titles.ts'
import { shownPicture } from '../../pictures.ts'
import { hrefTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { h, webUrl, type Child } from '../../kit/dom.ts'
import { letteredPicture } from '../../kit/lettered-picture.ts'
import { ago } from '../../kit/moments.ts'
import { reasonSentences } from './feed-notes.ts'

type Item = FeedPreview['items'][number]

/** What has been chosen since the preview was read without any of it. */
export interface Chosen {
  readonly given: ReadonlySet<'source' | 'topic' | 'country' | 'picture'>
  readonly arrival: Arrival
}

export function previewItems(items: readonly Item[], chosen: Chosen): HTMLElement {
  return h('ol', { class: 'preview-items' }, items.map((item) => h('li', {}, previewItem(item, chosen))))
}

function previewItem(item: Item, { given, arrival }: Chosen): Child {
  const { title, excerpt, url, imageUrl, publishedAt, status, known } = item
  const words = reasonSentences(item.missing, given)
  const isMade = status !== null && known === null
  const name = title === '' ? t('untitled') : title
  const href = webUrl(url)
  const arrives = words.length > 0 ? 'draft' : arrival
  return [
    letteredPicture({ kind: 'preview-thumb', name, url: shownPicture({ imageUrl }, 'imageUrl') }),
    h(
      'div',
      {},
      h('p', { class: 'preview-title', dir: 'auto' }, href === undefined ? name : h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, name)),
      excerpt !== '' && h('p', { class: 'soft preview-excerpt', dir: 'auto' }, excerpt),
      h(
        'p',
        { class: 'preview-foot' },
        isMade ? h('span', { class: arrives === 'published' ? 'tag good' : 'tag warn' }, valueTitle(arrives)) : h('span', { class: 'tag' }, t(known === null ? 'feeds.notMade' : 'feeds.knownItem')),
        publishedAt !== null && h('span', { class: 'soft' }, ago(publishedAt)),
        known !== null && h('a', { href: hrefTo([pathOf(headline), known]), target: '_blank' }, t('feeds.seeHeadline')),
        known === null && words.length > 0 && h('span', { class: 'soft', dir: 'auto' }, words.join(' ')),
      ),
    ),
  ]
}
