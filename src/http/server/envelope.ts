/** The two bodies of the API. They are put together as text: a stored document is never parsed to be sent. */
import type { Failure } from '../../base/failure.ts'
import { ProblemFailure } from '../../base/problem.ts'

export interface ResponseMetadata {
  /** Letters, digits and `-` only: it is ours, and is not escaped. */
  readonly requestId: string
  /** `2025-10-20T12:34:56.789Z` */
  readonly timestamp: string
}

/** `{"data":…,"metadata":{"requestId":…,"timestamp":…}}`; `data` is JSON text. */
export function successBody(data: string, { requestId, timestamp }: ResponseMetadata): string {
  return `{"data":${data},"metadata":{"requestId":"${requestId}","timestamp":"${timestamp}"}}`
}

/** `{"error":{"code":…,"message":…}}`, and the problem of a document where that is the reason. */
export function errorBody(failure: Failure): string {
  const { code, message } = failure
  const problems = failure instanceof ProblemFailure ? { problems: [failure.problem] } : {}
  return JSON.stringify({ error: { code, message, ...problems } })
}
