/**
 * All connections, and which of them end so that a new client is served.
 *
 * A connection costs its client nothing while the server waits for it, so such connections are ended for new ones:
 * first those whose request is incomplete, then those between two requests, then those that do not take their response.
 * One that is being served is never ended. An address has a number of connections; at that limit it makes room among
 * its own. Near the limit of all, the address with the most incomplete ones goes first, and the oldest of an address.
 */
import type { Socket } from 'node:net'
import { limitKey } from '../request/client-address.ts'
import { newConnection, stateOf, type Connection } from '../server/connection.ts'

/** With more than this share of all connections in use, some are ended. */
const CROWDED_SHARE = 0.9
/** How many of all are ended then. */
const SHED_SHARE = 0.1
/** Where none could be ended, so many more may come before all are looked at again. */
const RESCAN_SHARE = 0.01

const SHED_ORDER = { incomplete: 0, idle: 1, unread: 2 } as const

/** Why a connection was ended or refused, as `/metrics` counts it. */
export type ShedReason = 'crowded' | 'address_limit' | 'address_refused' | 'full' | 'unread_responses' | 'long_headers'

export interface ConnectionTableOptions {
  readonly connectionsMax: number
  readonly connectionsPerAddressMax: number
  /** The address of the other end, as clientAddress() writes it; undefined where connections of it are not counted. */
  readonly addressOf: (socket: Socket) => string | undefined
  readonly looks: () => number
}

export interface ConnectionTable {
  readonly size: number
  readonly shed: Readonly<Record<ShedReason, number>>
  /** By the socket that requests come from. */
  get(socket: Socket): Connection | undefined
  all(): readonly Connection[]
  /** Takes a connection that was just accepted, after making room for it. */
  add(socket: Socket, options: { readonly inHandshake: boolean }): Admission
  /** The handshake is over: requests will come from another socket. */
  secured(socket: Socket): void
  countShed(reason: ShedReason, connections: number): void
}

export interface Admission {
  /** False where its address has too many connections that are being served. The caller ends it. */
  readonly isTaken: boolean
  /** How many were ended for it: of its own address, and of all. */
  readonly endedOfAddress: number
  readonly endedOfAll: number
}

export function createConnectionTable(options: ConnectionTableOptions): ConnectionTable {
  const { connectionsMax, connectionsPerAddressMax, addressOf, looks } = options
  const connections = new Map<Socket, Connection>()
  const byAddress = new Map<string, Set<Connection>>()
  // By their other end: the socket of a request is another object than the one that its handshake began with.
  const handshakes = new Map<string, Connection>()
  const shed = { crowded: 0, address_limit: 0, address_refused: 0, full: 0, unread_responses: 0, long_headers: 0 }
  let rescanAt = 0

  function remove(connection: Connection): void {
    connections.delete(connection.socket)
    if (connection.address === undefined) return
    const others = byAddress.get(connection.address)
    others?.delete(connection)
    if (others?.size === 0) byAddress.delete(connection.address)
  }

  function end(connection: Connection, reason: ShedReason): void {
    shed[reason]++
    remove(connection)
    connection.socket.destroy()
  }

  /** Ends one connection of an address that has its number; gives how many, or undefined where all are being served. */
  function makeRoomFor(address: string | undefined): number | undefined {
    const own = address === undefined ? undefined : byAddress.get(address)
    if (own === undefined || own.size < connectionsPerAddressMax) return 0
    const oldest = oldestToShed(own)
    if (oldest === undefined) return undefined
    end(oldest, 'address_limit')
    return 1
  }

  function makeRoomForAny(): number {
    if (connections.size + 1 <= connectionsMax * CROWDED_SHARE || connections.size < rescanAt) return 0
    const ended = inShedOrder([...connections.values()]).slice(0, Math.ceil(connectionsMax * SHED_SHARE))
    for (const one of ended) end(one, 'crowded')
    rescanAt = ended.length > 0 ? 0 : connections.size + Math.ceil(connectionsMax * RESCAN_SHARE)
    return ended.length
  }

  return {
    get size() {
      return connections.size
    },
    shed,
    get: (socket) => connections.get(socket),
    all: () => [...connections.values()],
    add(socket, { inHandshake }) {
      const client = addressOf(socket)
      const address = client === undefined ? undefined : limitKey(client)
      const endedOfAddress = makeRoomFor(address)
      if (endedOfAddress === undefined) {
        shed.address_refused++
        return { isTaken: false, endedOfAddress: 0, endedOfAll: 0 }
      }
      const endedOfAll = makeRoomForAny()
      const connection = newConnection(socket, { address, inHandshake, waitsSince: looks() })
      connections.set(socket, connection)
      socket.once('close', () => remove(connection))
      if (address !== undefined) {
        const others = byAddress.get(address)
        if (others === undefined) byAddress.set(address, new Set([connection]))
        else others.add(connection)
      }
      if (inHandshake) {
        const peer = peerOf(socket)
        handshakes.set(peer, connection)
        socket.once('close', () => {
          if (handshakes.get(peer) === connection) handshakes.delete(peer)
        })
      }
      return { isTaken: true, endedOfAddress, endedOfAll }
    },
    secured(socket) {
      const peer = peerOf(socket)
      const connection = handshakes.get(peer)
      if (connection === undefined || connections.get(connection.socket) !== connection) {
        socket.destroy()
        return
      }
      handshakes.delete(peer)
      connections.delete(connection.socket)
      connection.socket = socket
      connection.inHandshake = false
      connections.set(socket, connection)
      socket.once('close', () => remove(connection))
    },
    countShed(reason, count) {
      shed[reason] += count
    },
  }
}

function oldestToShed(own: Iterable<Connection>): Connection | undefined {
  let idle: Connection | undefined
  let unread: Connection | undefined
  for (const connection of own) {
    const state = stateOf(connection)
    if (state === 'incomplete') return connection
    if (state === 'idle') idle ??= connection
    else if (state === 'unread') unread ??= connection
  }
  return idle ?? unread
}

/** Those that may be ended, the first to go first. */
function inShedOrder(oldestFirst: readonly Connection[]): readonly Connection[] {
  const newer = new Map<string, number>()
  return oldestFirst
    .toReversed()
    .flatMap((connection) => {
      const state = stateOf(connection)
      if (state === 'busy') return []
      const { address } = connection
      // How many newer ones of its address are incomplete too: the address with the most has the highest.
      const depth = state === 'incomplete' && address !== undefined ? (newer.get(address) ?? 0) : 0
      if (state === 'incomplete' && address !== undefined) newer.set(address, depth + 1)
      return [{ connection, order: SHED_ORDER[state], depth }]
    })
    .toReversed()
    .sort((a, b) => a.order - b.order || b.depth - a.depth || a.connection.waitsSince - b.connection.waitsSince)
    .map(({ connection }) => connection)
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''}`
}
