/**
 * Serves the requests of one connection one after the other: pipelined ones may depend on each other (RFC 9112 section
 * 9.3.2), and one client must not get more than its turn.
 */
import type { ServerResponse } from 'node:http'
import { abandonInput } from './node-internals.ts'
import type { ConnectionGuard } from './connection-guard.ts'
import type { IncomingExchange } from './incoming-exchange.ts'
import { addRequest, type Connection } from './connection.ts'
import type { Serve } from './serving.ts'

/** Pipelined requests of one connection that wait for their turn. A client that sends more is disconnected. */
const PIPELINED_MAX = 100
/** What may be unread of one response while the next request of its connection is served. */
const UNREAD_BYTES_MAX = 64 * 1024

/** Returns the function that takes each request of a connection. */
export function createRequestTurns(serve: Serve, guard: ConnectionGuard) {
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
