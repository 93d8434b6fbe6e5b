/**
 * The versions of the models: whether anything that an answer rests on has changed since it was computed.
 *
 * Each model has a number in `model_version` that its triggers move with every change of a document, in the transaction
 * of that change (schema/triggers.ts). So the number in a snapshot is that of the documents in the same snapshot, and reading
 * both in one read transaction leaves no moment in between.
 *
 * The table is read only where it may have changed. SQLite tells at the cost of a look into shared memory:
 * `PRAGMA data_version` moves with the commits of other connections, those of other processes included
 * (sqlite.org/pragma.html#pragma_data_version), and `total_changes()` with the changes of this one, those of triggers and
 * of cascades included (sqlite.org/c3ref/total_changes.html). Both are asked for once in each snapshot.
 *
 * The numbers belong to one file. A restored backup has lower ones, which then come again with other documents: what
 * outlives the process, such as an ETag, needs the run of the program beside them.
 */
import type { Model } from '../../models/schema.ts'
import { asStoreFailure, type Database } from '../db/database.ts'
import type { Snapshot } from '../db/snapshot.ts'

export function createModelVersions(database: Database, snapshot: Pick<Snapshot, 'begin'>) {
  let serial = 0
  let others: unknown
  let own: unknown
  let changes = 0
  let revision = 0
  let versions: ReadonlyMap<string, number> = new Map()

  /** Brings the versions to the snapshot of this turn, which it opens where none is open. */
  const follow = (): void => {
    try {
      readTo(snapshot.begin())
    } catch (error) {
      throw asStoreFailure(error)
    }
  }
  const readTo = (current: number): void => {
    if (current === serial) return
    const othersNow = database.get('PRAGMA data_version')?.['data_version']
    const ownNow = database.get('SELECT total_changes() AS n')?.['n']
    if (othersNow !== others || ownNow !== own) {
      changes++
      const rows = database.all('SELECT model, version FROM model_version')
      const found = new Map(rows.map(({ model, version }) => [String(model), Number(version)]))
      if (revision === 0 || !isSame(found, versions)) revision++
      versions = found
    }
    // Last: what could not be read is read again.
    others = othersNow
    own = ownNow
    serial = current
  }

  return {
    /**
     * A number that differs whenever anything may have changed in the database, by this process or another: what was read at
     * a number is true for as long as it stays. Costs microseconds once in a turn of the event loop. Throws networkError, as
     * the others do.
     */
    changes(): number {
      follow()
      return changes
    },
    /** A number that differs whenever a document of any model has changed since, by this process or another. */
    revision(): number {
      follow()
      return revision
    },
    /** The versions of these models as one text, such as `17.4`, which never comes again once one of them has changed. */
    of(models: readonly Model[]): string {
      follow()
      let text = ''
      for (const [i, { name }] of models.entries()) text += `${i === 0 ? '' : '.'}${versions.get(name) ?? 0}`
      return text
    },
  }
}

function isSame(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  if (a.size !== b.size) return false
  for (const [name, version] of a) if (b.get(name) !== version) return false
  return true
}
