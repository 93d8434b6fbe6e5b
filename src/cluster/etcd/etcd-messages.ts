/**
 * The messages of etcd's API that we use, by the field numbers of etcd 3.4 (api/etcdserverpb/rpc.proto and
 * api/mvccpb/kv.proto; https://etcd.io/docs/v3.4/learning/api/). Later versions add fields and change none.
 */
import { protoMessage, type ProtoFields, type ProtoMessage } from './protobuf.ts'

export interface KeyValue {
  readonly key: Buffer
  readonly value: Buffer
  /** The revision that created the key; it is a new one after a deletion. */
  readonly createRevision: number
  /** The revision that wrote the value. */
  readonly modRevision: number
  /** How many times the key was written since it was created. */
  readonly version: number
}

export interface KeyRange {
  readonly key: string
  /** The first key behind the range; only the key itself where it is missing. */
  readonly end?: string
}

/** All keys that begin with a prefix: etcd's range up to the prefix with its last byte raised. Prefixes are ASCII. */
export function keysBelow(prefix: string): KeyRange {
  return { key: prefix, end: prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1) }
}

export interface RangeOptions {
  /** The values as they were after a revision. */
  readonly revision?: number
  readonly limit?: number
  /** Answered by one server from what it has, without a leader: fast, and possibly old. */
  readonly isSerializable?: boolean
  /** Keys and revisions only. */
  readonly isKeysOnly?: boolean
}

export function rangeRequest(
  { key, end }: KeyRange,
  { revision, limit, isSerializable, isKeysOnly }: RangeOptions = {},
): ProtoMessage {
  return protoMessage([1, key], [2, end], [3, limit], [4, revision], [7, isSerializable], [8, isKeysOnly])
}

export interface Put {
  readonly key: string
  readonly value: Uint8Array
  /** The key goes with this lease. */
  readonly lease?: bigint | undefined
}

/** An operation of a transaction (RequestOp). */
export type Operation =
  | { readonly kind: 'put'; readonly put: Put }
  | { readonly kind: 'delete'; readonly range: KeyRange }
  | { readonly kind: 'range'; readonly range: KeyRange }

/** A comparison (Compare): equality with the revision that created or wrote a key; 0 where the key must be missing. */
export type Comparison = { readonly key: string } & (
  | { readonly modRevision: number }
  | { readonly createRevision: number }
)

export interface Transaction {
  readonly compare: readonly Comparison[]
  readonly success: readonly Operation[]
  readonly failure?: readonly Operation[]
}

export function transactionRequest({ compare, success, failure = [] }: Transaction): ProtoMessage {
  return protoMessage(
    ...compare.map((one) => [1, comparison(one)] as const),
    ...success.map((one) => [2, operation(one)] as const),
    ...failure.map((one) => [3, operation(one)] as const),
  )
}

const [TARGET_CREATE, TARGET_MOD] = [1, 2]

/** The result is EQUAL, which is 0, the default. */
function comparison(one: Comparison): ProtoMessage {
  return 'modRevision' in one
    ? protoMessage([2, TARGET_MOD], [3, one.key], [6, one.modRevision])
    : protoMessage([2, TARGET_CREATE], [3, one.key], [5, one.createRevision])
}

function operation(one: Operation): ProtoMessage {
  switch (one.kind) {
    case 'range':
      return protoMessage([1, rangeRequest(one.range)])
    case 'put':
      return protoMessage([2, protoMessage([1, one.put.key], [2, one.put.value], [3, one.put.lease])])
    case 'delete':
      return protoMessage([3, protoMessage([1, one.range.key], [2, one.range.end])])
  }
}

export function rangeResponse(response: ProtoFields) {
  return { revision: revisionOf(response), pairs: response.messages(2).map(keyValue) }
}

/** `ranges` has the keys of each operation of the branch that was carried out; none of those that read nothing. */
export function transactionResponse(response: ProtoFields) {
  const ranges = response.messages(3).map((one): readonly KeyValue[] => one.message(1).messages(2).map(keyValue))
  return { hasSucceeded: response.flag(2), revision: revisionOf(response), ranges }
}

/** The revision of the store, in the header. */
function revisionOf(response: ProtoFields): number {
  return response.message(1).number(3)
}

function keyValue(fields: ProtoFields): KeyValue {
  return {
    ...{ key: fields.bytes(1), value: fields.bytes(5) },
    ...{ createRevision: fields.number(2), modRevision: fields.number(3), version: fields.number(4) },
  }
}

export interface WatchEvent {
  readonly kind: 'put' | 'delete'
  readonly pair: KeyValue
}

/** `fragment` lets the server split events that are longer than one of its messages may be. */
export function watchRequest({ key, end }: KeyRange, startRevision: number): ProtoMessage {
  const [progressNotify, fragment] = [true, true]
  return protoMessage([1, protoMessage([1, key], [2, end], [3, startRevision], [4, progressNotify], [8, fragment])])
}

export interface WatchResponse {
  /** The revision of the store when it was sent; events may still be behind. */
  readonly revision: number
  readonly isCanceled: boolean
  /** Where the watch began before this revision, whose history is gone; else 0. */
  readonly compactRevision: number
  readonly cancelReason: string
  /** Whether the next message has more events of the same revisions. */
  readonly isFragment: boolean
  readonly isCreated: boolean
  readonly events: readonly WatchEvent[]
}

export function watchResponse(fields: ProtoFields): WatchResponse {
  return {
    revision: revisionOf(fields),
    isCreated: fields.flag(3),
    isCanceled: fields.flag(4),
    compactRevision: fields.number(5),
    cancelReason: fields.text(6),
    isFragment: fields.flag(7),
    events: fields.messages(11).map((event) => ({
      kind: event.number(1) === 1 ? 'delete' : 'put',
      pair: keyValue(event.message(2)),
    })),
  }
}
