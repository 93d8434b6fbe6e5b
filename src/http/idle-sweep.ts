/**
 * Ending connections that nobody uses, by one look at all of them now and then.
 *
 * Node would keep a timer for each connection and move it at every request, reply and write, which costs about three
 * percent of the time of a request by id. Here a connection only remembers the number of the look at which it began to
 * wait. A client that does not take its reply is the exception: from the next look on, node's timer watches whether
 * bytes of it still move.
 */
import type { Socket } from 'node:net'
import type { IncomingExchange } from './incoming-exchange.ts'
import type { ServerLimits } from './server-limits.ts'

/** With more than this share of the connections in use, those that wait longest make room. */
const CROWDED_SHARE = 0.9
/** How many of all connections are ended then. */
const SHED_SHARE = 0.1

export interface WaitingConnection {
  readonly current: IncomingExchange | undefined
  readonly last: IncomingExchange | undefined
  /** The number of the look before which the connection was made or its last reply sent. */
  waitsSince: number
  /** Node's timer watches whether the client takes its reply. */
  isWatched: boolean
}

export interface IdleSweep {
  /** The number of the latest look. */
  readonly looks: number
  /** Looks once. */
  look(): void
  /** Ends some of those that wait, where all connections together come near their limit; gives their number. */
  makeRoom(connections: number): number
  /**
   * To be told of each reply that was handed to its socket. Where the clients have not taken more than we can hold, cuts
   * off those that hold most, until half of it is left; gives their number.
   */
  handedOver(socket: Socket): number
}

export function idleSweep(
  all: ReadonlyMap<Socket, WaitingConnection>,
  { keepAliveMs, idleMs, checkMs, connectionsMax, heldBytesMax }: ServerLimits,
): IdleSweep {
  const looksMax = Math.ceil(keepAliveMs / checkMs)
  let looks = 0
  /** The look since which there has been nobody to end. */
  let emptySince = -1
  /** What was found waiting when it was last counted, and all that was handed over since. */
  let heldBytes = 0

  function lookAt(socket: Socket, connection: WaitingConnection): void {
    const { current } = connection
    // The reply to the current request may be a file that is on its way.
    if (current !== undefined && !current.response.headersSent) return
    const isStuck = socket.writableLength > 0
    if (isStuck !== connection.isWatched) {
      connection.isWatched = isStuck
      connection.waitsSince = looks
      socket.setTimeout(isStuck ? idleMs : 0)
    } else if (!isStuck && current === undefined && hasServed(connection) && looks - connection.waitsSince > looksMax) {
      socket.destroy()
    }
  }

  return {
    get looks() {
      return looks
    },
    look() {
      looks++
      for (const [socket, connection] of all) lookAt(socket, connection)
    },
    makeRoom(connections) {
      if (connections <= connectionsMax * CROWDED_SHARE || emptySince === looks) return 0
      const waiting = [...all]
        .filter(([socket, one]) => one.current === undefined && socket.writableLength === 0)
        // One that is new may not have had the time to send anything.
        .filter(([, one]) => hasServed(one) || one.waitsSince < looks)
        .sort(([, a], [, b]) => a.waitsSince - b.waitsSince)
        .slice(0, Math.ceil(connectionsMax * SHED_SHARE))
      for (const [socket] of waiting) socket.destroy()
      if (waiting.length === 0) emptySince = looks
      return waiting.length
    },
    handedOver(socket) {
      heldBytes += socket.writableLength
      if (heldBytes <= heldBytesMax) return 0
      const stuck = [...all.keys()]
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

/** Whether it waits between two requests. Before the first one, node's time-out of the headers holds. */
function hasServed({ last }: WaitingConnection): boolean {
  return last?.request.complete === true
}
