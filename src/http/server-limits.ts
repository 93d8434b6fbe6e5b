/** The limits of the server: bytes, time, and the number of connections. */
import type { BodyMemoryLimits } from './body-limits.ts'

export interface ServerLimits extends BodyMemoryLimits {
  readonly bodyBytesMax: number
  /** Request line and headers together. */
  readonly headerBytesMax: number
  /** Of all headers together that have not arrived completely. Past it, the connections of the longest are ended. */
  readonly headsBytesMax: number
  /** From the first byte, or from the start of the connection, to the end of the headers. Of TLS also the handshake. */
  readonly headersMs: number
  /** The same to the end of the body. */
  readonly requestMs: number
  /** How long a body may take that a handler marks as short, such as an e-mail address and a code. */
  readonly shortBodyMs: number
  /** How long the server waits for the rest of a body that no handler reads after the response. */
  readonly lingerMs: number
  /** How long a connection may wait for its next request: longer than a proxy keeps one open, which is 60 s of most. */
  readonly keepAliveMs: number
  /** How long a client may read nothing of its response, which takes memory meanwhile. */
  readonly idleMs: number
  /** Of all responses that clients have not read. Past it, the connections that hold most are ended. */
  readonly heldBytesMax: number
  /** How often idle connections and the two time-outs of requests are checked. */
  readonly checkMs: number
  /** How long close() lets running requests finish. */
  readonly closeMs: number
  readonly connectionsMax: number
  /** Of one client address, an IPv6 /64 being one. */
  readonly connectionsPerAddressMax: number
}

/** Callers with bodies, and clients with connections, that are counted: more than there are connections. */
export const COUNTED_CLIENTS_MAX = 16_384

const MIB = 1024 * 1024

export const SERVER_LIMITS: ServerLimits = {
  bodyBytesMax: 2 * MIB,
  bodiesBytesMax: 64 * MIB,
  bodiesReserveBytes: 16 * MIB,
  bodiesPerCallerBytesMax: 8 * MIB,
  headerBytesMax: 64 * 1024,
  headsBytesMax: 64 * MIB,
  headersMs: 15_000,
  requestMs: 30_000,
  shortBodyMs: 5_000,
  lingerMs: 5_000,
  keepAliveMs: 75_000,
  idleMs: 120_000,
  heldBytesMax: 256 * MIB,
  checkMs: 1_000,
  closeMs: 10_000,
  connectionsMax: 10_000,
  connectionsPerAddressMax: 512,
}
