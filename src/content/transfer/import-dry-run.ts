/** Checks rows of an import without writing them: each sees those before it as if they were stored. */
import { parseJson, type JsonObject } from '../../base/json.ts'
import { placesOf, publicName } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import type { BulkRow } from '../../store/bulk.ts'
import type { DocumentStore, FoundText, Moment } from '../../store/store.ts'
import { addressOf, sameAddress, titleOf } from '../reads/same-address.ts'

export interface KnownRow {
  readonly line: number
  readonly id: string
  readonly title: string
}

type Store = Pick<DocumentStore, 'get' | 'lookUp'>

export function createDryRun(store: Store, model: Model) {
  const rows = new Map<string, BulkRow & { readonly line: number }>()
  /** The ids of the rows with a code. */
  const holders = new Map<unknown, Set<string>>()

  const codeOf = (row: BulkRow | undefined): unknown =>
    row === undefined || row.place !== undefined || model.distinct === undefined ? undefined : (parseJson(row.doc) as JsonObject)[model.distinct]
  const rowAt = (id: string): FoundText => {
    const row = rows.get(id)
    return { id, text: row?.doc ?? '', at: `line ${row?.line ?? ''}` }
  }
  const view: Pick<Moment, 'textOf' | 'lookUp'> = {
    textOf(place, id) {
      const row = publicName(place) === model.name ? rows.get(id) : undefined
      if (row === undefined) return store.get(place, id)
      return (row.place ?? model.name) === place.name ? row.doc : undefined
    },
    lookUp(place, path, ranges, limit) {
      const found = store.lookUp(place, path, ranges, limit)
      if (place !== model || path !== model.distinct) return found
      // Codes are looked up as whole texts.
      const before = new Set(ranges.flatMap(({ from }) => [...(holders.get(from) ?? [])]))
      return [...found.filter(({ id }) => !rows.has(id)), ...[...before].map(rowAt)]
    },
  }
  return {
    ...view,
    add(row: BulkRow, line: number): void {
      const before = codeOf(rows.get(row.id))
      holders.get(before)?.delete(row.id)
      rows.set(row.id, { ...row, line })
      const code = codeOf(row)
      if (code !== undefined) holders.set(code, (holders.get(code) ?? new Set()).add(row.id))
    },
  }
}

/** The stored document with the address of a new row; one is enough. */
export function knownRows(store: Pick<DocumentStore, 'lookUp'>, model: Model, { id, doc, basis }: BulkRow, line: number): readonly KnownRow[] {
  const path = addressOf(model)
  if (path === undefined || basis !== undefined) return []
  const url = String((parseJson(doc) as JsonObject)[path] ?? '')
  const [found] = sameAddress(store, { model, url, except: id }, placesOf(model, true))
  return found === undefined ? [] : [{ line, id: String(found['id']), title: titleOf(found) }]
}
