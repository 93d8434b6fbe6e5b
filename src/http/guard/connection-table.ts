/** All connections, and the room for new ones: a client at its limit makes room among its own connections. */
import type { Socket } from 'node:net'
import type { Connection } from '../server/connection.ts'
import type { ServerLimits } from '../server/server-limits.ts'
import { inShedOrder, oldestToShed } from './shed-order.ts'

/** With more than this share of all connections in use, some are ended. */
const CROWDED_SHARE = 0.9
/** How many of all are ended then. */
const SHED_SHARE = 0.1
/** Where none could be ended, so many more may come before all are examined again. */
const RESCAN_SHARE = 0.01

/** Why a connection was ended or refused, as `/metrics` counts it. */
export type ShedReason = 'crowded' | 'address_limit' | 'address_refused' | 'full' | 'unread_responses' | 'long_headers'

export function createConnectionTable({ connectionsMax, connectionsPerAddressMax }: ServerLimits) {
  const bySocket = new Map<Socket, Connection>()
  const byClient = new Map<string, Set<Connection>>()
  const shed = { crowded: 0, address_limit: 0, address_refused: 0, full: 0, unread_responses: 0, long_headers: 0 }
  let rescanAt = 0

  function insert(connection: Connection): void {
    bySocket.set(connection.socket, connection)
    connection.socket.once('close', () => remove(connection))
  }

  function remove(connection: Connection): void {
    bySocket.delete(connection.socket)
    if (connection.clientKey === undefined) return
    const others = byClient.get(connection.clientKey)
    others?.delete(connection)
    if (others?.size === 0) byClient.delete(connection.clientKey)
  }

  function end(connection: Connection, reason: ShedReason): void {
    shed[reason]++
    remove(connection)
    connection.socket.destroy()
  }

  return {
    get size() {
      return bySocket.size
    },
    shed: shed as Readonly<Record<ShedReason, number>>,
    countShed(reason: ShedReason, connections: number): void {
      shed[reason] += connections
    },
    /** By the socket that requests come from. */
    get: (socket: Socket): Connection | undefined => bySocket.get(socket),
    all: (): readonly Connection[] => [...bySocket.values()],
    add(connection: Connection): void {
      insert(connection)
      const { clientKey } = connection
      if (clientKey === undefined) return
      const others = byClient.get(clientKey)
      if (others === undefined) byClient.set(clientKey, new Set([connection]))
      else others.add(connection)
    },
    /** The TLS handshake is over: requests will come from this socket. */
    move(connection: Connection, socket: Socket): void {
      bySocket.delete(connection.socket)
      connection.socket = socket
      connection.inHandshake = false
      insert(connection)
    },
    /** Ends one connection of a client at its limit; returns how many, undefined where all of them are being served. */
    makeRoomOf(clientKey: string): number | undefined {
      const own = byClient.get(clientKey)
      if (own === undefined || own.size < connectionsPerAddressMax) return 0
      const oldest = oldestToShed(own)
      if (oldest === undefined) return undefined
      end(oldest, 'address_limit')
      return 1
    },
    /** Ends a number of connections near the limit of all; returns how many. */
    makeRoom(): number {
      if (bySocket.size + 1 <= connectionsMax * CROWDED_SHARE || bySocket.size < rescanAt) return 0
      const ended = inShedOrder([...bySocket.values()]).slice(0, Math.ceil(connectionsMax * SHED_SHARE))
      for (const one of ended) end(one, 'crowded')
      rescanAt = ended.length > 0 ? 0 : bySocket.size + Math.ceil(connectionsMax * RESCAN_SHARE)
      return ended.length
    },
  }
}
