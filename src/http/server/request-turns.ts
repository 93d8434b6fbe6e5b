/**
 * Serves the requests of one connection one after the other: pipelined ones may depend on each other (RFC 9112 section
 * 9.3.2), and one client must not get more than its turn.
 */
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { abandonInput } from '../guard/abandoned-input.ts'
import type { ConnectionGuard } from '../guard/connection-guard.ts'
import type { IncomingExchange } from '../request/incoming-exchange.ts'
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
      void serveInTurn(connection, exchange)
      return
    }
    // Its body may wait for long before the caller is known.
    exchange.ownBody()
    if (connection.pipelined.push(exchange) <= PIPELINED_MAX) return
    abandonInput(connection.socket)
    connection.socket.destroy()
  }

  async function serveInTurn(connection: Connection, first: IncomingExchange): Promise<void> {
    for (let next: IncomingExchange | undefined = first; next !== undefined; next = connection.pipelined.shift()) {
      connection.current = next
      connection.isDone = await serve(next)
      next.releaseBody()
      const { socket } = connection
      guard.responded(socket)
      if (connection.isDone) break
      // A client that does not read a response does not get the next one, which would be held in memory beside it.
      if (socket.writableLength > UNREAD_BYTES_MAX) await finished(next.serverResponse)
      // Pipelined requests of one connection must not keep the event loop from all others.
      else if (connection.pipelined.length > 0) await nextTurn()
    }
    for (const unserved of connection.pipelined.splice(0)) unserved.releaseBody()
    connection.current = undefined
    connection.idleSinceCheck = guard.checks
  }
}

/** Resolves when all of a response has left, or never will. */
function finished(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.writableFinished || response.destroyed) resolve()
    else response.once('finish', resolve).once('close', resolve)
  })
}
