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
 * What rests on one document alone outlives the changes of others. The change log names what was changed since the last look; where it
 * has a row for each step of a version, the other documents of the model are as they were. Where it has not, as after the SQL of an
 * operator or after more changes than are looked at, all documents of the model count as changed.
 *
 * The numbers belong to one file. A restored backup has lower ones, which then come again with other documents: what
 * outlives the process, such as an ETag, needs the run of the program beside them.
 */
import type { Model } from '../../models/schema.ts'
import { asStoreFailure, type Database } from '../db/database.ts'
import type { Snapshot } from '../db/snapshot.ts'

/** Changes that are looked at one by one; where more have come since the last look, it costs less to read documents again. */
const CHANGES_LOOKED_AT_MAX = 256
/** Documents whose last change is remembered: about a megabyte. */
const DOCUMENTS_MAX = 10_000

export function createModelVersions(database: Database, snapshot: Pick<Snapshot, 'begin'>) {
  let serial = 0
  let others: unknown
  let own: unknown
  let changes = 0
  let revision = 0
  let versions: Versions = new Map()
  const documents = createDocumentVersions()

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
      if (revision === 0 || !isSame(found, versions)) {
        documents.follow(versions, found, newerChanges(documents.seen()))
        revision++
      }
      versions = found
    }
    // Last: what could not be read is read again.
    others = othersNow
    own = ownNow
    serial = current
  }

  /** The changes behind a seq. */
  const newerChanges = (seen: number): NewerChanges => {
    const rows = database.all('SELECT seq, model, id FROM change WHERE seq > ? ORDER BY seq LIMIT ?', seen, CHANGES_LOOKED_AT_MAX + 1)
    if (rows.length > CHANGES_LOOKED_AT_MAX) return { changes: undefined, seq: Number(database.get('SELECT max(seq) AS seq FROM change')?.['seq']) }
    return { changes: rows.map(({ model, id }) => ({ model: String(model), id: String(id) })), seq: Number(rows.at(-1)?.['seq'] ?? seen) }
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
    /** The same for the documents of one id in these models, which changes of other documents leave as it is. */
    ofDocument(models: readonly Model[], id: string): string {
      follow()
      return models.map(({ name }) => documents.of(name, id)).join('.')
    },
  }
}

type Versions = ReadonlyMap<string, number>

interface NewerChanges {
  /** Undefined where there are too many. */
  readonly changes: readonly { readonly model: string; readonly id: string }[] | undefined
  /** Of the newest one. */
  readonly seq: number
}

function createDocumentVersions() {
  let seen = 0
  /** The versions of models for which all of their documents counted as changed. */
  let bases: Versions = new Map()
  /** Of documents that have changed since: the version of the model behind their last change. */
  const changed = new Map<string, number>()
  return {
    /** The seq of the newest change that was looked at. */
    seen: (): number => seen,
    /** Takes what has changed between two looks at the versions. */
    follow(before: Versions, after: Versions, { changes, seq }: NewerChanges): void {
      seen = seq
      if (changes === undefined || changed.size + changes.length > DOCUMENTS_MAX) {
        changed.clear()
        bases = after
        return
      }
      const left = new Map([...after].map(([model, version]) => [model, version - (before.get(model) ?? 0)]))
      for (const { model, id } of changes) {
        left.set(model, (left.get(model) ?? 0) - 1)
        changed.set(`${model}/${id}`, after.get(model) ?? 0)
      }
      const unnamed = [...after].filter(([model]) => left.get(model) !== 0)
      if (unnamed.length > 0) bases = new Map([...bases, ...unnamed])
    },
    of: (model: string, id: string): string => `${bases.get(model) ?? 0}-${changed.get(`${model}/${id}`) ?? 0}`,
  }
}

function isSame(a: Versions, b: Versions): boolean {
  if (a.size !== b.size) return false
  for (const [name, version] of a) if (b.get(name) !== version) return false
  return true
}
