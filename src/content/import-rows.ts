/**
 * From a row of an import to the document that it stores, by the rules for administrators. Besides, a row names the id
 * of its document, and with `keep` its dates: so an id has to be one that the API can address.
 */
import { isUtf8 } from 'node:buffer'
import { readCsvRow, type Cell } from '../base/csv.ts'
import { didYouMean } from '../base/nearest.ts'
import { parseIsoDate } from '../base/dates.ts'
import { describe, fail, Failure } from '../base/failure.ts'
import type { NewId } from '../base/ids.ts'
import { isObject, JsonError, parseJson, writeJson, type JsonObject } from '../base/json.ts'
import { remoteConfig } from '../models/remote-config.ts'
import type { Model } from '../models/schema.ts'
import { user } from '../models/user.ts'
import { searchRow } from '../store/tables/trigram-index.ts'
import type { BulkRow } from '../store/sqlite/bulk-writer.ts'
import { csvColumns, documentOfCells } from './csv-columns.ts'
import { checkListLengths } from './list-lengths.ts'
import { findRecordsNow } from './references.ts'
import { checkRemoteConfig } from './remote-config-rules.ts'
import { validateDocument } from './validate.ts'

/** Signs that mean nothing in a path of a URL (RFC 3986 section 2.3), but for the names of directories. */
const IMPORTED_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,64}$/
/** Where the API has a path of its own, no document can be reached by such an id. */
const RESERVED_IDS = new Set(['query', 'explain', 'check'])

/** What the references of a row may bring in, as much as the row itself may have. */
const RECORDS_BYTES_MAX = 2 * 1024 * 1024

const BYTE_ORDER_MARK = '\uFEFF'

/** How the bytes of a row are understood: as JSON, or as the cells of these columns. */
export type RowFormat = { readonly kind: 'ndjson' } | { readonly kind: 'csv'; readonly columns: readonly string[] }

export interface RowContext {
  readonly model: Model
  /** Whether `createdAt` and `updatedAt` of the row are kept. */
  readonly keep: boolean
  /** The time of the import, in the form of a stored date. */
  readonly date: string
  readonly newId: NewId
  /** The text of a stored document; of the model itself to be replaced, of others for references. */
  readonly textOf: (model: Model, id: string) => string | undefined
  /** The normalised address of the user with this id. Throws invalidInput. */
  readonly readEmail: (email: unknown, id: string) => string
}

/** Whether the row holds nothing, as at the end of many files. */
export function isBlankRow(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}

/** Reads the bytes of a row. Throws invalidInput; CsvError where its quotes make no sense. */
export function readRow(bytes: Buffer, model: Model, format: RowFormat): JsonObject {
  const text = rowText(bytes)
  if (format.kind === 'csv') return readCells(text, model, format.columns)
  try {
    const value = parseJson(text)
    if (isObject(value)) return value
    throw fail('invalidInput', `expected a JSON object, found ${describe(value)}`)
  } catch (error) {
    if (error instanceof JsonError) throw fail('invalidInput', `cannot read it as JSON: ${error.message}`)
    throw error
  }
}

function rowText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw fail('invalidInput', 'expected UTF-8, found other bytes')
  if (bytes.includes(0)) throw fail('invalidInput', 'expected text, found a NUL')
  const text = bytes.toString('utf8')
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text
}

/** The columns that the first row of a CSV file names. Throws invalidInput for an unknown or repeated one; CsvError. */
export function readHeader(bytes: Buffer, model: Model): readonly string[] {
  const known = csvColumns(model)
  const names = readCsvRow(rowText(bytes), known.length).map(({ text }) => text)
  for (const [i, name] of names.entries()) {
    if (!known.includes(name))
      throw fail('invalidInput', `${model.name} has no column ${describe(name)}${hint(name, known)}`)
    if (names.indexOf(name) < i) throw fail('invalidInput', `the column ${describe(name)} is there twice`)
  }
  return names
}

function hint(name: string, known: readonly string[]): string {
  if (name.includes(';') || name.includes('\t')) return ': columns are separated by commas'
  return didYouMean(name, known) || `: use one of ${known.join(', ')}`
}

function readCells(text: string, model: Model, columns: readonly string[]): JsonObject {
  const cells = readCsvRow(text, columns.length)
  if (cells.length !== columns.length) {
    const found = cells.length > columns.length ? 'more' : String(cells.length)
    throw fail('invalidInput', `expected ${columns.length} cells as in the first row, found ${found}`)
  }
  return documentOfCells(model, new Map(columns.map((name, i): [string, Cell] => [name, cells[i] as Cell])))
}

/** What a row stores, going by what `textOf` finds now. Throws invalidInput with the message of the API. */
export function prepareRow(sent: JsonObject, context: RowContext): BulkRow {
  const { model, textOf, readEmail } = context
  const id = readId(sent, context)
  const basis = textOf(model, id)
  const stored = basis === undefined ? undefined : (parseJson(basis) as JsonObject)
  checkListLengths(model, sent)
  const records = findRecordsNow(model, sent, textOf, { bytesMax: RECORDS_BYTES_MAX })
  const body = { ...leftOut(model, stored), ...sent }
  const generated = {
    id,
    createdAt: keptDate(sent, 'createdAt', context) ?? String(stored?.['createdAt'] ?? context.date),
    updatedAt: keptDate(sent, 'updatedAt', context) ?? context.date,
  }
  const valid = validateDocument(model, body, { generated, records, ...(stored === undefined ? {} : { stored }) })
  if (model === remoteConfig) checkRemoteConfig(valid)
  const value = model === user ? { ...valid, email: readEmail(valid['email'], id) } : valid
  return {
    id,
    doc: writeJson(value),
    search: model.trigrams === undefined ? undefined : searchRow(model, value),
    basis,
  }
}

/**
 * What a row may leave out. A field with an initial value keeps the stored one: a file without a column for it
 * publishes nothing that was a draft.
 */
function leftOut(model: Model, stored: JsonObject | undefined): JsonObject {
  // A user who is added begins without cards of the feed.
  const fixed: JsonObject = model === user ? { feedDecoratorStatus: stored?.['feedDecoratorStatus'] ?? {} } : {}
  if (stored === undefined) return fixed
  const kept = Object.entries(model.fields).filter(([, field]) => field.kind === 'choice' && 'initial' in field)
  return { ...fixed, ...Object.fromEntries(kept.map(([name]) => [name, stored[name] ?? null])) }
}

/** The message for a row that cannot be taken; anything else that is thrown is a bug of ours or the disk's fault. */
export function rejectMessage(error: unknown): string {
  if (error instanceof Failure && error.status === 400) return error.message
  throw error
}

function readId(sent: JsonObject, { model, newId }: RowContext): string {
  const id = sent['id'] ?? undefined
  if (model.singleton !== undefined) {
    if (id === undefined || id === model.singleton) return model.singleton
    throw fail(
      'invalidInput',
      `id: expected ${describe(model.singleton)}, the only ${model.name}, found ${describe(id)}`,
    )
  }
  if (id === undefined && model.owned === undefined) return newId()
  if (typeof id === 'string' && IMPORTED_ID.test(id) && !RESERVED_IDS.has(id)) return id
  const wanted = model.owned === undefined ? 'an id' : 'the id of a user'
  throw fail(
    'invalidInput',
    `id: expected ${wanted} of at most 64 letters, digits, dots, hyphens, underscores and tildes, found ${describe(id)}`,
  )
}

function keptDate(sent: JsonObject, name: 'createdAt' | 'updatedAt', { keep }: RowContext): string | undefined {
  const value = sent[name] ?? undefined
  if (!keep || value === undefined) return undefined
  const date = typeof value === 'string' ? parseIsoDate(value) : undefined
  if (date !== undefined) return date
  throw fail('invalidInput', `${name}: expected an ISO 8601 date, found ${describe(value)}`)
}
