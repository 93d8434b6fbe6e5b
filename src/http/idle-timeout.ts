/**
 * Ends idle connections, by a check of all of them now and then.
 *
 * Node would keep a timer for each connection and move it at every request, response and write, which costs about three
 * percent of the time of a request by id. Here a connection only remembers the number of the check before which it
 * became idle. A client that does not read its response is the exception: from the next check on, node's timer watches
 * whether bytes of it still move.
 */
import { forgetLastRequest, stateOf, type Connection } from './connection.ts'
import type { ServerLimits } from './server-limits.ts'

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
