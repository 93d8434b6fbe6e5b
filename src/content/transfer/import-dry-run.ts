/** Checks rows of an import without writing them: each sees those before it as if they were stored. */
import { parseJson, type JsonObject } from '../../base/json.ts'
import { pageOf } from '../../base/page-address.ts'
import { placesOf, publicName } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import type { BulkRow } from '../../store/writes/bulk-tables.ts'
import { addressOf, sameAddress, titleOf } from '../reads/same-address.ts'
import type { FoundText } from '../../store/documents/text-look-up.ts'
import type { TransactionView } from '../../store/documents/transaction-view.ts'
import type { ReadStore } from '../../store/read-store.ts'

/** A new row with the address of a stored document, or of an earlier row of the file. */
export interface KnownRow {
  readonly line: number
  /** Of the document; null for a row, which may have none yet. */
  readonly id: string | null
  readonly title: string
  readonly earlierLine: number | null
}

/** Addresses of a file that are remembered, and what of a title: some tens of MiB where addresses have usual lengths. */
const ADDRESSES_MAX = 100_000
const TITLE_CHARS_MAX = 100

interface EarlierRow {
  readonly id: string
  readonly line: number
  readonly title: string
}

/** The rows of a file by their addresses, each with the first that had it. */
export type FileAddresses = Map<string, EarlierRow>

type Store = Pick<ReadStore, 'documents'>

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
  const view: Pick<TransactionView, 'textOf' | 'lookUp'> = {
    textOf(place, id) {
      const row = publicName(place) === model.name ? rows.get(id) : undefined
      if (row === undefined) return store.documents.get(place, id)
      return (row.place ?? model.name) === place.name ? row.doc : undefined
    },
    lookUp(place, path, ranges, limit) {
      const found = store.documents.lookUp(place, path, ranges, limit)
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

interface Known {
  readonly documents: Pick<TransactionView, 'lookUp'>
  readonly model: Model
  /** Gets the address of the row. */
  readonly addresses: FileAddresses
}

/** The stored document with the address of a new row, or the row before it in the file; one is enough. */
export function knownRows({ documents, model, addresses }: Known, { id, doc, basis }: BulkRow, line: number): readonly KnownRow[] {
  const path = addressOf(model)
  if (path === undefined) return []
  const value = parseJson(doc) as JsonObject
  const url = String(value[path] ?? '')
  if (url === '') return []
  const page = pageOf(url) ?? url
  const earlier = addresses.get(page)
  if (earlier === undefined && addresses.size < ADDRESSES_MAX) addresses.set(page, { id, line, title: titleOf(value).slice(0, TITLE_CHARS_MAX).toWellFormed() })
  if (basis !== undefined) return []
  const [found] = sameAddress(documents, { model, url, except: id }, placesOf(model, true))
  if (found !== undefined) return [{ line, id: String(found['id']), title: titleOf(found), earlierLine: null }]
  // On a cluster, a job may run again: its rows are here already, new ones with another id.
  return earlier === undefined || earlier.id === id || earlier.line >= line ? [] : [{ line, id: null, title: earlier.title, earlierLine: earlier.line }]
}
