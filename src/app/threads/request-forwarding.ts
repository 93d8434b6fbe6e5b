/** Requests that a serving thread has answered by the main thread: each is one message there, with all of its body, and one back. */
import { sentError, type Calls } from '../../base/calls.ts'
import type { Failure } from '../../base/failure.ts'
import { admitForwarded, endpointKey, type ForwardedEndpoint, type Guard } from '../../endpoints/guard.ts'
import type { Exchange, Handler, HttpResponse } from '../../http/exchange.ts'
import { limitKey } from '../../http/client-address.ts'
import { ClientGone } from '../../http/incoming-body.ts'
import { forwardedRequest, readForwardedBody } from '../../http/forwarded-exchange.ts'
import type { IncomingExchange } from '../../http/incoming-exchange.ts'
import type { createLeftCalls } from './left-calls.ts'
import type { MainAnswers, SentBody, ServingAnswers } from './thread-messages.ts'

export function createForwarding(
  main: () => Pick<Calls<MainAnswers>, 'call' | 'tell'>,
  callFor: ReturnType<typeof createLeftCalls>,
  guard: Guard,
) {
  const inFlight = new Map<string, IncomingExchange>()

  const readBody = async (exchange: IncomingExchange, denied: Failure | undefined): Promise<SentBody> => {
    const body = await readForwardedBody(exchange, denied)
    return body !== undefined && 'failure' in body ? { failure: sentError(body.failure) } : body
  }
  const forward = async (exchange: IncomingExchange, endpoint: ForwardedEndpoint): Promise<HttpResponse> => {
    const denied = admitForwarded(exchange, endpoint, guard)
    const { requestId, clientAddress } = exchange
    const leaving = new AbortController()
    const onClose = (): void => leaving.abort()
    const { socket } = exchange.request
    socket.once('close', onClose)
    inFlight.set(requestId, exchange)
    try {
      const body = endpoint.readsBody && exchange.comesWithBody ? await readBody(exchange, denied) : undefined
      const request = forwardedRequest(exchange, endpointKey(endpoint))
      const { signal } = leaving
      // Its memory goes over with it, and is counted here until the response is there.
      const transfer = body !== undefined && 'bytes' in body && body.bytes.length > 0 ? [body.bytes.buffer] : []
      const serve = () => main().call('serve', { request, body }, { signal, transfer })
      const { response, logFields } = await callFor(limitKey(clientAddress), signal, serve)
      if (logFields !== undefined) exchange.addLogFields(logFields)
      if (response === undefined) throw new ClientGone('the connection ended before the response')
      if (response.kind !== 'file') return response
      return { ...response, onClosed: () => main().tell('fileClosed', requestId) }
    } finally {
      socket.off('close', onClose)
      inFlight.delete(requestId)
    }
  }
  const answers: Pick<ServingAnswers, 'watch'> = {
    watch: (requestId) => void inFlight.get(requestId)?.signal,
  }
  return {
    answers,
    /** The handler of an endpoint in this thread. All requests of a server are IncomingExchanges. */
    handlerOf: (endpoint: ForwardedEndpoint): Handler => (exchange: Exchange) => forward(exchange as IncomingExchange, endpoint),
  }
}
