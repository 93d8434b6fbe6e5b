/**
 * What is to be told of a feed: why it cannot be fetched, or what of it is not as it should be. The message is in English; a page
 * writes its own sentence from the code and its values.
 */

/** Why a feed cannot be fetched. Codes are API: they never change. */
export const FETCH_PROBLEM_CODES = [
  'address', 'refused', 'dns', 'connect', 'proxy', 'tls', 'timeout', 'protocol', 'redirect', 'coding', 'truncated', 'tooLarge', 'busy', 'stopped',
  'notAFeed', 'login', 'forbidden', 'missing', 'gone', 'tooOften', 'serverFault', 'status',
] as const
export type FetchProblemCode = (typeof FETCH_PROBLEM_CODES)[number]

/** What of a feed is not well-formed, is not read, or is not kept. */
export const READ_NOTE_CODES = ['markup', 'tags', 'reference', 'encoding', 'controls', 'limits', 'leftOut', 'unread', 'pictures', 'noAddress'] as const
export type ReadNoteCode = (typeof READ_NOTE_CODES)[number]

/** Why an item has become no headline, or a draft; see content/feeds/item-reasons.ts. */
export const ITEM_REASON_CODES = ['lacks', 'rule', 'item', 'headline', 'deleted', 'nothing', 'invalid', 'picture'] as const
export type ItemReasonCode = (typeof ITEM_REASON_CODES)[number]

/** Values of the sentence, as text: the status of a response, a line, a name as the feed has it, a number. */
export const FEED_NOTE_PARAMS = ['status', 'line', 'name', 'count'] as const

interface FeedNote<Code> {
  readonly code: Code
  readonly params: { readonly [name in (typeof FEED_NOTE_PARAMS)[number]]?: string }
  readonly message: string
}
export type FetchProblem = FeedNote<FetchProblemCode>
export type ReadNote = FeedNote<ReadNoteCode>
