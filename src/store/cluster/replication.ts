/** What a store over a log tells about its place in it. */
import { fail } from '../../base/failure.ts'
import type { Sealer } from './commit-log.ts'
import type { EntryInbox } from './entry-inbox.ts'
import type { LogContact, LogPlace } from './log-contact.ts'
import { newEntryId } from './proposals.ts'

/** 'behind': entries are known that are not applied yet. 'diverged': this node has left service, and needs a copy of a peer. */
export type ReplicaState =
  | { readonly kind: 'in-step' | 'behind' | 'no-quorum' }
  | ({ readonly kind: 'diverged' } & LeftService)

/** Why a node has left service. */
export interface LeftService {
  readonly reason: string
  /** Whether it has entries that the log has lost, so that a copy of a peer would lose them as well. */
  readonly isAhead: boolean
}

export interface Replication {
  /** The last entry that reads of this node see. */
  position(): number
  /**
   * Resolves when reads of this node see an entry. Rejects with the reason of the signal when that aborts, and with
   * networkError where this node leaves service.
   */
  reached(position: number, signal?: AbortSignal): Promise<void>
  /**
   * Resolves with the position of the last entry, once reads see it: they are then linearizable. Rejects as reached() does,
   * and with networkError where the log cannot be asked.
   */
  newest(signal?: AbortSignal): Promise<number>
  /** As the last contact with the log left it. A silent partition is noticed by the next write, or by newest(). */
  state(): ReplicaState
  /** For how many milliseconds the oldest entry that has arrived waits to be applied; 0 where none does. */
  lagMs(): number
  counts(): Readonly<ReplicaCounts>
  /** How often this node erased what an entry deleted, as a deleted account. */
  erasures(): number
  /** The schema of the data, and the one that this program would raise it to. */
  schema(): { readonly present: number; readonly known: number }
  /**
   * Has every node bring its data to the schema of this program, at the same place of the log. A node whose program is
   * older leaves service there, so all programs are replaced before. Does nothing where the schema is the present one.
   * Rejects with networkError where the log cannot be reached; it may be raised all the same.
   */
  raiseSchema(): Promise<void>
  /** Appends an entry that changes nothing, sealed with the newest key. Rejects as raiseSchema() does. */
  mark(): Promise<void>
}

export interface ReplicaCounts {
  /** How often jobs ran again, as an entry of another node came first. */
  reruns: number
  /** How long the entries of other nodes took to apply in all, in milliseconds. */
  applyMs: number
}

export interface ReplicationParts {
  readonly place: LogPlace
  readonly contact: LogContact
  readonly inbox: EntryInbox
  readonly sealer: Sealer
  readonly node: string
  readonly schemaKnown: number
  readonly counts: Readonly<ReplicaCounts>
  readonly erasures: () => number
  /** Undefined while this node is in service. */
  readonly diverged: () => LeftService | undefined
}

export function createReplication(parts: ReplicationParts): Replication {
  const { place, contact, inbox, sealer, node, schemaKnown, counts, erasures, diverged } = parts
  const newest = async (signal?: AbortSignal): Promise<number> => {
    const position = await answered(contact.last())
    inbox.expect(position)
    await place.reached(position, signal)
    return position
  }
  /** False where another entry came first, or the node does not have the key of a new epoch yet. */
  const appendEmpty = async (schema: number): Promise<boolean> => {
    await newest()
    const record = { schema, node, id: newEntryId(), previous: place.entry(), changeset: new Uint8Array() }
    return (await answered(contact.append(place.position(), sealer.seal(record)))).kind === 'appended'
  }
  return {
    position: place.position,
    reached: place.reached,
    newest,
    state() {
      const left = diverged()
      if (left !== undefined) return { kind: 'diverged', ...left }
      if (contact.isLost()) return { kind: 'no-quorum' }
      const known = Math.max(contact.newestKnown(), inbox.received())
      return { kind: known > place.position() ? 'behind' : 'in-step' }
    },
    schema: () => ({ present: place.schema(), known: schemaKnown }),
    lagMs: inbox.waitMs,
    counts: () => counts,
    erasures,
    async raiseSchema() {
      while (place.schema() < schemaKnown) {
        await appendEmpty(schemaKnown)
        await newest()
      }
    },
    async mark() {
      while (!(await appendEmpty(place.schema()))) continue
    },
  }
}

/** The result of a call of the log, or networkError. */
function answered<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    const message = 'Cannot read the newest state: the cluster does not answer: try again soon'
    throw fail('networkError', message, { cause: error, headers: { 'Retry-After': '1' } })
  })
}
