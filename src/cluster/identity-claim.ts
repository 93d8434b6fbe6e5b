/**
 * Taking the identity of a node before it serves, under the lease that its heartbeat then keeps alive. After a crash the
 * lease of the process before lasts a few seconds more, which are waited for; one that goes on is that of another process,
 * such as on a copy of the data directory.
 */
import { pause } from '../base/pause.ts'
import type { Etcd } from './etcd/etcd-client.ts'
import type { Membership } from './membership.ts'

/** A node that does not renew it is silent. */
export const LEASE_SECONDS = 3
/** An etcd server that becomes the leader gives each lease its whole time again. */
export const CLAIM_MS_MAX = 3 * LEASE_SECONDS * 1000
const RETRY_MS = 250

export interface IdentityClaim {
  readonly etcd: Pick<Etcd, 'grantLease' | 'revokeLease'>
  readonly membership: Pick<Membership, 'claim'>
  readonly node: string
}

/** The lease under which the identity is held; undefined where another process holds it. Rejects with EtcdError. */
export async function claimOnce({ etcd, membership, node }: IdentityClaim): Promise<bigint | undefined> {
  const lease = await etcd.grantLease(LEASE_SECONDS)
  if (await membership.claim(node, lease)) return lease
  await etcd.revokeLease(lease)
  return undefined
}

/** The same, once the lease of a process that has ended is over. */
export async function claimIdentity(claim: IdentityClaim, retries = CLAIM_MS_MAX / RETRY_MS): Promise<bigint | undefined> {
  const lease = await claimOnce(claim)
  if (lease !== undefined || retries === 0) return lease
  await pause(RETRY_MS)
  return claimIdentity(claim, retries - 1)
}

/** `directory` is that of the process that came second. */
export function takenText(node: string, directory: string): string {
  return (
    `Cannot serve as node ${node}: another process does, so that "${directory}" is a copy of its data directory: stop the other one, ` +
    'or make this machine a node of its own: move the directory away, and run "dateline cluster join" with an empty one'
  )
}
