/**
 * From a request to the response of its handler.
 *
 * A Failure becomes its status and its message. Everything else that is thrown is a bug of ours: 500, the stack in the
 * log under the request's id, and nothing about it in the response.
 */
import type { Awaitable } from '../../base/awaitable.ts'
import { fail, Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import type { Exchange, HttpResponse, Params } from '../request/exchange.ts'
import { ClientGone } from '../request/incoming-body.ts'
import { errorBody, JSON_TYPE } from './response-writer.ts'
import type { Router } from './router.ts'

/** A request that a handler can be found for. */
export interface Routable extends Exchange {
  params: Params
  /** The path of the route that serves it; empty where there is none. */
  route: string
  /** The client has left. */
  readonly isAbandoned: boolean
}

interface ResponderOptions<E extends Routable> {
  readonly router: Router
  readonly log: Log
  /** Called ahead of the handler; what it throws is the response. */
  readonly admit: (exchange: E) => void
}

/** Returns the function that has a request handled. It gives undefined where the client has left, and never throws. */
export function createResponder<E extends Routable>({ router, log, admit }: ResponderOptions<E>) {
  return (exchange: E): Awaitable<HttpResponse | undefined> => {
    try {
      admit(exchange)
      const { path, handler, params } = router.route(exchange.method, exchange.path)
      exchange.route = path
      exchange.params = params
      const response = handler(exchange)
      return response instanceof Promise ? response.catch((error) => responseToError(error, exchange)) : response
    } catch (error) {
      return responseToError(error, exchange)
    }
  }

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
