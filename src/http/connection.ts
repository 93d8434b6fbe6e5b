/** One connection of a client: its requests, which are served in turn, and how long it may be idle. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { IncomingExchange } from './incoming-exchange.ts'
import { abandonInput } from './node-internals.ts'
import type { ServerLimits } from './server-limits.ts'
import type { Serve } from './serving.ts'

export type Connection = ReturnType<typeof createConnection>

interface NewConnection {
  readonly peer: string
  readonly clientKey: string | undefined
  readonly inHandshake: boolean
  readonly check: number
}

export function createConnection(
  socket: Socket,
  { peer, clientKey, inHandshake, check }: NewConnection,
) {
  return {
    /** During a TLS handshake the socket of TCP, afterwards the one that requests come from. */
    socket,
    /** The address of the other end, which a socket forgets when it closes. */
    peer,
    /** The client it counts for; undefined for a trusted proxy and for the Unix socket, which bring many clients. */
    clientKey,
    inHandshake,
    /** The request that is being served. */
    current: undefined as IncomingExchange | undefined,
    /** How many bytes had been read when the last request to be served was taken. */
    bytesAtServing: -1,
    /** Pipelined requests that wait for their turn. */
    pipelined: [] as IncomingExchange[],
    /** The newest request, which may still be arriving. Forgotten some time after its response: it can be long. */
    last: undefined as IncomingExchange | undefined,
    /** How many of the bytes read belong to requests whose header is complete, at least. Without the body of `last`. */
    bytesParsed: 0,
    /** How many bytes had been read at the latest check between two requests. */
    bytesAtCheck: 0,
    /** No further request of this connection is served: a response has said so. */
    isDone: false,
    /** How many bytes had been read when input of this connection was rejected. */
    rejectedAtByte: undefined as number | undefined,
    /** The number of the check (createIdleTimeout) before which the connection was made or its last response sent. */
    idleSinceCheck: check,
    /** Node's timer watches whether the client reads its response. */
    isWatched: false,
  }
}

/**
 * What a connection is doing:
 * - `incomplete`: the client has to send the rest of a handshake, of a header or of a body, or its first request,
 * - `idle`: it waits for its next request,
 * - `unread`: the client has to read the rest of a response,
 * - `busy`: the server is working on a response.
 */
export type ConnectionState = 'incomplete' | 'idle' | 'unread' | 'busy'

export function stateOf({ socket, current, last, bytesParsed }: Connection): ConnectionState {
  if (current !== undefined) {
    // The next pipelined request waits until this response is read.
    if (current.serverResponse.writableEnded && socket.writableLength > 0) return 'unread'
    return current.request.complete || current.isBroken ? 'busy' : 'incomplete'
  }
  if (last === undefined ? bytesParsed === 0 : !last.request.complete) return 'incomplete'
  return socket.writableLength > 0 ? 'unread' : 'idle'
}

/** Makes a request the newest of its connection. */
function addRequest(connection: Connection, exchange: IncomingExchange): void {
  const { bytesParsed, bytesAtCheck, last } = connection
  // What was read between two requests belongs to the header that is complete now, or to requests before it.
  connection.bytesParsed = Math.max(bytesParsed + (last?.bodyBytes ?? 0) + exchange.headerBytes, bytesAtCheck)
  connection.last = exchange
}

/** A request with a long URL would take its memory for as long as the connection waits for the next. */
function forgetLastRequest(connection: Connection): void {
  const { last, socket } = connection
  connection.bytesAtCheck = socket.bytesRead
  if (last?.serverResponse.writableFinished !== true) return
  connection.bytesParsed += last.bodyBytes
  connection.last = undefined
}

/** The bytes of a header that has not arrived completely, which the parser holds. A few more after odd requests. */
export function incompleteHeaderBytes({ socket, last, bytesParsed }: Connection): number {
  if (socket.destroyed || last?.request.complete === false) return 0
  return Math.max(0, socket.bytesRead - bytesParsed - (last?.bodyBytes ?? 0))
}

/*
 * Ends idle connections, by a check of all of them now and then.
 *
 * Node would keep a timer for each connection and move it at every request, response and write, which costs about three
 * percent of the time of a request by id. Here a connection only remembers the number of the check before which it
 * became idle. A client that does not read its response is the exception: from the next check on, node's timer watches
 * whether bytes of it still move.
 */

export function createIdleTimeout({ keepAliveMs, idleMs, checkMs }: ServerLimits) {
  const checksMax = Math.ceil(keepAliveMs / checkMs)
  let checks = 0

  function checkOne(connection: Connection): void {
    const { socket, current } = connection
    // The response to the current request may be a file that is being sent.
    if (current !== undefined && !current.serverResponse.headersSent) return
    const isStuck = socket.writableLength > 0
    if (isStuck !== connection.isWatched) {
      connection.isWatched = isStuck
      connection.idleSinceCheck = checks
      socket.setTimeout(isStuck ? idleMs : 0)
      // Before the first request, node's time-out of the headers holds.
    } else if (stateOf(connection) === 'idle') {
      if (checks - connection.idleSinceCheck > checksMax) socket.destroy()
      else forgetLastRequest(connection)
    }
  }

  return {
    /** The number of the latest check. */
    get checks() {
      return checks
    },
    check(connections: readonly Connection[]): void {
      checks++
      for (const connection of connections) checkOne(connection)
    },
  }
}

/*
 * Serves the requests of one connection one after the other: pipelined ones may depend on each other (RFC 9112 section
 * 9.3.2), and one client must not get more than its turn.
 */

/** Pipelined requests of one connection that wait for their turn. A client that sends more is disconnected. */
const PIPELINED_MAX = 100
/** What may be unread of one response while the next request of its connection is served. */
const UNREAD_BYTES_MAX = 64 * 1024

interface TurnGuard {
  /** The number of the latest check. */
  readonly checks: number
  /** A response was queued on this socket. */
  responded(socket: Socket): void
}

/** Returns the function that takes each request of a connection. */
export function createRequestTurns(serve: Serve, guard: TurnGuard) {
  return (connection: Connection, exchange: IncomingExchange): void => {
    addRequest(connection, exchange)
    if (connection.current === undefined) {
      connection.current = exchange
      // What came in one piece with the request before waits for its turn like any pipelined request.
      if (connection.socket.bytesRead === connection.bytesAtServing) setImmediate(serveInTurn, connection, exchange)
      // The part of the body that came with the header has arrived when the microtasks run.
      else if (exchange.comesWithBody) queueMicrotask(() => serveInTurn(connection, exchange))
      else serveInTurn(connection, exchange)
      return
    }
    // Its body may wait for long before the caller is known.
    exchange.ownBody()
    if (connection.pipelined.push(exchange) <= PIPELINED_MAX) return
    abandonInput(connection.socket)
    connection.socket.destroy()
  }

  function serveInTurn(connection: Connection, exchange: IncomingExchange): void {
    connection.current = exchange
    connection.bytesAtServing = connection.socket.bytesRead
    const isLast = serve(exchange)
    if (isLast instanceof Promise) void isLast.then((last) => proceed(connection, exchange, last))
    else proceed(connection, exchange, isLast)
  }

  function proceed(connection: Connection, served: IncomingExchange, isLast: boolean): void {
    const { socket, pipelined } = connection
    connection.isDone = isLast
    served.releaseBody()
    guard.responded(socket)
    if (isLast) rest(connection)
    // A client that does not read a response does not get the next one, which would be held in memory beside it.
    else if (socket.writableLength > UNREAD_BYTES_MAX) whenFinished(served.serverResponse, () => serveNext(connection))
    // Pipelined requests of one connection must not keep the event loop from all others.
    else if (pipelined.length > 0) setImmediate(serveNext, connection)
    else rest(connection)
  }

  function serveNext(connection: Connection): void {
    const next = connection.pipelined.shift()
    if (next === undefined) rest(connection)
    else serveInTurn(connection, next)
  }

  /** Nothing is served: the connection waits for its next request, or ends. */
  function rest(connection: Connection): void {
    if (connection.pipelined.length > 0) {
      for (const unserved of connection.pipelined.splice(0)) unserved.releaseBody()
    }
    connection.current = undefined
    connection.idleSinceCheck = guard.checks
  }
}

/** Calls back when all of a response has left, or never will. */
function whenFinished(response: ServerResponse, proceed: () => void): void {
  if (response.writableFinished || response.destroyed) setImmediate(proceed)
  else {
    const once = (): void => {
      response.off('finish', once).off('close', once)
      proceed()
    }
    response.once('finish', once).once('close', once)
  }
}
