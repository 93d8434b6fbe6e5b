/**
 * Small values below the prefix of a site: who is a member, which snapshots there are. They have no history that is
 * read.
 */
import type { Etcd } from './etcd-client.ts'
import { keysBelow } from './etcd-messages.ts'

/** Maximum keys of a listing. A site has a few nodes, each with a few keys. */
const LIST_MAX = 1_000

export interface LeaseOption {
  /** The key goes with this lease. */
  readonly lease?: bigint
}

/** Names are relative to the prefix: `nodes/ID`. All methods reject with an EtcdError. */
export function createEtcdKeys({ etcd, prefix }: { readonly etcd: Etcd; readonly prefix: string }) {
  const put = (name: string, value: Uint8Array, { lease }: LeaseOption) => ({ key: `${prefix}${name}`, value, lease })
  return {
    /** The value, linearizable; undefined where there is none. */
    async get(name: string): Promise<Buffer | undefined> {
      const { pairs } = await etcd.range({ key: `${prefix}${name}` })
      return pairs[0]?.value
    },
    /** Names and values that begin with `folder`, by name; at most 1,000. The names are relative to the prefix. */
    async list(folder: string): Promise<ReadonlyMap<string, Buffer>> {
      const { pairs } = await etcd.range(keysBelow(`${prefix}${folder}`), { limit: LIST_MAX })
      return new Map(pairs.map(({ key, value }) => [key.toString().slice(prefix.length), value]))
    },
    async put(name: string, value: Uint8Array, options: LeaseOption = {}): Promise<void> {
      await etcd.transact({ compare: [], success: [{ kind: 'put', put: put(name, value, options) }] })
    },
    /**
     * Writes a key that is missing; false where another value is there. One with the same value counts as written:
     * after a lost response, the caller may try again with the same random value.
     */
    async create(name: string, value: Uint8Array, options: LeaseOption = {}): Promise<boolean> {
      const key = `${prefix}${name}`
      const { hasSucceeded, ranges } = await etcd.transact({
        compare: [{ key, createRevision: 0 }],
        success: [{ kind: 'put', put: put(name, value, options) }],
        failure: [{ kind: 'range', range: { key } }],
      })
      return hasSucceeded || ranges[0]?.[0]?.value.equals(value) === true
    },
    /** Removes a key; false where it was missing. Of two that race, one gets true. */
    async remove(name: string): Promise<boolean> {
      const key = `${prefix}${name}`
      const { hasSucceeded } = await etcd.transact({
        compare: [{ key, createRevision: 0 }],
        success: [],
        failure: [{ kind: 'delete', range: { key } }],
      })
      return !hasSucceeded
    },
  }
}


export type EtcdKeys = ReturnType<typeof createEtcdKeys>
