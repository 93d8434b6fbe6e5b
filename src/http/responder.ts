/**
 * From a request to the response of its handler.
 *
 * A Failure becomes its status and its message. Everything else that is thrown is a bug of ours: 500, the stack in the
 * log under the request's id, and nothing about it in the response.
 */
import { withRecovery, type Awaitable } from '../base/awaitable.ts'
import { fail, Failure } from '../base/failure.ts'
import type { Log } from '../base/log.ts'
import type { Handler, HttpResponse } from './exchange.ts'
import { ClientGone } from './incoming-body.ts'
import type { ServedExchange } from './served-exchange.ts'
import { errorBody, JSON_TYPE } from './response-writer.ts'

interface ResponderOptions<E extends ServedExchange> {
  /** Gives the handler of a request; what it throws is the response. */
  readonly find: (exchange: E) => Handler
  readonly log: Log
}

/** Returns the function that has a request handled. It gives undefined where the client has left, and never throws. */
export function createResponder<E extends ServedExchange>({ find, log }: ResponderOptions<E>) {
  return (exchange: E): Awaitable<HttpResponse | undefined> =>
    withRecovery<HttpResponse | undefined>(
      () => find(exchange)(exchange),
      (error) => responseToError(error, exchange),
    )

  function responseToError(error: unknown, exchange: E): HttpResponse | undefined {
    const { requestId } = exchange
    if (error instanceof Failure) {
      exchange.addLogFields({ code: error.code, ...(error.cause === undefined ? {} : { cause: error.cause }) })
      if (error.status >= 500) log.warn('request.unavailable', { requestId, error })
      return failureResponse(error)
    }
    if (error instanceof ClientGone || (exchange.isAbandoned && isAbort(error))) return undefined
    log.error('request.failed', { requestId, error })
    const message = `Cannot complete the request: the server failed, its log tells why under "${requestId}"`
    return failureResponse(fail('serverError', message))
  }
}

function failureResponse(failure: Failure): HttpResponse {
  const { status, headers } = failure
  return { kind: 'raw', status, contentType: JSON_TYPE, body: errorBody(failure), headers }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
