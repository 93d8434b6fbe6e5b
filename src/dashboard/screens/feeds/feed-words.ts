/** What the service says of a feed and of its items, in the language of the reader: status, faults, and what keeps an item a draft. */
import type { FeedHealth, FeedItems, FeedPreview } from '../../../models/responses.ts'
import { listText, t, textOr } from '../../texts.ts'
import { h, type Child } from '../../kit/dom.ts'
import { tag } from '../../kit/elements.ts'
import { ago } from '../../kit/moments.ts'

type FeedStatus = FeedHealth['status']
type Reason = FeedItems['items'][number]['reasons'][number]

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

/** Why a feed cannot be fetched, and what helps. The English message stands in for a code of a later version. */
export function problemSentence({ code, params, message }: NonNullable<FeedHealth['problem']>): string {
  return textOr(`feedProblem.${code}`, message, { status: params.status ?? '' })
}

/** What of a feed is not well-formed. */
export function noteSentence({ code, params, message }: FeedPreview['problems'][number]): string {
  const { line = '', name = '', count = '' } = params
  const text = textOr(`feedNote.${code}`, message, { name, count: Number(count) })
  return line === '' ? text : t('feeds.atLine', { line, note: text })
}

/** What keeps an item a draft, or why it is no headline; empty where there is nothing. `given` is what has been added meanwhile. */
export function reasonSentences(reasons: readonly Reason[], given: ReadonlySet<string> = new Set()): readonly string[] {
  const lacks = reasons.filter(({ code, name }) => code === 'lacks' && !given.has(name)).map(({ name, message }) => textOr(`feedLack.${name}`, message))
  const others = reasons.filter(({ code }) => code !== 'lacks').map(({ code, name, message }) => textOr(`feedReason.${code}`, message, { name }))
  return [...(lacks.length === 0 ? [] : [t('feeds.lacks', { what: listText(lacks) })]), ...others]
}
