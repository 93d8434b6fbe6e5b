/**
 * Requests between the nodes of a site: who sends one is proved by an HMAC under a key that only its nodes have.
 *
 *     Authorization: Dateline-Node NODE.SECONDS.NONCE.MAC
 *
 * The MAC covers method, path and the node that is asked, so that a signed request is good for nothing else, and the
 * time, so that it is good for a minute; within that, the nonce is good once. A node that was started again meanwhile
 * has forgotten nonces. Nodes talk over TLS, or over loopback, where no other machine listens.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { isSame, signature } from './cluster-keys.ts'

/** Clocks of nodes may differ by a few seconds. */
const VALID_SECONDS = 60
const SIGNED = /^Dateline-Node ([0-9a-f]{16})\.(\d{10})\.([\w-]{22})\.([\w-]{43})$/

/** Nonces are remembered of nodes only, as a stranger has no MAC. */
const NONCES_MAX = 10_000

export interface NodeRequest {
  readonly method: string
  readonly path: string
  /** The node that is asked. */
  readonly to: string
}

/** The value of the header Authorization. */
export function signRequest(key: Buffer, { method, path, to }: NodeRequest, node: string, now: number): string {
  const seconds = String(Math.floor(now / 1000))
  const nonce = randomBytes(16).toString('base64url')
  const mac = signature(key, method, path, to, node, seconds, nonce).toString('base64url')
  return `Dateline-Node ${node}.${seconds}.${nonce}.${mac}`
}

/**
 * Returns the function that verifies the header of a request to this node: the node that signed it; undefined for any
 * other header, and for one that was seen before.
 */
export function createSignerCheck(key: Buffer, now: Clock) {
  /** When each may be forgotten, in seconds, the oldest first. */
  const seen = new Map<string, number>()
  const isNew = (nonce: string): boolean => {
    for (const [old, until] of seen) {
      if (until >= now() / 1000 && seen.size < NONCES_MAX) break
      seen.delete(old)
    }
    if (seen.has(nonce)) return false
    seen.set(nonce, now() / 1000 + 2 * VALID_SECONDS)
    return true
  }
  return ({ method, path, to }: NodeRequest, authorization: string | undefined): string | undefined => {
    const [, node, seconds, nonce, mac] = SIGNED.exec(authorization ?? '') ?? []
    if (node === undefined || seconds === undefined || nonce === undefined || mac === undefined) return undefined
    const wanted = signature(key, method, path, to, node, seconds, nonce)
    if (!isSame(wanted, Buffer.from(mac, 'base64url'))) return undefined
    if (Math.abs(now() / 1000 - Number(seconds)) > VALID_SECONDS) return undefined
    return isNew(nonce) ? node : undefined
  }
}
