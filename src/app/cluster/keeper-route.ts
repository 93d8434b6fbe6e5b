/** The route of the keeper for writes that other nodes take in; see write-forwarding.ts. */
import type { Clock } from '../../base/clock.ts'
import { fail } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import { bodyHash, joinParts, splitParts, WRITES_BYTES_MAX, WRITES_MAX } from '../../cluster/keeper-message.ts'
import { readSigned, type createSignerCheck } from '../../cluster/node-requests.ts'
import { WRITES_PATH } from '../../cluster/peer-requests.ts'
import type { BodyLane } from '../../http/body-lane.ts'
import type { Exchange, Handler, HttpResponse } from '../../http/exchange.ts'
import { ForwardedExchange } from '../../http/forwarded-exchange.ts'
import { ClientGone } from '../../http/incoming-body.ts'
import { createForwardedResponder } from '../../http/serving.ts'
import type { Route } from '../../http/router.ts'
import { decodeWrite, encodeResponse, LEFT_TO_ITS_NODE, type ForwardedWrite } from './forwarded-write.ts'

const BYTES_TYPE = 'application/octet-stream'
const NOT_WRITES = 'Cannot read the writes of another node'

export interface KeeperRouteOptions {
  /** This node, and when it was started, as others read it. */
  readonly node: string
  readonly startedAt: () => number
  readonly signerOf: ReturnType<typeof createSignerCheck>
  readonly signKey: Buffer
  readonly now: Clock
  /** Throws where the connection is not encrypted. */
  readonly requireSafe: (exchange: Exchange) => void
  /** Whether this node is the keeper, and can write: otherwise the others write by themselves. */
  readonly takesWrites: () => boolean
  readonly position: () => number
  /** Of requests that were admitted and counted by another node, by endpointKey(). */
  readonly handlers: ReadonlyMap<string, Handler>
  readonly bodyBytesMax: number
  readonly log: Log
}

export function keeperRoute(options: KeeperRouteOptions): Route {
  const { node, startedAt, signerOf, signKey, now, requireSafe, takesWrites, position, handlers, bodyBytesMax, log } = options
  const respond = createForwardedResponder(handlers, log)
  const serve = async ({ request, body }: ForwardedWrite, leaving: AbortSignal): Promise<Buffer> => {
    let isLong = false
    // A body that is long with its references: this is found ahead of the transaction, and the other writes of the request do not wait with it.
    const bodyLane: BodyLane = {
      enter() {
        isLong = true
        return Promise.reject(new ClientGone('a write with a long body is left to its node'))
      },
    }
    const forwarded = new ForwardedExchange(request, body, { bodyLane, bodyBytesMax, leaving, onWatch() {} })
    try {
      const response = await respond(forwarded)
      if (response === undefined && isLong) return LEFT_TO_ITS_NODE
      if (response === undefined) throw new ClientGone('the other node has left')
      return encodeResponse({ response, logFields: forwarded.logFields, position: position() })
    } finally {
      forwarded.releaseBody()
    }
  }
  /** Every response that is not 200 says that nothing of the write was made. */
  const handler = async (exchange: Exchange): Promise<HttpResponse> => {
    requireSafe(exchange)
    const { method, path, headers, params } = exchange
    if (!takesWrites() || params['run'] !== String(startedAt())) throw fail('networkError', 'This is not the keeper that the writes are for')
    const request = { method, path, to: node }
    const from = signerOf(request, headers.authorization)
    if (from === undefined && readSigned({ key: signKey, now }, request, headers.authorization) !== undefined) throw fail('conflict', 'These writes were sent before')
    if (from === undefined) throw fail('forbidden', 'Writes are sent here by the nodes of this site')
    exchange.setBodyTerms({ limit: { bytesMax: WRITES_BYTES_MAX }, caller: `node ${from}`, usesReserve: true })
    const bytes = await exchange.readBytes()
    if (bodyHash(bytes) !== params['hash']) throw fail('forbidden', 'The body is not the one that was signed')
    const writes = splitParts(bytes, WRITES_MAX)?.map(decodeWrite)
    if (writes === undefined) throw fail('badRequest', NOT_WRITES)
    const known = writes.map((write) => {
      if (write === undefined || !handlers.has(write.request.endpoint)) throw fail('badRequest', NOT_WRITES)
      return write
    })
    const responses = await Promise.all(known.map((write) => serve(write, exchange.signal)))
    return { kind: 'raw', status: 200, contentType: BYTES_TYPE, body: joinParts(responses) }
  }
  return { method: 'POST', path: `${WRITES_PATH}:run/:hash`, handler }
}
