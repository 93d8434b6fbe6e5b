/**
 * The nodes of a site, in etcd: what each is, how far it has come, and when it was heard last.
 *
 * A node writes its record, sealed, as it moves on, and reads those of the others. Records stay when a node dies, as it
 * may come back and needs its part of the log; `cluster remove` takes one out. Beside it, a key under a lease says that
 * the node lives: a second process with the same identity, as after copying a data directory, cannot have it.
 */
import { isoDate } from '../base/dates.ts'
import { openValue, sealValue } from './cluster-keys.ts'
import type { Etcd } from './etcd/etcd-client.ts'
import { keysBelow, type KeyValue } from './etcd/etcd-messages.ts'

/** What a node says of itself. */
export interface NodeRecord {
  readonly node: string
  /** Where the other nodes reach it; undefined where it offers no snapshots. */
  readonly url: string | undefined
  readonly version: string
  /** The newest schema that its program knows; undefined from a program that does not say. */
  readonly schema?: number
  readonly position: number
  /** The position that a power cut cannot set it back behind. */
  readonly durable: number
  readonly state: string
  /** Its clock, in milliseconds since the epoch. */
  readonly time: number
  readonly startedAt: number
  /** Its last snapshot that is whole; undefined where it has none. */
  readonly snapshot: { readonly position: number; readonly at: number } | undefined
}

/** The state of a node from its join until its first start. */
export const JOINED = 'joined'

export interface KnownNode extends NodeRecord {
  readonly isAlive: boolean
}

/** `is silent since …`, of a node that does not live. */
export function silenceOf({ state, time }: Pick<NodeRecord, 'state' | 'time'>): string {
  return state === JOINED ? `joined at ${isoDate(time)} and has not started` : `is silent since ${isoDate(time)}`
}

/** What is to be done about it. */
export const SAME_SECRETS = 'copy the file "secrets" of another node, or give all nodes the same DATELINE_JWT_SECRET'

export interface KnownNodes {
  readonly nodes: readonly KnownNode[]
  /** The ids of those that live, and seal with other secrets: their records cannot be read. */
  readonly strangers: readonly string[]
}

export interface MembershipOptions {
  readonly etcd: Pick<Etcd, 'range' | 'transact'>
  readonly prefix: string
  readonly sealKey: Buffer
}

export type Membership = ReturnType<typeof createMembership>

export function createMembership({ etcd, prefix, sealKey }: MembershipOptions) {
  const nodeKey = (node: string): string => `${prefix}nodes/${node}`
  const hasRecord = (node: string, pairs: readonly KeyValue[]): boolean =>
    pairs.some(({ key }) => key.toString() === nodeKey(node))
  const aliveKey = (node: string): string => `${prefix}alive/${node}`
  return {
    /** Takes the identity of a node for a lease; false where another process lives with it. */
    async claim(node: string, lease: bigint): Promise<boolean> {
      const put = { key: aliveKey(node), value: Buffer.from(node), lease }
      const created = await etcd.transact({
        compare: [{ key: aliveKey(node), createRevision: 0 }],
        success: [{ kind: 'put', put }],
      })
      return created.hasSucceeded
    },
    async write(record: NodeRecord): Promise<void> {
      const put = { key: nodeKey(record.node), value: sealValue(sealKey, nodeKey(record.node), record) }
      await etcd.transact({ compare: [], success: [{ kind: 'put', put }] })
    },
    /** All nodes, in the order of their ids. */
    async list(): Promise<KnownNodes> {
      const records = await etcd.range(keysBelow(`${prefix}nodes/`))
      const alive = await etcd.range(keysBelow(`${prefix}alive/`))
      const living = new Set(alive.pairs.map(({ value }) => value.toString()))
      const nodes = records.pairs.flatMap(({ key, value }) => {
        const record = openValue(sealKey, key.toString(), value) as NodeRecord | undefined
        return record === undefined ? [] : [{ ...record, isAlive: living.has(record.node) }]
      })
      const known = new Set(nodes.map(({ node }) => node))
      return { nodes, strangers: [...living].filter((node) => !known.has(node) && hasRecord(node, records.pairs)) }
    },
    /** Takes a node out, so that the log need not wait for it. */
    async remove(node: string): Promise<void> {
      const keys = [nodeKey(node), aliveKey(node)]
      await etcd.transact({ compare: [], success: keys.map((key) => ({ kind: 'delete', range: { key } })) })
    },
  }
}

/**
 * By how much the clock of another node differs at least, in milliseconds: its record was written after `since` and not
 * after `now`, by our clock.
 */
export function clockDifference(
  time: number,
  { since, now }: { readonly since: number; readonly now: number },
): number {
  return time < since ? time - since : Math.max(0, time - now)
}
