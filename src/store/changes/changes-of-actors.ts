/** Reads from the change log which documents some users have changed. */
import type { Model } from '../../models/schema.ts'
import type { Database } from '../sqlite/database.ts'
import type { ChangedDocuments } from '../store.ts'
import { hasChangeLog } from './change-schema.ts'

/** Rows of the log that are looked at, over all actors: some milliseconds. */
const ROWS_MAX = 5_000
/** Documents that are found, over all actors. */
const DOCUMENTS_MAX = 1_000

/** The last that each actor has changed of the models; see DocumentStore. */
export function documentsChangedBy(database: Database, models: readonly Model[], actors: readonly string[]): ChangedDocuments {
  if (!hasChangeLog(database)) return { ids: [], isWhole: true }
  const names = new Set(models.map(({ name }) => name))
  const [rowsMax, documentsMax] = [ROWS_MAX, DOCUMENTS_MAX].map((max) => Math.floor(max / Math.max(1, actors.length)))
  const all = actors.map((actor) => lastChanged(database, names, { actor, rowsMax: rowsMax ?? 0, documentsMax: documentsMax ?? 0 }))
  return { ids: [...new Set(all.flatMap(({ ids }) => ids))], isWhole: all.every(({ isWhole }) => isWhole) }
}

/** The condition is that of the index `change_actor`, which has the rows of an actor in the order of their seqs. */
const CHANGES_OF = `
  SELECT model, id FROM change
  WHERE actor = ? AND actor NOT IN ('operator', 'service', 'stranger') ORDER BY seq DESC LIMIT ?`

interface Looking {
  readonly actor: string
  readonly rowsMax: number
  readonly documentsMax: number
}

function lastChanged(database: Database, names: ReadonlySet<string>, { actor, rowsMax, documentsMax }: Looking): ChangedDocuments {
  const ids = new Set<string>()
  let rows = 0
  for (const { model, id } of database.iterate(CHANGES_OF, actor, rowsMax + 1)) {
    if (++rows > rowsMax) return { ids: [...ids], isWhole: false }
    if (!names.has(String(model)) || ids.has(String(id))) continue
    if (ids.size === documentsMax) return { ids: [...ids], isWhole: false }
    ids.add(String(id))
  }
  return { ids: [...ids], isWhole: true }
}
