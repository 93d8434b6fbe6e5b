/**
 * Which connections are accepted and which end: the limits on connections and their memory together, and the log about them.
 *
 * Where several threads serve, a client has its number of connections over all of them. At that number, a thread in which
 * none of them can be ended asks the others, and reads nothing from the new connection meanwhile.
 */
import type { Socket } from 'node:net'
import type { Log } from '../base/log.ts'
import type { SharedCounts } from '../base/shared-counts.ts'
import { limitKey } from './client-address.ts'
import { createConnectionTable } from './connection-table.ts'
import { createConnection, createIdleTimeout, incompleteHeaderBytes, type Connection } from './connection.ts'
import type { ServerLimits } from './server-limits.ts'

/** The address of the other end. */
export interface Peer {
  readonly address: string
  /** Brings the connections of many clients, as a trusted proxy does: they are not counted for it. */
  readonly isProxy: boolean
}

/** The connections of all threads. */
export interface SharedConnections {
  readonly counts: SharedCounts
  /** Ends a connection of a client in another thread; resolves with false where all of them are being served. */
  readonly endElsewhere: (clientKey: string) => Promise<boolean>
}

export interface GuardOptions {
  readonly limits: ServerLimits
  readonly peerOf: (socket: Socket) => Peer
  readonly log: Log
  readonly shared: SharedConnections
}

export type ConnectionGuard = ReturnType<typeof createConnectionGuard>

export function createConnectionGuard({ limits, peerOf, log, shared }: GuardOptions) {
  const table = createConnectionTable(limits, shared.counts)
  const idle = createIdleTimeout(limits)
  const memory = createConnectionMemory(table.all, limits)
  const handshakes = createTlsHandshakes()
  const [isNewlyCrowded, isNewlyAtLimit, isNewlyFull, isNewlyLong] = [episode(), episode(), episode(), episode()]
  let timer: NodeJS.Timeout | undefined

  /** Returns a function that is true the first time, and after a check since which it was not called. */
  function episode(): () => boolean {
    let latest = Number.NEGATIVE_INFINITY
    return () => {
      const isNew = idle.checks > latest + 1
      latest = idle.checks
      return isNew
    }
  }

  function check(): void {
    idle.check(table.all())
    const ended = memory.boundHeaders()
    table.countShed('long_headers', ended)
    if (ended > 0 && isNewlyLong()) log.warn('connections.long_headers', { ended, bytesMax: limits.headsBytesMax })
  }

  /** Lets a connection wait until another thread has ended one of its client, and ends it where none can be ended. */
  async function awaitRoom(connection: Connection, ended: Promise<boolean>): Promise<void> {
    const { socket, inHandshake } = connection
    if (!inHandshake) socket.pause()
    const hasRoom = await ended.catch(() => false)
    if (!hasRoom && table.get(connection.socket) === connection) table.end(connection, 'address_refused')
    else if (!inHandshake) socket.resume()
  }

  /** Connections past the limit of all. */
  function dropped(): void {
    table.countShed('full', 1)
    if (isNewlyFull()) log.warn('connections.full', { max: limits.connectionsMax })
  }

  return {
    table,
    /** The number of the latest check, for connections that become idle. */
    get checks() {
      return idle.checks
    },
    /** Takes a connection that was just accepted, or ends it where its client has its number of them in use. */
    admit(socket: Socket, { inHandshake }: { readonly inHandshake: boolean }): void {
      if (table.isFull()) {
        dropped()
        socket.destroy()
        return
      }
      const { address, isProxy } = peerOf(socket)
      const clientKey = isProxy ? undefined : limitKey(address)
      const isOver = clientKey !== undefined && table.countOneMore(clientKey)
      const lacksRoom = isOver && !table.endOneOf(clientKey)
      if (isOver && isNewlyAtLimit()) {
        log.warn('connections.address_limit', { client: address, max: limits.connectionsPerAddressMax })
      }
      // The place of another one of its client needs no room.
      const crowded = lacksRoom ? 0 : table.makeRoom()
      if (crowded > 0 && isNewlyCrowded()) {
        log.info('connections.crowded', { ended: crowded, max: limits.connectionsMax })
      }
      const connection = createConnection(socket, { peer: address, clientKey, inHandshake, check: idle.checks })
      table.add(connection)
      if (inHandshake) handshakes.begin(connection)
      if (lacksRoom) void awaitRoom(connection, shared.endElsewhere(clientKey))
    },
    /** The TLS handshake of a connection is over. */
    secured(socket: Socket): void {
      const connection = handshakes.end(socket)
      if (connection === undefined || table.get(connection.socket) !== connection) socket.destroy()
      else table.move(connection, socket)
    },
    dropped,
    /** A response was queued on this socket. */
    responded(socket: Socket): void {
      const ended = memory.boundResponses(socket)
      table.countShed('unread_responses', ended)
      if (ended > 0) log.warn('responses.unread', { ended, bytesMax: limits.heldBytesMax })
    },
    start(): void {
      timer = setInterval(check, limits.checkMs).unref()
    },
    stop: (): void => clearInterval(timer),
  }
}

/** Connections in their TLS handshake, by their peer: requests come from another socket than the one of TCP. */
function createTlsHandshakes() {
  const byPeer = new Map<string, Connection>()
  return {
    begin(connection: Connection): void {
      const peer = remoteOf(connection.socket)
      byPeer.set(peer, connection)
      connection.socket.once('close', () => {
        if (byPeer.get(peer) === connection) byPeer.delete(peer)
      })
    },
    /** The connection whose handshake has ended with this socket; undefined where it has ended meanwhile. */
    end(socket: Socket): Connection | undefined {
      const peer = remoteOf(socket)
      const connection = byPeer.get(peer)
      byPeer.delete(peer)
      return connection
    },
  }
}

function remoteOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''}`
}

/*
 * The memory that clients take by what they do not finish: headers that are incomplete, responses that are not read.
 * Where all of one kind together are over their limit, the connections that hold most end, until half of it is left.
 */

function createConnectionMemory(all: () => readonly Connection[], { heldBytesMax, headsBytesMax }: ServerLimits) {
  /** The unread bytes when they were last counted, and all responses since. */
  let unreadBytes = 0
  return {
    /** Returns how many connections it ended. */
    boundHeaders: (): number => endLargest(all(), incompleteHeaderBytes, headsBytesMax).ended,
    /** To be called with the socket of each response that was queued. Returns how many connections it ended. */
    boundResponses(socket: Socket): number {
      unreadBytes += socket.writableLength
      if (unreadBytes <= heldBytesMax) return 0
      const { ended, bytesLeft } = endLargest(all(), bytesUnread, heldBytesMax)
      unreadBytes = bytesLeft
      return ended
    },
  }
}

function bytesUnread({ socket }: Connection): number {
  return socket.destroyed ? 0 : socket.writableLength
}

function endLargest(
  connections: readonly Connection[],
  bytesOf: (connection: Connection) => number,
  bytesMax: number,
): { ended: number; bytesLeft: number } {
  const held = connections
    .map((connection) => ({ connection, bytes: bytesOf(connection) }))
    .filter(({ bytes }) => bytes > 0)
  let bytesLeft = held.reduce((sum, { bytes }) => sum + bytes, 0)
  if (bytesLeft <= bytesMax) return { ended: 0, bytesLeft }
  let ended = 0
  for (const { connection, bytes } of held.sort((a, b) => b.bytes - a.bytes)) {
    if (bytesLeft <= bytesMax / 2) break
    bytesLeft -= bytes
    connection.socket.destroy()
    ended++
  }
  return { ended, bytesLeft }
}
