/** Reads from the change log which documents some users have changed. */
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'

/** Ids of documents that users have changed, and whether they are all that the log knows. */
export interface ChangedDocuments {
  readonly ids: readonly string[]
  readonly isWhole: boolean
}

/** Rows of the log that are looked at, over all actors: some milliseconds. */
const ROWS_MAX = 5_000
/** Documents that are found, over all actors. */
const DOCUMENTS_MAX = 1_000

/** Rows of the log that an export looks at, and documents that it takes, over all actors: some tens of MiB. */
const EXPORTED_ROWS_MAX = 20_000_000
const EXPORTED_MAX = 200_000
/** Why there is no export above them, behind what could not be exported. */
export const TOO_MANY_CHANGED =
  `these users have changed more than ${EXPORTED_MAX} documents of the model, or more often than ${EXPORTED_ROWS_MAX} times: ` +
  'name fewer of them, or export without them'

/** All that the actors have changed of the models, for a thread or a process of its own; not whole above EXPORTED_MAX. */
export function allChangedBy(database: Database, models: readonly Model[], actors: readonly string[]): ChangedDocuments {
  const names = new Set(models.map(({ name }) => name))
  const ids = new Set<string>()
  const rowsMax = Math.floor(EXPORTED_ROWS_MAX / Math.max(1, actors.length))
  for (const actor of actors) {
    const found = lastChanged(database, names, { actor, rowsMax, documentsMax: EXPORTED_MAX })
    for (const id of found.ids) ids.add(id)
    if (!found.isWhole || ids.size > EXPORTED_MAX) return { ids: [], isWhole: false }
  }
  return { ids: [...ids], isWhole: true }
}

/**
 * Documents of some models that users have changed, as far back as the log goes: the last 1,000 documents of their last
 * 5,000 changes of any model, which several users share. Deleted documents may be among them.
 */
export function changedBy(database: Database, models: readonly Model[], actors: readonly string[]): ChangedDocuments {
  const names = new Set(models.map(({ name }) => name))
  const [rowsMax, documentsMax] = [ROWS_MAX, DOCUMENTS_MAX].map((max) => Math.floor(max / Math.max(1, actors.length)))
  const all = actors.map((actor) => lastChanged(database, names, { actor, rowsMax: rowsMax ?? 0, documentsMax: documentsMax ?? 0 }))
  return { ids: [...new Set(all.flatMap(({ ids }) => ids))], isWhole: all.every(({ isWhole }) => isWhole) }
}

/** The condition is that of the index `change_actor`, which has the rows of an actor in the order of their seqs. */
const CHANGES_OF = `
  SELECT model, id FROM change
  WHERE actor = ? AND actor NOT IN ('operator', 'service', 'stranger', 'feed') ORDER BY seq DESC LIMIT ?`

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
