/**
 * All stored documents of a model that a filter matches, one after the other in the order of their ids, in memory that
 * does not grow with them.
 *
 * That order is the same wherever the documents are stored, so two exports can be compared. With a filter, the planner
 * of the service answers page after page: a narrow filter is looked up in its index, a wide one follows the ids. All
 * pages see one snapshot, if the caller has a read transaction open.
 */
import type { Model } from '../models/schema.ts'
import type { Database } from '../store/sqlite/database.ts'
import { execute, noEffort } from '../store/plan/executor.ts'
import { planQuery } from '../store/plan/planner.ts'
import { tableOf } from '../store/sqlite/schema-sql.ts'
import type { FindQuery } from '../store/store.ts'

/** Texts as they are stored. `query` is one of a filter alone, sorted by id; undefined for all documents. */
export function* storedDocuments(database: Database, model: Model, query: FindQuery | undefined): Generator<string> {
  if (query === undefined) {
    for (const row of database.iterate(`SELECT doc FROM ${tableOf(model)} ORDER BY id`)) yield String(row['doc'])
    return
  }
  for (let page: FindQuery | undefined = query; page !== undefined;) {
    const plan = planQuery(database, model, page, { mayTakeLong: true })
    const found = execute(database, model, { plan, query: page, effort: noEffort(), mayGoOn: () => true })
    if (found === undefined) throw new Error('The export gave up')
    yield* found.items
    page = found.next === undefined ? undefined : { ...page, after: found.next }
  }
}
