/**
 * Writes go to the keeper, which makes the entries of the log: so nodes that take in writes at the same time do not race
 * for the next entry, and the writes of all of them share it. That is advice alone: each append is decided by the log, and a
 * node makes a write itself where the keeper certainly has nothing of it.
 *
 * This node admits and counts the request and reads its body, as a serving thread does for the main thread
 * (request-forwarding.ts). The response waits until this node has the write, as its client may read it here next.
 */
import type { KeeperNode, KeeperRequests } from '../../cluster/keeper-requests.ts'
import { admitForwarded, endpointKey, type ForwardedEndpoint, type Guard } from '../../endpoints/guard.ts'
import type { BodyLane } from '../../http/body-lane.ts'
import type { Exchange, Handler, HttpResponse } from '../../http/exchange.ts'
import { ForwardedExchange, forwardedRequest, readForwardedBody, type ForwardedBody, type ForwardedRequest } from '../../http/forwarded-exchange.ts'
import type { IncomingExchange } from '../../http/incoming-exchange.ts'
import { GUESTS_FULL } from '../../models/guest.ts'
import type { Replication } from '../../store/cluster/replication.ts'
import { mayHaveHappened } from '../../store/cluster/waiting-jobs.ts'
import { decodeResponse, encodeWrite, FORWARDED_BODY_BYTES_MAX, LEFT_TO_ITS_NODE, type ForwardedResponse } from './forwarded-write.ts'

/** How long a write that was made is waited for on this node. */
const REACH_MS_MAX = 5_000

const UNAVAILABLE_STATUS = 503

export interface WriteForwardingOptions {
  /** The keeper where it is another node that can be used. */
  readonly keeper: () => KeeperNode | undefined
  readonly requests: Pick<KeeperRequests, 'takes' | 'send' | 'avoid'>
  readonly replication: Pick<Replication, 'position' | 'reached' | 'state'>
  readonly guard: Guard
  /** Of requests that were admitted and counted, by endpointKey(). */
  readonly handlers: ReadonlyMap<string, Handler>
  readonly bodyLane: () => BodyLane
  readonly bodyBytesMax: number
}

/** Returns the function that gives the handler of an endpoint whose writes go to the keeper; `own` makes them here. */
export function createWriteForwarding(options: WriteForwardingOptions) {
  const { keeper: keeperNow, requests, replication, guard, handlers, bodyLane, bodyBytesMax } = options

  /** What the keeper makes of a request; undefined where it has nothing of it. Throws networkError where that is unknown. */
  const send = async (keeper: KeeperNode, request: ForwardedRequest, body: ForwardedBody): Promise<ForwardedResponse | undefined> => {
    if (body !== undefined && ('failure' in body || body.bytes.length > FORWARDED_BODY_BYTES_MAX)) return undefined
    // The keeper sees at least what this node has seen, such as the session of the request.
    const { consistency, ...sent } = request.headers
    const headers = { ...sent, 'x-dateline-position': String(replication.position()) }
    const outcome = await requests.send(keeper, encodeWrite({ request: { ...request, headers }, body }))
    if (outcome.kind === 'unsent') return undefined
    if (outcome.kind === 'response' && outcome.body.equals(LEFT_TO_ITS_NODE)) return undefined
    const response = outcome.kind === 'response' ? decodeResponse(outcome.body) : undefined
    if (response === undefined) throw mayHaveHappened()
    // Such as of a keeper whose disk is full. What guests may keep is no matter of the keeper, and a guest could ask for it all the time.
    if (response.response.status === UNAVAILABLE_STATUS && response.logFields?.['cause'] !== GUESTS_FULL) requests.avoid(keeper)
    return response
  }
  /** Serves a request here that was admitted, and whose body was read. */
  const serveHere = async (exchange: IncomingExchange, request: ForwardedRequest, body: ForwardedBody): Promise<HttpResponse> => {
    const handler = handlers.get(request.endpoint)
    if (handler === undefined) throw new Error(`There is no endpoint ${request.endpoint}`)
    const here = new ForwardedExchange(request, body, { bodyLane: bodyLane(), bodyBytesMax, leaving: exchange.signal, onWatch() {} })
    try {
      return await handler(here)
    } finally {
      if (here.logFields !== undefined) exchange.addLogFields(here.logFields)
      here.releaseBody()
    }
  }
  const forward = async (exchange: IncomingExchange, endpoint: ForwardedEndpoint, keeper: KeeperNode): Promise<HttpResponse> => {
    const denied = admitForwarded(exchange, endpoint, guard)
    const body = endpoint.readsBody && exchange.comesWithBody ? await readForwardedBody(exchange, denied) : undefined
    const request = forwardedRequest(exchange, endpointKey(endpoint))
    const made = denied === undefined ? await send(keeper, request, body) : undefined
    if (made === undefined) return serveHere(exchange, request, body)
    if (made.logFields !== undefined) exchange.addLogFields(made.logFields)
    await replication.reached(made.position, AbortSignal.timeout(REACH_MS_MAX)).catch(() => {
      throw mayHaveHappened()
    })
    return made.response
  }
  /** All requests of a server are IncomingExchanges. */
  return (endpoint: ForwardedEndpoint, own: Handler): Handler =>
    (exchange: Exchange) => {
      const keeper = keeperNow()
      // Without the log this node would not learn what the keeper wrote.
      if (keeper === undefined || !requests.takes(keeper) || replication.state().kind === 'no-quorum') return own(exchange)
      return forward(exchange as IncomingExchange, endpoint, keeper)
    }
}
