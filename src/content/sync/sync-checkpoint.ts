/**
 * Where an RxDB client stands, as the checkpoint that it keeps and sends back: `{"id": "3f….r", "lwt": 1234}`.
 *
 * RxDB names its members for the storage of its own servers, and sends `lwt` as a number and `id` as it is, unescaped. Here
 * `lwt` is the `seq` of the change log, and `id` names the history that this belongs to and the rights of the reader.
 * While a client gets the first copy of a model, the id also has the last document that it got, in the order of ids.
 *
 * The protocol cannot tell a client to start over. So a checkpoint of another history, of other rights or from before the
 * log begins a new copy: first with a sweep of the log for what is gone, since the client may have it, then all documents.
 */
import { describe, fail } from '../../base/failure.ts'
import { entityTag } from '../../http/entity-tag.ts'
import type { ChangeRange } from '../../store/history/change-log.ts'

export interface SyncCheckpoint {
  readonly id: string
  readonly lwt: number
}

/** The place of a reader. `seq` is where it is in the log, or where it goes on from once it has its copy. */
export type SyncPlace =
  | { readonly kind: 'sweep' | 'follow'; readonly seq: number }
  /** `after` is the id of the last document of the copy; '' where it begins. */
  | { readonly kind: 'copy'; readonly seq: number; readonly after: string }

const LWT = /^\d{1,15}$/
const ID = /^([\w-]{1,64})\.([a-z])(?:\.(s|c([\w-]{0,1400})))?$/

/** Reads the two parameters of a pull. Throws badRequest for a number that no checkpoint has. */
export function readSyncCheckpoint(id = '', lwt = '0'): SyncCheckpoint {
  if (LWT.test(lwt)) return { id, lwt: Number(lwt) }
  throw fail('badRequest', `Cannot read lwt ${describe(lwt)}: expected that of a checkpoint, a whole number, or 0`)
}

/** The place that a checkpoint names, or where a client begins whose checkpoint means nothing here. */
export function placeOf({ id, lwt }: SyncCheckpoint, range: ChangeRange, rights: string): SyncPlace {
  if (id === '') return { kind: 'copy', seq: range.newest, after: '' }
  const [, history, of, rest, after] = ID.exec(id) ?? []
  const isValid = history === range.history && of === rights && lwt >= range.wholeBehind
  if (!isValid) return { kind: 'sweep', seq: range.wholeBehind }
  if (after !== undefined) return { kind: 'copy', seq: lwt, after: Buffer.from(after, 'base64url').toString() }
  return { kind: rest === undefined ? 'follow' : 'sweep', seq: lwt }
}

export function checkpointAt(place: SyncPlace, history: string, rights: string): SyncCheckpoint {
  return { id: `${history}.${rights}${restOf(place)}`, lwt: place.seq }
}

function restOf(place: SyncPlace): string {
  switch (place.kind) {
    case 'follow':
      return ''
    case 'sweep':
      return '.s'
    case 'copy':
      return `.c${Buffer.from(place.after).toString('base64url')}`
  }
}

/** Behind the own document, which needs no log: its version says whether the client has it. */
export function ownCheckpoint(text: string | undefined): SyncCheckpoint {
  return { id: text === undefined ? '' : entityTag(text).slice(1, -1), lwt: 0 }
}
