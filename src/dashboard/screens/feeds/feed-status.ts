/** How a feed is doing, in words: its status, what is wrong with it, and when it is fetched. */
import type { FeedHealth } from '../../../models/responses.ts'
import { t } from '../../texts.ts'
import { h, type Child } from '../../kit/dom.ts'
import { tag } from '../../kit/elements.ts'
import { ago } from '../../kit/moments.ts'
import { noteSentence, problemSentence } from './feed-notes.ts'

export type FeedStatus = FeedHealth['status']

const TONES: Readonly<Record<FeedStatus, string>> = { new: '', working: 'good', failing: 'bad', ended: 'bad', paused: 'warn' }

export function feedStatusTag(status: FeedStatus): HTMLElement {
  return tag(TONES[status], t(`feedStatus.${status}`))
}

/** What is wrong and what helps, with a button that does it. A note of a feed that works is no warning. */
export function feedSentence({ status, problem, notes, failingSince, suggestedAddress }: FeedHealth, remedy: HTMLElement | null): Child {
  if (problem === null && notes.length === 0) return null
  const isWrong = status !== 'working'
  const lines =
    problem === null
      ? notes.map((note) => h('p', { title: note.message }, noteSentence(note)))
      : [
          h('p', { title: problem.message }, problemSentence(problem)),
          suggestedAddress !== null && h('p', {}, t('feeds.suggested', { address: suggestedAddress })),
          failingSince !== null && h('p', { class: 'soft' }, t('feeds.failingSince'), ' ', ago(failingSince)),
        ]
  return h('div', { class: isWrong ? 'feed-sentence wrong' : 'feed-sentence' }, lines, remedy)
}

export function lastFetch({ fetchedAt }: FeedHealth): Child {
  return fetchedAt === null ? t('feeds.never') : ago(fetchedAt)
}

export function nextFetch({ nextAt, status }: FeedHealth): Child {
  return nextAt === null ? (status === 'new' ? t('feeds.soon') : '–') : ago(nextAt)
}
