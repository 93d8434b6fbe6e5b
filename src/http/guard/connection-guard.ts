/** Which connections are accepted and which end: the limits on connections together, and the log about them. */
import type { Socket } from 'node:net'
import type { Log } from '../../base/log.ts'
import { limitKey } from '../request/client-address.ts'
import { createConnection } from '../server/connection.ts'
import type { ServerLimits } from '../server/server-limits.ts'
import { createConnectionMemory } from './connection-memory.ts'
import { createConnectionTable } from './connection-table.ts'
import { createIdleTimeout } from './idle-timeout.ts'
import { createTlsHandshakes } from './tls-handshakes.ts'

/** The address of the other end. */
export interface Peer {
  readonly address: string
  /** Brings the connections of many clients, as a trusted proxy does: they are not counted for it. */
  readonly isProxy: boolean
}

export type ConnectionGuard = ReturnType<typeof createConnectionGuard>

export function createConnectionGuard(limits: ServerLimits, peerOf: (socket: Socket) => Peer, log: Log) {
  const table = createConnectionTable(limits)
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

  return {
    table,
    /** The number of the latest check, for connections that become idle. */
    get checks() {
      return idle.checks
    },
    /** Takes a connection that was just accepted, or ends it where its client has its number of them in use. */
    admit(socket: Socket, { inHandshake }: { readonly inHandshake: boolean }): void {
      const { address, isProxy } = peerOf(socket)
      const clientKey = isProxy ? undefined : limitKey(address)
      const ended = clientKey === undefined ? 0 : table.makeRoomOf(clientKey)
      if (ended !== 0 && isNewlyAtLimit()) {
        log.warn('connections.address_limit', { client: address, max: limits.connectionsPerAddressMax })
      }
      if (ended === undefined) {
        table.countShed('address_refused', 1)
        socket.destroy()
        return
      }
      const crowded = table.makeRoom()
      if (crowded > 0 && isNewlyCrowded()) {
        log.info('connections.crowded', { ended: crowded, max: limits.connectionsMax })
      }
      const connection = createConnection(socket, { peer: address, clientKey, inHandshake, check: idle.checks })
      table.add(connection)
      if (inHandshake) handshakes.begin(connection)
    },
    /** The TLS handshake of a connection is over. */
    secured(socket: Socket): void {
      const connection = handshakes.end(socket)
      if (connection === undefined || table.get(connection.socket) !== connection) socket.destroy()
      else table.move(connection, socket)
    },
    /** Node has ended a connection past the limit of all. */
    dropped(): void {
      table.countShed('full', 1)
      if (isNewlyFull()) log.warn('connections.full', { max: limits.connectionsMax })
    },
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
