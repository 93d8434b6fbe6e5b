/** Requests that a serving thread has answered by the main thread. */
import { Sent, type Calls } from '../../base/calls.ts'
import type { Exchange, HttpResponse } from '../../http/request/exchange.ts'
import { limitKey } from '../../http/request/client-address.ts'
import { ClientGone } from '../../http/request/incoming-body.ts'
import type { IncomingExchange } from '../../http/request/incoming-exchange.ts'
import type { createLeftCalls } from './left-calls.ts'
import type { MainAnswers, ServingAnswers } from './thread-messages.ts'

/** `weigh` counts bytes of a body for a caller, of which some have been counted before; throws tooManyRequests. */
export function createForwarding(
  main: () => Pick<Calls<MainAnswers>, 'call' | 'tell'>,
  callFor: ReturnType<typeof createLeftCalls>,
  weigh: (caller: string, bytes: number, before: number) => void,
) {
  const inFlight = new Map<string, IncomingExchange>()

  const answers: Pick<ServingAnswers, 'readBytes' | 'watch'> = {
    async readBytes({ requestId, terms, weighedFor, options }) {
      const exchange = inFlight.get(requestId)
      if (exchange === undefined) throw new ClientGone('the request is over')
      exchange.setBodyTerms(terms)
      if (weighedFor !== undefined) {
        exchange.setBodyTerms({ weigh: (bytes, before) => weigh(weighedFor, bytes, before) })
      }
      // Its memory goes over with it, and is counted here until the response is there.
      const bytes = (await exchange.readBytes(options)) as Uint8Array<ArrayBuffer>
      return new Sent(bytes, bytes.length === 0 ? [] : [bytes.buffer])
    },
    watch: (requestId) => void inFlight.get(requestId)?.signal,
  }

  /** The handler of a request of this thread's server. */
  async function forward(given: Exchange): Promise<HttpResponse> {
    const exchange = given as IncomingExchange // All requests of a server are.
    const { requestId, method, target, headers, clientAddress, isFromProxy, comesWithBody: hasBody } = exchange
    const leaving = new AbortController()
    const onClose = (): void => leaving.abort()
    const { socket } = exchange.request
    socket.once('close', onClose)
    inFlight.set(requestId, exchange)
    try {
      const request = { requestId, method, target, headers, clientAddress, isFromProxy, hasBody }
      const { signal } = leaving
      const serve = () => main().call('serve', request, { signal })
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
  return { answers, forward }
}
