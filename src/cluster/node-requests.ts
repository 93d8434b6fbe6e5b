/**
 * Requests between the nodes of a site: who sends one is proved by an HMAC under a key that only its nodes have.
 *
 *     Authorization: Dateline-Node NODE.SECONDS.NONCE.MAC
 *
 * The MAC covers method, path and the node that is asked, so that a signed request is good for nothing else, and the
 * time, so that it is good for a minute; within that, the nonce is good once. A path may name the hash of the body, and the
 * run of the node that is asked, which has forgotten nonces when it was started again: see writesPath(). Nodes talk
 * over TLS, or over loopback, where no other machine listens.
 *
 * A nonce is a random name of the process that signs, and the number of the request. So what is remembered of a process
 * is bounded whatever it sends: its newest number, and which ones close behind it were seen (as in RFC 4303, section 3.4.3).
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { isSame, signature } from './cluster-keys.ts'

/** Clocks of nodes may differ by a few seconds. */
const VALID_SECONDS = 60
const SIGNED = /^Dateline-Node ([0-9a-f]{16})\.(\d{10})\.([\w-]{19})\.([\w-]{43})$/

const PROCESS_BYTES = 8
const NUMBER_BYTES = 6
/** How far behind the newest request of its process one may arrive: more than are in flight between two nodes. */
const WINDOW = 1_024
/** Processes of nodes only, as a stranger has no MAC: a service, and commands. */
const PROCESSES_MAX = 1_000

const ownName = randomBytes(PROCESS_BYTES)
let ownNumber = 0

function newNonce(): string {
  const nonce = Buffer.alloc(PROCESS_BYTES + NUMBER_BYTES)
  ownName.copy(nonce)
  nonce.writeUIntBE(++ownNumber, PROCESS_BYTES, NUMBER_BYTES)
  return nonce.toString('base64url')
}

export interface NodeRequest {
  readonly method: string
  readonly path: string
  /** The node that is asked. */
  readonly to: string
}

/** The value of the header Authorization. */
export function signRequest(key: Buffer, { method, path, to }: NodeRequest, node: string, now: number): string {
  const seconds = String(Math.floor(now / 1000))
  const nonce = newNonce()
  const mac = signature(key, method, path, to, node, seconds, nonce).toString('base64url')
  return `Dateline-Node ${node}.${seconds}.${nonce}.${mac}`
}

/**
 * Returns the function that verifies the header of a request to this node: the node that signed it; undefined for any
 * other header, and for one that was seen before.
 */
export function createSignerCheck(key: Buffer, now: Clock) {
  const processes = new Map<string, { newest: number; readonly seen: Set<number>; until: number }>()
  const forget = (): void => {
    for (const [name, { until }] of processes) if (until < now() / 1000) processes.delete(name)
  }
  const isNew = (nonce: string): boolean => {
    const bytes = Buffer.from(nonce, 'base64url')
    const name = bytes.toString('hex', 0, PROCESS_BYTES)
    const number = bytes.readUIntBE(PROCESS_BYTES, NUMBER_BYTES)
    const until = now() / 1000 + 2 * VALID_SECONDS
    const known = processes.get(name)
    if (known === undefined) {
      forget()
      if (processes.size >= PROCESSES_MAX) return false
      processes.set(name, { newest: number, seen: new Set([number]), until })
      return true
    }
    if (number <= known.newest - WINDOW || known.seen.has(number)) return false
    known.seen.add(number)
    known.newest = Math.max(known.newest, number)
    known.until = until
    if (known.seen.size > 2 * WINDOW) for (const old of known.seen) if (old <= known.newest - WINDOW) known.seen.delete(old)
    return true
  }
  return (request: NodeRequest, authorization: string | undefined): string | undefined => {
    const signed = readSigned({ key, now }, request, authorization)
    return signed !== undefined && isNew(signed.nonce) ? signed.node : undefined
  }
}

export interface SignatureOptions {
  readonly key: Buffer
  readonly now: Clock
}

/** The node that signed a request and its nonce, whether that was seen before or not; undefined for any other header. */
export function readSigned({ key, now }: SignatureOptions, { method, path, to }: NodeRequest, authorization: string | undefined) {
  const [, node, seconds, nonce, mac] = SIGNED.exec(authorization ?? '') ?? []
  if (node === undefined || seconds === undefined || nonce === undefined || mac === undefined) return undefined
  const wanted = signature(key, method, path, to, node, seconds, nonce)
  if (!isSame(wanted, Buffer.from(mac, 'base64url'))) return undefined
  return Math.abs(now() / 1000 - Number(seconds)) > VALID_SECONDS ? undefined : { node, nonce }
}
