/**
 * Tokens with which a machine becomes a node: each works once, for a bounded time. It gives the keys of the site away,
 * so only a member can make one, etcd has only its hash, and a lease removes it there.
 */
import { createHash, randomBytes } from 'node:crypto'
import { MINUTE_MS } from '../base/duration.ts'
import { isSame } from './cluster-keys.ts'
import type { Etcd } from './etcd/etcd-client.ts'

export const TOKEN_MINUTES_MAX = 24 * 60

const TOKENS_MAX = 20
const ID_BYTES = 8
const SECRET_BYTES = 32
const TOKEN = /^dlj-([0-9a-f]{16})-([\w-]{43})$/

export type JoinTokens = ReturnType<typeof createJoinTokens>

export function createJoinTokens(etcd: Pick<Etcd, 'range' | 'transact' | 'grantLease'>, prefix: string) {
  const keyOf = (id: string): string => `${prefix}tokens/${id}`
  return {
    /** Makes a token. Rejects with EtcdError, and with an Error past 20 tokens that live. */
    async make(minutes: number): Promise<string> {
      const { pairs } = await etcd.range({ key: `${prefix}tokens/`, end: `${prefix}tokens0` }, { limit: TOKENS_MAX })
      if (pairs.length >= TOKENS_MAX) {
        throw new Error(
          `Cannot make another token: ${TOKENS_MAX} have not been used yet; each ends by itself after its time`,
        )
      }
      const [id, secret] = [randomBytes(ID_BYTES).toString('hex'), randomBytes(SECRET_BYTES).toString('base64url')]
      const lease = await etcd.grantLease(Math.ceil((minutes * MINUTE_MS) / 1000))
      const put = { key: keyOf(id), value: hashOf(secret), lease }
      await etcd.transact({ compare: [], success: [{ kind: 'put', put }] })
      return `dlj-${id}-${secret}`
    },
    /** Whether the token holds; it never does again. Of two requests with one token, one gets true. */
    async redeem(token: string): Promise<boolean> {
      const [, id, secret] = TOKEN.exec(token) ?? []
      if (id === undefined || secret === undefined) return false
      const key = keyOf(id)
      const { pairs } = await etcd.range({ key })
      const [pair] = pairs
      // A wrong secret does not use the token up: it would take the id alone to keep a machine out.
      if (pair === undefined || !isSame(pair.value, hashOf(secret))) return false
      const removed = await etcd.transact({
        compare: [{ key, modRevision: pair.modRevision }],
        success: [{ kind: 'delete', range: { key } }],
      })
      return removed.hasSucceeded
    },
  }
}

/** 256 random bits need no slow hash. */
function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
