/** The newest items of a feed as the headlines that they would become, with what keeps each of them a draft. */
import type { Arrival } from '../../../models/feed-model.ts'
import { headline } from '../../../models/headline.ts'
import type { FeedPreview } from '../../../models/responses.ts'
import { pathOf, valueTitle } from '../../model-titles.ts'
import { hrefTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { h, type Child } from '../../kit/dom.ts'
import { tag } from '../../kit/elements.ts'
import { ago } from '../../kit/moments.ts'
import { storyLine } from '../../kit/story-line.ts'
import { reasonSentences } from './feed-words.ts'

type Item = FeedPreview['items'][number]

/** What has been chosen since the preview was read without any of it. */
export interface Chosen {
  readonly given: ReadonlySet<'source' | 'topic' | 'country' | 'picture'>
  readonly arrival: Arrival
}

export function previewItems(items: readonly Item[], chosen: Chosen): HTMLElement {
  return h('ol', { class: 'preview-items divided' }, items.map((item) => storyLine({ ...item, title: item.title === '' ? t('untitled') : item.title, isLettered: true, foot: footOf(item, chosen) })))
}

function footOf({ missing, publishedAt, status, known }: Item, { given, arrival }: Chosen): Child {
  const words = reasonSentences(missing, given)
  const isMade = status !== null && known === null
  const arrives = words.length > 0 ? 'draft' : arrival
  return [
    isMade ? tag(arrives === 'published' ? 'good' : 'warn', valueTitle(arrives)) : tag('', t(known === null ? 'feeds.notMade' : 'feeds.knownItem')),
    publishedAt !== null && h('span', { class: 'soft' }, ago(publishedAt)),
    known !== null && h('a', { href: hrefTo([pathOf(headline), known]), target: '_blank' }, t('feeds.seeHeadline')),
    known === null && words.length > 0 && h('span', { class: 'soft', dir: 'auto' }, words.join(' ')),
  ]
}
