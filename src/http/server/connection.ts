/** One connection of a client and its requests, in order. */
import type { Socket } from 'node:net'
import type { IncomingExchange } from '../request/incoming-exchange.ts'

export interface Connection {
  /** During a TLS handshake that of TCP, afterwards the one that requests come from. */
  socket: Socket
  /** What it counts for; undefined for a proxy of our own and for the Unix socket, which bring many clients. */
  readonly address: string | undefined
  inHandshake: boolean
  /** The request that is being served. */
  current: IncomingExchange | undefined
  /** Pipelined requests that wait for their turn. */
  readonly waiting: IncomingExchange[]
  /** The newest request, which may still be arriving. Forgotten some time after its response: it can be long. */
  last: IncomingExchange | undefined
  hasServed: boolean
  /** How many bytes had been read when the last request was forgotten. What came since is of a header. */
  bytesForgotten: number
  /** No further request of this connection is served: a response has said so. */
  isDone: boolean
  /** How many bytes had been read when this connection was refused. */
  refusedAtByte: number | undefined
  /** The number of the look (idle-sweep.ts) before which the connection was made or its last response sent. */
  waitsSince: number
  /** Node's timer watches whether the client takes its response. */
  isWatched: boolean
}

/**
 * What a connection is doing:
 * - `incomplete`: the client has to send the rest of a handshake, of a header or of a body, or its first request,
 * - `idle`: it waits for its next request,
 * - `unread`: the client has to take the rest of a response,
 * - `busy`: the server has to answer.
 */
export type ConnectionState = 'incomplete' | 'idle' | 'unread' | 'busy'

export function newConnection(socket: Socket, given: Pick<Connection, 'address' | 'inHandshake' | 'waitsSince'>) {
  const connection: Connection = {
    ...given,
    socket,
    current: undefined,
    waiting: [],
    last: undefined,
    hasServed: false,
    bytesForgotten: 0,
    isDone: false,
    refusedAtByte: undefined,
    isWatched: false,
  }
  return connection
}

export function stateOf({ socket, current, last, hasServed }: Connection): ConnectionState {
  if (current !== undefined) {
    // The next pipelined request waits until this response is taken.
    if (current.serverResponse.writableEnded && socket.writableLength > 0) return 'unread'
    return current.request.complete || current.isBroken ? 'busy' : 'incomplete'
  }
  if (last === undefined ? !hasServed : !last.request.complete) return 'incomplete'
  return socket.writableLength > 0 ? 'unread' : 'idle'
}
