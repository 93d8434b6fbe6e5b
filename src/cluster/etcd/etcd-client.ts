/**
 * A client of etcd: keys, transactions, watches, leases, and facts about the servers (API of etcd 3.4,
 * https://etcd.io/docs/v3.4/dev-guide/api_reference_v3/). All methods reject with an EtcdError.
 */
import type { EtcdTarget } from '../etcd-target.ts'
import type { Chance } from './endpoint-order.ts'
import { createEtcdChannel } from './etcd-channel.ts'
import { EtcdError } from './etcd-error.ts'
import {
  rangeRequest,
  rangeResponse,
  transactionRequest,
  transactionResponse,
  type KeyRange,
  type RangeOptions,
  type Transaction,
} from './etcd-messages.ts'
import { watchRange, type Watcher } from './etcd-watch.ts'
import { protoMessage, type ProtoFields, type ProtoMessage } from './protobuf.ts'

export interface ServerStatus {
  readonly version: string
  /** The size of its database file, and how much of that is in use: the rest is given back by `etcdctl defrag`. */
  readonly dbBytes: number
  readonly dbBytesInUse: number
  readonly member: bigint
  /** 0 where it knows no leader. */
  readonly leader: bigint
  readonly raftTerm: number
  /** Alarms and troubles, in its own words. */
  readonly errors: readonly string[]
}

export interface Member {
  readonly id: bigint
  readonly name: string
  readonly clientUrls: readonly string[]
}

export interface Alarm {
  readonly member: bigint
  readonly kind: 'NOSPACE' | 'CORRUPT' | 'unknown'
}

/** Connects with the first call. `target` is checked by readEtcdTarget(). */
export function connectEtcd(target: EtcdTarget, chance: Chance) {
  const channel = createEtcdChannel(target, chance)
  const call = <T>(
    method: string,
    message: ProtoMessage,
    read: (response: ProtoFields) => T,
    { isRepeatable = true } = {},
  ): Promise<T> => channel.call({ path: `/etcdserverpb.${method}`, message, read, isRepeatable })
  return {
    endpoints: target.endpoints,
    /** The keys of a range and the revision of the store, linearizable unless `isSerializable`. */
    range: (range: KeyRange, options?: RangeOptions) => call('KV/Range', rangeRequest(range, options), rangeResponse),
    /** Carries out `success` where all comparisons hold, else `failure`, in one revision. Never repeated by itself. */
    transact: (transaction: Transaction) =>
      call('KV/Txn', transactionRequest(transaction), transactionResponse, { isRepeatable: false }),
    /**
     * Removes what was overwritten or deleted before a revision; the pages of its files keep it until they are used again,
     * or until defragmentAt(). A revision that is compacted already is no error.
     */
    async compact(revision: number): Promise<void> {
      try {
        await call('KV/Compact', protoMessage([1, revision]), nothing)
      } catch (error) {
        if (!(error instanceof EtcdError && error.message.includes('has been compacted'))) throw error
      }
    },
    /** Delivers changes from a revision on, until stop(). */
    watch: (range: KeyRange, start: number, watcher: Watcher) => watchRange(channel, range, start, watcher),
    /** Makes a lease that ends by itself where it is not kept alive. */
    grantLease: (ttlSeconds: number): Promise<bigint> =>
      call('Lease/LeaseGrant', protoMessage([1, ttlSeconds]), (lease) => lease.id(2)),
    /** Begins the time of a lease again; false where it has ended. A stream of one request, which any server takes. */
    keepLeaseAlive: (id: bigint): Promise<boolean> =>
      call('Lease/LeaseKeepAlive', protoMessage([1, id]), (lease) => lease.number(3) > 0),
    /** Ends a lease, with all its keys. One that has ended is no error. */
    async revokeLease(id: bigint): Promise<void> {
      try {
        await call('Lease/LeaseRevoke', protoMessage([1, id]), nothing)
      } catch (error) {
        if (!(error instanceof EtcdError && error.code === 'notFound')) throw error
      }
    },
    /** How one server is; it answers without a leader as well. */
    statusAt: (url: string): Promise<ServerStatus> =>
      channel.callAt(url, { path: '/etcdserverpb.Maintenance/Status', message: protoMessage(), read: serverStatus }),
    /** Rewrites the database of one server, without what was compacted. Meanwhile this server does not answer. */
    defragmentAt: (url: string): Promise<void> =>
      channel.callAt(url, { path: '/etcdserverpb.Maintenance/Defragment', message: protoMessage(), read: nothing, deadlineMs: DEFRAGMENT_MS }),
    members: (): Promise<readonly Member[]> =>
      call('Cluster/MemberList', protoMessage(), (list) => list.messages(2).map(member)),
    alarms: (): Promise<readonly Alarm[]> =>
      call('Maintenance/Alarm', protoMessage(), (list) => list.messages(2).map(alarm)),
    /** Sends a read of exactly this length in bytes, at least 1 MiB, to learn whether the server takes it. */
    async probe(length: number): Promise<void> {
      const padded = (bytes: number): ProtoMessage =>
        protoMessage([1, `${target.prefix}probe`], [PADDING_FIELD, Buffer.alloc(bytes)])
      await call('KV/Range', padded(2 * length - padded(length).length), nothing)
    },
    close: (): void => channel.close(),
  }
}

/** A database of some GiB takes tens of seconds. */
const DEFRAGMENT_MS = 5 * 60_000

function nothing(): void {}

function serverStatus(status: ProtoFields): ServerStatus {
  return {
    version: status.text(2),
    dbBytes: status.number(3),
    dbBytesInUse: status.number(9),
    member: status.message(1).id(2),
    leader: status.id(4),
    raftTerm: status.number(6),
    errors: status.texts(8),
  }
}

function member(fields: ProtoFields): Member {
  return { id: fields.id(1), name: fields.text(2), clientUrls: fields.texts(4) }
}

function alarm(fields: ProtoFields): Alarm {
  return { member: fields.id(1), kind: ALARMS[fields.number(2)] ?? 'unknown' }
}

export type Etcd = ReturnType<typeof connectEtcd>

const ALARMS: Readonly<Record<number, Alarm['kind']>> = { 1: 'NOSPACE', 2: 'CORRUPT' }
/** A field that RangeRequest does not have, which a protobuf parser skips. */
const PADDING_FIELD = 1_000
