/**
 * Runs a plan: rows stream out of SQLite one by one, the interpreter keeps those that match, and reading stops when
 * the page is full. Without an index in the right order the best *limit + 1* are kept, never the table.
 */
import { parseJson, type Json, type JsonObject } from '../base/json.ts'
import type { Model } from '../models/schema.ts'
import { matches } from '../query/match.ts'
import { comparePositions, sortKeys } from '../query/order.ts'
import type { Database } from './database.ts'
import { planQuery } from './planner.ts'
import type { FindQuery, Found } from './store.ts'

interface Item {
  readonly doc: string
  readonly keys: readonly Json[]
  readonly id: string
}

/** A page of the documents that match, in the order of the sort, then of the ids. */
export function findDocuments(database: Database, model: Model, query: FindQuery): Found {
  const plan = planQuery(model, query)
  const wanted = query.limit === undefined ? Number.POSITIVE_INFINITY : query.limit + 1
  const best: Item[] = []
  for (const row of database.iterate(plan.sql, ...plan.values)) {
    const doc = String(row['doc'])
    const document = parseJson(doc) as JsonObject
    if (!matches(query.filter, document)) continue
    const item = { doc, keys: sortKeys(document, query.sort), id: String(document['id']) }
    if (query.after !== undefined && comparePositions(query.sort, item, query.after) <= 0) continue
    if (plan.ordered) best.push(item)
    else insertSorted(best, item, query)
    if (best.length >= wanted) {
      if (plan.ordered) break
      best.length = wanted
    }
  }
  const items = best.slice(0, query.limit)
  const last = items.at(-1)
  const more = items.length < best.length && last !== undefined
  return { items: items.map(({ doc }) => doc), next: more ? { keys: last.keys, id: last.id } : undefined }
}

/** Binary insertion: the list is short, and most rows of a long scan fall off its end at the first comparison. */
function insertSorted(items: Item[], item: Item, { sort }: FindQuery): void {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (comparePositions(sort, items[middle] as Item, item) <= 0) low = middle + 1
    else high = middle
  }
  items.splice(low, 0, item)
}
