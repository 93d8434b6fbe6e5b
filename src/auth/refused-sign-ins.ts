/**
 * Records refused sign-ins that take no secret to send, such as a wrong set-up token. They are bounded in memory first, by
 * the limits of the audit trail: past those, a stranger causes no transaction.
 */
import type { Clock } from '../base/clock.ts'
import { MINUTE_MS } from '../base/duration.ts'
import type { Log } from '../base/log.ts'
import type { Visitor } from '../store/actor.ts'
import { createAuditBounds } from '../store/audit/audit-bounds.ts'
import type { Writable } from '../store/writes/writer.ts'

/** Peers that the log names within the time: a peer that is a proxy is one of few. */
const PEERS_MAX = 10
const WARNED_MS = 60 * MINUTE_MS

export type RefusedSignIns = ReturnType<typeof createRefusedSignIns>

export function createRefusedSignIns({ store, now, log }: { readonly store: Writable; readonly now: Clock; readonly log: Log }) {
  const bounds = createAuditBounds(() => {})
  let [peers, warnedSince] = [new Set<string>(), Number.NEGATIVE_INFINITY]

  /** Adds a record, with the number of those that were left out since the last one. */
  async function record(visitor: Visitor, reason: string): Promise<void> {
    if (!bounds.admits('sign-in.failed', { role: 'stranger', actor: '', clientAddress: visitor.origin.clientAddress }, now())) return
    const left = [...bounds.take().values()].reduce((sum, n) => sum + n, 0)
    const details = [{ name: 'reason', value: reason }, ...(left === 0 ? [] : [{ name: 'unrecorded', value: String(left) }])]
    await store.as(visitor).record({ event: 'sign-in.failed', details })
  }

  return {
    record,
    /** The header that names a user came from a peer that is not trusted: a stranger, or a proxy that a setting lacks. */
    async recordUntrusted(visitor: Visitor, header: string): Promise<void> {
      if (now() - warnedSince >= WARNED_MS) [peers, warnedSince] = [new Set(), now()]
      const peer = visitor.origin.clientAddress
      if (!peers.has(peer) && peers.size < PEERS_MAX) {
        peers.add(peer)
        log.warn('proxy.untrusted', { peer, header, remedy: `if this is your proxy, add ${peer} to --trusted-proxies` })
      }
      await record(visitor, 'proxy untrusted')
    },
  }
}
