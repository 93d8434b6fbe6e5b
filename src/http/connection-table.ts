/** All connections, and the room for new ones: a client at its limit makes room among its own connections. */
import type { Socket } from 'node:net'
import type { SharedCounts } from '../base/shared-counts.ts'
import { stateOf, type Connection } from './connection.ts'
import type { ServerLimits } from './server-limits.ts'

/** With more than this share of all connections in use, some are ended. */
const CROWDED_SHARE = 0.9
/** How many of all are ended then. */
const SHED_SHARE = 0.1
/** Where none could be ended, so many more may come before all are examined again. */
const RESCAN_SHARE = 0.01

/**
 * Which connections end first so that a new client is served: a connection costs its client nothing while the server waits for
 * it. First those go whose request is incomplete, then those between two requests, then those that do not read their response.
 * One that is being served is never ended.
 */
const SHED_ORDER = { incomplete: 0, idle: 1, unread: 2 } as const

/** Why a connection was ended or refused, as `/metrics` counts it. */
export type ShedReason = 'crowded' | 'address_limit' | 'address_refused' | 'full' | 'unread_responses' | 'long_headers'

/** The connections of this thread; `counts` has the numbers of all threads, and those of each client. */
export function createConnectionTable(
  { connectionsMax, connectionsPerAddressMax }: Pick<ServerLimits, 'connectionsMax' | 'connectionsPerAddressMax'>,
  counts: SharedCounts,
) {
  const bySocket = new Map<Socket, Connection>()
  const byClient = new Map<string, Set<Connection>>()
  const shed = { crowded: 0, address_limit: 0, address_refused: 0, full: 0, unread_responses: 0, long_headers: 0 }
  let rescanAt = 0

  function insert(connection: Connection): void {
    bySocket.set(connection.socket, connection)
    connection.socket.once('close', () => remove(connection))
  }

  function remove(connection: Connection): void {
    if (!bySocket.delete(connection.socket)) return
    counts.addToTotal(-1)
    if (connection.clientKey === undefined) return
    counts.add(connection.clientKey, -1)
    const others = byClient.get(connection.clientKey)
    others?.delete(connection)
    if (others?.size === 0) byClient.delete(connection.clientKey)
  }

  function end(connection: Connection, reason: ShedReason): void {
    shed[reason]++
    remove(connection)
    connection.socket.destroy()
  }

  /** Ends one connection of a client in this thread; false where all of them are being served. */
  function endOneOf(clientKey: string): boolean {
    const oldest = oldestToShed(byClient.get(clientKey) ?? [])
    if (oldest === undefined) return false
    end(oldest, 'address_limit')
    return true
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
    /** All threads have as many connections as there may be. */
    isFull: (): boolean => counts.total() >= connectionsMax,
    /** Takes a connection that has been counted for its client. */
    add(connection: Connection): void {
      insert(connection)
      counts.addToTotal(1)
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
    /** Counts a connection to come for its client; true where that has more now than it may have. */
    countOneMore: (clientKey: string): boolean => counts.add(clientKey, 1) > connectionsPerAddressMax,
    end,
    endOneOf,
    /** Ends a number of connections of this thread near the limit of all; returns how many. */
    makeRoom(): number {
      const all = counts.total()
      if (all + 1 <= connectionsMax * CROWDED_SHARE || all < rescanAt) return 0
      const ownShare = bySocket.size / Math.max(1, all)
      const ended = inShedOrder([...bySocket.values()]).slice(0, Math.ceil(connectionsMax * SHED_SHARE * ownShare))
      for (const one of ended) end(one, 'crowded')
      rescanAt = ended.length > 0 ? 0 : counts.total() + Math.ceil(connectionsMax * RESCAN_SHARE)
      return ended.length
    },
  }
}

/** Of the connections of one client, the oldest of those to end first; undefined where all are being served. */
function oldestToShed(connections: Iterable<Connection>): Connection | undefined {
  let idle: Connection | undefined
  let unread: Connection | undefined
  for (const connection of connections) {
    const state = stateOf(connection)
    if (state === 'incomplete') return connection
    if (state === 'idle') idle ??= connection
    else if (state === 'unread') unread ??= connection
  }
  return idle ?? unread
}

/** All that may be ended, the first to go first: the client with the most incomplete ones, and its oldest. */
function inShedOrder(oldestFirst: readonly Connection[]): readonly Connection[] {
  const newer = new Map<string, number>()
  return oldestFirst
    .toReversed()
    .flatMap((connection) => {
      const state = stateOf(connection)
      if (state === 'busy') return []
      const { clientKey } = connection
      // How many newer ones of its client are incomplete too: the client with the most has the highest.
      const depth = state === 'incomplete' && clientKey !== undefined ? (newer.get(clientKey) ?? 0) : 0
      if (state === 'incomplete' && clientKey !== undefined) newer.set(clientKey, depth + 1)
      return [{ connection, order: SHED_ORDER[state], depth }]
    })
    .toReversed()
    .sort((a, b) => a.order - b.order || b.depth - a.depth || a.connection.idleSinceCheck - b.connection.idleSinceCheck)
    .map(({ connection }) => connection)
}
