/** Applies the entries that have arrived, some in one transaction, so that the event loop gets its turns in between. */
import { asStoreFailure, isDamage, type Database } from '../db/database.ts'
import type { SearchChanges } from '../search/search-changes.ts'
import { Divergence, type createChangesetApplier } from './changeset-applier.ts'
import { RecordUnreadable, type Sealer } from './commit-log.ts'
import type { EntryInbox } from './entry-inbox.ts'
import type { LogPlace } from './log-contact.ts'
import { movePosition, stampVersions, type LastEntry } from './position-table.ts'

/** After this, a transaction takes no further entry. */
const SLICE_MS = 8
/** A key may arrive a moment after the first entry that it seals. */
const KEY_WAIT_MS_MAX = 5_000

/** An entry does not follow the last one of this node: one between them is missing, or the log was exchanged. */
export class ForeignEntry extends Divergence {
  override readonly name = 'ForeignEntry'
}

export interface ApplyingParts {
  readonly database: Database
  readonly search: SearchChanges
  readonly applier: ReturnType<typeof createChangesetApplier>
  readonly sealer: Sealer
  readonly inbox: EntryInbox
  readonly place: LogPlace
  readonly ticks: () => number
  /** Brings the data to a schema, and calls `finish` in the same transaction. Throws Divergence where it is not known. */
  readonly raiseSchema: (schema: number, finish: () => void) => void
  /** Called behind each commit. */
  readonly committed: () => void
}

export function createEntryApplying(parts: ApplyingParts) {
  const { database, search, applier, sealer, inbox, place, ticks, raiseSchema, committed } = parts

  let keyMissingSince: number | undefined
  /** A disk that is full or fails, or a key that may still come. */
  const isPassing = (error: unknown): boolean => {
    if (!(error instanceof RecordUnreadable)) return asStoreFailure(error) !== error && !isDamage(error)
    if (error.reason !== 'unknown-key') return false
    keyMissingSince ??= ticks()
    return ticks() - keyMissingSince < KEY_WAIT_MS_MAX
  }
  /** Returns the last entry that is in the transaction. */
  const applyEntries = (): LastEntry => {
    const until = ticks() + SLICE_MS
    let reached: LastEntry = { position: place.position(), entry: place.entry() }
    for (const { position, body } of inbox.entries()) {
      const { schema, changeset, id, previous } = sealer.open(body)
      if (previous !== reached.entry) throw new ForeignEntry(notFollowing(position, previous, reached))
      if (schema > place.schema()) break
      if (schema < place.schema()) throw new Divergence(`an entry has schema ${schema}, this node ${place.schema()}`)
      if (changeset.length > 0) applier.apply(changeset)
      stampVersions(database, position)
      reached = { position, entry: id }
      if (ticks() >= until) break
    }
    return reached
  }
  /** The next entry is the one that raises the schema. */
  const applyRaise = (): void => {
    const [entry] = inbox.entries()
    if (entry === undefined) return
    const { schema, changeset, id } = sealer.open(entry.body)
    const reached = { position: entry.position, entry: id }
    if (changeset.length > 0) throw new Divergence(`an entry has schema ${schema}, to which no entry raised the data`)
    raiseSchema(schema, () => movePosition(database, reached))
    applier.forgetTables()
    place.move(reached, schema)
  }
  return {
    /** Throws Divergence where this node cannot go on; anything else is to be tried again. */
    applySome(): void {
      try {
        database.run('BEGIN IMMEDIATE')
        const reached = applyEntries()
        search.flush()
        movePosition(database, reached)
        database.run('COMMIT')
        if (reached.position === place.position()) applyRaise()
        else place.move(reached)
      } catch (error) {
        if (database.inTransaction) database.exec('ROLLBACK')
        search.discard()
        throw isPassing(error) ? error : asDivergence(error)
      }
      keyMissingSince = undefined
      inbox.removeTo(place.position())
      committed()
    },
  }
}

function notFollowing(position: number, previous: string, last: LastEntry): string {
  return `the entry at position ${position} follows entry ${previous}, and the last one here is ${last.entry} at position ${last.position}`
}

function asDivergence(error: unknown): Divergence {
  if (error instanceof Divergence) return error
  return new Divergence(error instanceof Error ? error.message : String(error), { cause: error })
}
