/**
 * Ending connections that nobody uses, by one look at all of them now and then.
 *
 * Node would keep a timer for each connection and move it at every request, response and write, which costs about three
 * percent of the time of a request by id. Here a connection only remembers the number of the look at which it began to
 * wait. A client that does not take its response is the exception: from the next look on, node's timer watches whether
 * bytes of it still move.
 */
import type { Socket } from 'node:net'
import { stateOf, type Connection } from '../server/connection.ts'
import type { ServerLimits } from '../server/server-limits.ts'

export interface IdleSweep {
  /** The number of the latest look. */
  readonly looks: number
  /** Looks once. Gives how many connections were ended since all unfinished headers together were too long. */
  look(): number
  /**
   * To be told of each response that was handed to its socket. Where the clients have not taken more than we can hold, cuts
   * off those that hold most, until half of it is left; gives their number.
   */
  handedOver(socket: Socket): number
}

export function idleSweep(
  all: () => readonly Connection[],
  { keepAliveMs, idleMs, checkMs, heldBytesMax, headsBytesMax }: ServerLimits,
): IdleSweep {
  const looksMax = Math.ceil(keepAliveMs / checkMs)
  let looks = 0
  /** What was found waiting when it was last counted, and all that was handed over since. */
  let heldBytes = 0

  function lookAt(connection: Connection): void {
    const { socket, current } = connection
    // The response to the current request may be a file that is on its way.
    if (current !== undefined && !current.serverResponse.headersSent) return
    const isStuck = socket.writableLength > 0
    if (isStuck !== connection.isWatched) {
      connection.isWatched = isStuck
      connection.waitsSince = looks
      socket.setTimeout(isStuck ? idleMs : 0)
      // Before the first request, node's time-out of the headers holds.
    } else if (stateOf(connection) === 'idle') {
      if (looks - connection.waitsSince > looksMax) socket.destroy()
      else forgetLast(connection)
    }
  }

  function endLongHeads(): number {
    const heads = all()
      .map((connection) => ({ connection, bytes: headBytesOf(connection) }))
      .filter(({ bytes }) => bytes > 0)
    let bytesLeft = heads.reduce((sum, { bytes }) => sum + bytes, 0)
    if (bytesLeft <= headsBytesMax) return 0
    let ended = 0
    for (const { connection, bytes } of heads.sort((a, b) => b.bytes - a.bytes)) {
      if (bytesLeft <= headsBytesMax / 2) break
      bytesLeft -= bytes
      connection.socket.destroy()
      ended++
    }
    return ended
  }

  return {
    get looks() {
      return looks
    },
    look() {
      looks++
      for (const connection of all()) lookAt(connection)
      return endLongHeads()
    },
    handedOver(socket) {
      heldBytes += socket.writableLength
      if (heldBytes <= heldBytesMax) return 0
      const stuck = all()
        .map((connection) => connection.socket)
        .filter(({ writableLength, destroyed }) => writableLength > 0 && !destroyed)
        .sort((a, b) => b.writableLength - a.writableLength)
      heldBytes = stuck.reduce((sum, { writableLength }) => sum + writableLength, 0)
      if (heldBytes <= heldBytesMax) return 0
      let ended = 0
      for (const one of stuck) {
        if (heldBytes <= heldBytesMax / 2) break
        heldBytes -= one.writableLength
        one.destroy()
        ended++
      }
      return ended
    },
  }
}

/** A request with a long URL would take its memory for as long as the connection waits for the next. */
function forgetLast(connection: Connection): void {
  if (connection.last?.serverResponse.writableFinished !== true) return
  connection.last = undefined
  connection.hasServed = true
  connection.bytesForgotten = connection.socket.bytesRead
}

/** The bytes of a header that has not arrived completely, which the parser holds. */
function headBytesOf({ socket, current, last, bytesForgotten }: Connection): number {
  return current === undefined && last === undefined && !socket.destroyed ? socket.bytesRead - bytesForgotten : 0
}
