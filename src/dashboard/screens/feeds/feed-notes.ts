/** What the service notes of a feed and of its items, as sentences in the language of the reader. */
import type { FeedHealth, FeedItems, FeedPreview } from '../../../models/responses.ts'
import { listText, t, textOr } from '../../texts.ts'

type Reason = FeedItems['items'][number]['reasons'][number]

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
