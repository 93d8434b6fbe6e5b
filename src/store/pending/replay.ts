/**
 * Replays changes onto a copy of the database that they follow, as a node of a cluster applies the entries of its log: every
 * row has to be as the change found it, or the replay ends with a Divergence.
 */
import type { Model } from '../../models/schema.ts'
import { createChangesetApplier, Divergence } from '../cluster/changeset-applier.ts'
import { openDatabase } from '../db/database.ts'
import { createSearchChanges } from '../search/search-changes.ts'
import { readChain, type PendingChange } from './pending-changes.ts'

/** A transaction takes so many changes, or bytes. */
const BATCH_CHANGES = 500
const BATCH_BYTES = 16 * 1024 * 1024
/** Pages of the WAL after which SQLite moves it: nothing else reads the copy. */
const WAL_PAGES = 4_000

/** Opens a copy that no other connection uses. `reached()` is the number of the change that it has last. */
export function openReplay(file: string, models: readonly Model[]) {
  const database = openDatabase(file)
  // The copy is synced as a whole when it is done.
  database.exec(`PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = ${WAL_PAGES}`)
  const search = createSearchChanges(database)
  const nothing = (): void => {}
  const applier = createChangesetApplier(database, { models, search, capture: { silently: (work) => work() }, onErasure: nothing, onSettings: nothing })
  const chain = readChain(database)
  let reached = chain?.seq ?? 0
  let [changes, bytes] = [0, 0]

  const commit = (): void => {
    if (!database.inTransaction) return
    search.flush()
    database.run('UPDATE change_chain SET seq = ?', reached)
    database.run('COMMIT')
    ;[changes, bytes] = [0, 0]
  }
  return {
    /** The chain that the copy is of. */
    chain: chain?.id,
    reached: (): number => reached,
    /** Applies the change that follows; one that the copy has is passed over. Throws Divergence, also where one is missing. */
    apply({ seq, changeset }: PendingChange): void {
      if (seq <= reached) return
      if (seq !== reached + 1) throw new Divergence(`change ${seq} does not follow change ${reached}`)
      if (!database.inTransaction) database.run('BEGIN IMMEDIATE')
      applier.apply(changeset)
      reached = seq
      if (++changes >= BATCH_CHANGES || (bytes += changeset.length) >= BATCH_BYTES) commit()
    },
    commit,
    close(): void {
      if (database.inTransaction) database.exec('ROLLBACK')
      search.discard()
      database.close()
    },
  }
}
