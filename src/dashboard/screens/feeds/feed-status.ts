/** How a feed is doing, in words: its status, what is wrong with it, and when it is fetched. */
import type { FeedHealth } from '../../../models/responses.ts'
import { t } from '../../texts.ts'
import { h, type Child } from '../../kit/dom.ts'
import { ago } from '../../kit/moments.ts'

export type FeedStatus = FeedHealth['status']

const TONES: Readonly<Record<FeedStatus, string>> = { new: '', working: 'good', failing: 'bad', ended: 'bad', paused: 'warn' }

export function feedStatusTag(status: FeedStatus): HTMLElement {
  return h('span', { class: `tag ${TONES[status]}`.trim() }, t(`feedStatus.${status}`))
}

/** What is wrong and what helps, as the service says it, with a button that does it. A note of a feed that works is no warning. */
export function feedSentence({ status, sentence }: FeedHealth, remedy: HTMLElement | null): Child {
  if (sentence === null) return null
  const isWrong = status !== 'working'
  return h('div', { class: isWrong ? 'feed-sentence wrong' : 'feed-sentence' }, h('p', { dir: 'auto' }, sentence), remedy)
}

export function lastFetch({ fetchedAt }: FeedHealth): Child {
  return fetchedAt === null ? t('feeds.never') : ago(fetchedAt)
}

export function nextFetch({ nextAt, status }: FeedHealth): Child {
  return nextAt === null ? (status === 'new' ? t('feeds.soon') : '–') : ago(nextAt)
}
