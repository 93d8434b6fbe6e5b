/** Why a fetch failed, as a note: its code, its values, and the sentence in English. */
import type { OutboundErrorKind } from '../../outbound/outbound-error.ts'
import type { FetchProblem, FetchProblemCode } from '../../base/feed-note.ts'
import type { Failed, Gone } from './fetch.ts'

const OF_STATUS: Readonly<Record<number, FetchProblemCode>> = { 401: 'login', 403: 'forbidden', 451: 'forbidden', 404: 'missing', 429: 'tooOften' }

export function noteOf(outcome: Failed | Gone): FetchProblem {
  const { problem: message } = outcome
  if (outcome.kind === 'gone') return { code: 'gone', params: {}, message }
  const { reason, status } = outcome
  if (reason !== 'status') return { code: codeOf(reason), params: {}, message }
  const code = OF_STATUS[status ?? 0] ?? ((status ?? 0) >= 500 ? 'serverFault' : 'status')
  return { code, params: { status: String(status) }, message }
}

function codeOf(reason: OutboundErrorKind | 'not-a-feed'): FetchProblemCode {
  if (reason === 'too-large') return 'tooLarge'
  return reason === 'not-a-feed' ? 'notAFeed' : reason
}
