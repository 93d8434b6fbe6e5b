/**
 * Finds the documents that hold copies of a document, in the order of an index, from behind the row that was looked at last.
 *
 * A copy that is a member of its own is found by the declared index that begins with its id; copies in lists by the table
 * listed_copy. Bringing a copy up to date changes none of the other columns of such an index, so a row stays where it is.
 */
import { embeddingsOf, HOLDERS, holdersOf } from '../../models/embedding.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { indexColumns } from '../schema/indexes.ts'
import { tableOf, valueAt } from '../schema/names.ts'
import { listedCopies } from '../schema/triggers.ts'

/** Documents of a step are read together. */
const CHARS_MAX = 128 * 1024
/** Holders are counted up to here: some milliseconds. */
export const HOLDERS_COUNTED_MAX = 100_000

export interface HolderRow {
  readonly seq: number
  readonly doc: string
  readonly keys: readonly Key[]
}

interface Column {
  readonly sql: string
  readonly descending: boolean
}

/** Where holders are looked for: a condition with the id as its only value, and the columns that give the order behind it. */
export interface HolderPlace {
  readonly model: Model
  readonly from: string
  /** What of it is enough to count holders: a join would look at each document. */
  readonly counted: string
  readonly condition: string
  readonly order: readonly Column[]
}

export type Key = string | number | null
export type Keys = readonly Key[] | undefined

/** The places where copies of the documents of a model are. */
export function placesOf(target: Model): readonly HolderPlace[] {
  let known = places.get(target)
  if (known === undefined) places.set(target, (known = declaredPlaces(target)))
  return known
}

/** Of the declaration, which does not change: computed once. */
const places = new WeakMap<Model, readonly HolderPlace[]>()

function declaredPlaces(target: Model): readonly HolderPlace[] {
  return holdersOf(target).flatMap((model) => {
    const members = embeddingsOf(model).filter((one) => one.target === target && one.lists.length === 0)
    const isListed = listedCopies(model).some((one) => one.target === target)
    return [...members.map(({ path }) => memberPlace(model, path)), ...(isListed ? [listPlace(model, target)] : [])]
  })
}

/** All documents that hold copies. */
export const ALL_PLACES: readonly HolderPlace[] = HOLDERS.map((model) => ({
  ...{ model, ...holderTable(model), condition: '?1 IS ?1' },
  order: [{ sql: 'holder.seq', descending: false }],
}))

/** `"headline" AS holder WHERE holder.doc ->> '$."topic"."id"' = ? ORDER BY status, updatedAt DESC, id` */
function memberPlace(model: Model, path: string): HolderPlace {
  const index = model.indexes.find(([first]) => first === `${path}.id`)
  if (index === undefined) throw new Error(`${model.name} declares no index that begins with ${path}.id`)
  const [id, ...more] = indexColumns(index).map((column) => ({ sql: valueAt(column.path), descending: column.descending }))
  return {
    ...{ model, ...holderTable(model), condition: `${id?.sql} = ?1` },
    order: [...more, { sql: 'holder.id', descending: false }],
  }
}

function holderTable(model: Model): Pick<HolderPlace, 'from' | 'counted'> {
  const from = `${tableOf(model)} AS holder`
  return { from, counted: from }
}

function listPlace(model: Model, target: Model): HolderPlace {
  return {
    model,
    counted: 'listed_copy AS copy',
    from: `listed_copy AS copy JOIN ${tableOf(model)} AS holder ON holder.seq = copy.seq`,
    condition: `copy.target = '${target.name}' AND copy.id = ?1 AND copy.model = '${model.name}'`,
    order: [{ sql: 'copy.seq', descending: false }],
  }
}

export interface HolderQuery {
  readonly id: string
  readonly after: Keys
  readonly limit: number
}

/** At most `limit` rows behind some keys, and fewer where they are long; and whether they are the last of the place. */
export function holderRows(database: Database, place: HolderPlace, { id, after, limit }: HolderQuery) {
  const rows: HolderRow[] = []
  let chars = 0
  for (const { sql, values } of rangesBehind(place, after)) {
    const cursor = database.cursor(sql, [id, ...values])
    try {
      for (let row = cursor.next(); row !== undefined && rows.length < limit && chars < CHARS_MAX; row = cursor.next()) {
        const [seq, doc, ...keys] = row
        chars += String(doc).length
        rows.push({ seq: Number(seq), doc: String(doc), keys: keys as Key[] })
      }
    } finally {
      cursor.close()
    }
    if (rows.length >= limit || chars >= CHARS_MAX) break
  }
  return { rows: rows as readonly HolderRow[], isEnd: rows.length < limit && chars < CHARS_MAX }
}

/** How many documents hold copies, counted up to a limit. */
export function countHolders(database: Database, place: HolderPlace, id: string, limit: number): number {
  const row = database.get(`SELECT count(*) AS n FROM (SELECT 1 FROM ${place.counted} WHERE ${place.condition} LIMIT ${limit})`, id)
  return Number(row?.['n'])
}

/**
 * The rows behind keys (a, b) are those of a with b or more, and those behind a: each a range of the index, where one
 * condition with OR would read it from the beginning. A column that has one value in a range is not sorted by: SQLite would
 * gather and sort all of its rows, with their documents, where the column is compared with a parameter by IS.
 */
function rangesBehind({ from, condition, order }: HolderPlace, after: Keys): { sql: string; values: readonly Key[] }[] {
  const columns = order.map(({ sql }) => sql)
  const select = (more: readonly string[], by: readonly Column[]): string => {
    const sorted = by.map(({ sql, descending }) => sql + (descending ? ' DESC' : '')).join(', ')
    return `SELECT holder.seq, holder.doc, ${columns.join(', ')} FROM ${from} WHERE ${[condition, ...more].join(' AND ')} ORDER BY ${sorted}`
  }
  if (after === undefined) return [{ sql: select([], order), values: [] }]
  return order
    .map((column, i) => {
      const equal = columns.slice(0, i).map((one, at) => `${one} IS ?${at + 2}`)
      const values = after.slice(0, i + 1)
      return behind(column, `?${i + 2}`, after[i] === null).map((range) => ({
        sql: select([...equal, range], order.slice(range.endsWith(' IS NULL') ? i + 1 : i)),
        values: range.includes('?') ? values : values.slice(0, i),
      }))
    })
    .reverse()
    .flat()
}

/** What stands behind a value in the order of a column: NULL is less than any other (sqlite.org/datatype3.html). */
function behind({ sql, descending }: Column, value: string, isNull: boolean): readonly string[] {
  if (descending) return isNull ? [] : [`${sql} < ${value}`, `${sql} IS NULL`]
  return [isNull ? `${sql} IS NOT NULL` : `${sql} > ${value}`]
}
