/**
 * All stored documents of a model that a filter matches, one after the other in the order of their ids, in memory that
 * does not grow with them.
 *
 * That order is the same wherever the documents are stored, so two exports can be compared. With a filter, the planner
 * of the service answers page after page: a narrow filter is looked up in its index, a wide one follows the ids. All
 * pages see one snapshot, if the caller has a read transaction open.
 */
import { placesOf } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import { comparePositions, type Sort } from '../../query/order.ts'
import type { Database } from '../../store/db/database.ts'
import { execute, noEffort } from '../../store/query/executor.ts'
import type { Found, FindQuery } from '../../store/query/find-query.ts'
import { planQuery } from '../../store/query/planner.ts'
import { tableOf } from '../../store/schema/names.ts'
import { positionOf } from '../reads/incomplete-drafts.ts'

/** The caller let an export go no further. */
export class ExportEnded extends Error {}

export interface ExportOptions {
  /** Whether incomplete drafts are among the documents. */
  readonly includes?: boolean | undefined
  /** Asked after each row that is read. */
  readonly mayGoOn?: () => boolean
}

/**
 * Texts as they are stored. `query` is one of a filter and an order, undefined for all documents by id. Throws ExportEnded
 * where it may not go on.
 */
export function* storedDocuments(
  database: Database,
  model: Model,
  query: FindQuery | undefined,
  { includes = false, mayGoOn = () => true }: ExportOptions = {},
): Generator<string> {
  const places = placesOf(model, includes)
  const [complete, incomplete] = places.map((place) => documentsOf(database, place, query, mayGoOn))
  if (complete === undefined) return
  if (incomplete === undefined) yield* complete
  else yield* merged(query?.sort ?? [], complete, incomplete)
}

function* documentsOf(database: Database, place: Model, query: FindQuery | undefined, mayGoOn: () => boolean): Generator<string> {
  if (query === undefined) {
    for (const row of database.iterate(`SELECT doc FROM ${tableOf(place)} ORDER BY id`)) yield String(row['doc'])
    return
  }
  for (let page: FindQuery | undefined = query; page !== undefined;) {
    const plan = planQuery(database, place, page, { mayTakeLong: true })
    const found: Found | undefined = execute(database, place, { plan, query: page, effort: noEffort(), mayGoOn })
    if (found === undefined) throw new ExportEnded('The export gave up')
    yield* found.items
    page = found.next === undefined ? undefined : { ...page, after: found.next }
  }
}

/** The texts of two that have the same order, in that order. */
function* merged(sort: Sort, one: Generator<string>, other: Generator<string>): Generator<string> {
  const placed = (text: string | undefined) => (text === undefined ? undefined : { text, position: positionOf(text, sort) })
  const read = (from: Generator<string>) => placed(from.next().value as string | undefined)
  let [first, second] = [read(one), read(other)]
  while (first !== undefined || second !== undefined) {
    if (second === undefined || (first !== undefined && comparePositions(sort, first.position, second.position) <= 0)) {
      yield first?.text ?? ''
      first = read(one)
    } else {
      yield second.text
      second = read(other)
    }
  }
}
