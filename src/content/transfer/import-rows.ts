/**
 * From a row of an import to the document that it stores, by the rules for administrators. Besides, a row names the id
 * of its document, and with `keep` its dates: so an id has to be one that the API can address.
 */
import { isUtf8 } from 'node:buffer'
import { BARE_RETURN, hasBareReturn, readCsvRow, separatorOf, type Cell, type Separator } from '../../base/csv.ts'
import { didYouMean } from '../../base/nearest.ts'
import { parseIsoDate } from '../../base/dates.ts'
import { describe, fail, Failure } from '../../base/failure.ts'
import type { NewId } from '../../base/ids.ts'
import { isObject, JsonError, parseJson, writeJson, type JsonObject } from '../../base/json.ts'
import { BODY_TOKENS_MAX } from '../../http/body.ts'
import { feed, feedRules } from '../../models/feed-model.ts'
import { publication } from '../../models/publication-model.ts'
import { incompleteOf, placeFor, placesOf } from '../../models/incomplete.ts'
import { remoteConfig } from '../../models/remote-config.ts'
import type { Model } from '../../models/schema.ts'
import { user, type User } from '../../models/user.ts'
import type { TransactionView } from '../../store/documents/transaction-view.ts'
import { searchRow } from '../../store/search/pending-rows.ts'
import type { BulkRow } from '../../store/writes/bulk-tables.ts'
import { checkRoles } from '../user-changes.ts'
import { csvColumns, documentOfCells } from './csv-columns.ts'
import { checkFeed } from '../rules/feed-filters.ts'
import { checkPublication } from '../rules/publication-rules.ts'
import { withReferencesById } from './named-references.ts'
import { isGivenId, wrongIdMessage } from '../rules/document-ids.ts'
import { checkListLengths } from '../rules/list-lengths.ts'
import { withPublication } from '../rules/publication.ts'
import { throwProblem } from '../rules/problems.ts'
import { findRecordsNow } from '../rules/references.ts'
import { checkRemoteConfig } from '../rules/remote-config-rules.ts'
import { validateDocument } from '../rules/validate.ts'

/** What the references of a row may bring in, as much as the row itself may have. */
const RECORDS_BYTES_MAX = 2 * 1024 * 1024

const REMEDY = 'import incomplete drafts as well'

const BYTE_ORDER_MARK = '\uFEFF'

/** How the bytes of a row are understood: as JSON, or as the cells of these columns, of which one without a name is skipped. */
export type RowFormat = { readonly kind: 'ndjson' } | CsvFormat

export interface CsvFormat {
  readonly kind: 'csv'
  readonly columns: readonly string[]
  readonly separator: Separator
}

export interface RowContext {
  readonly model: Model
  /** Whether `createdAt` and `updatedAt` of the row are kept. */
  readonly keep: boolean
  /** Whether a row may make, or replace, an incomplete draft. */
  readonly incomplete: boolean
  /** Whether new documents become drafts, complete or not, and others keep their status, whatever the row says. */
  readonly asDrafts: boolean
  /** The time of the import, in the form of a stored date. */
  readonly date: string
  readonly newId: NewId
  /** The text of a stored document; of the model itself to be replaced, of others for references. */
  readonly textOf: TransactionView['textOf']
  /** Finds what references by name mean. */
  readonly lookUp: TransactionView['lookUp']
  /** The normalised address of the user with this id. Throws invalidInput. */
  readonly readEmail: (email: unknown, id: string) => string
}

/** What a row that holds nothing may have: white space, and the separators between cells that were cleared. */
const BLANK = Buffer.from(' \t\r,;')

/** Whether the row holds nothing, as at the end of many files. */
export function isBlankRow(bytes: Uint8Array): boolean {
  return bytes.every((byte) => BLANK.includes(byte))
}

/** Reads the bytes of a row. Throws invalidInput; CsvError where its quotes make no sense. */
export function readRow(bytes: Buffer, model: Model, format: RowFormat): JsonObject {
  const text = rowText(bytes)
  if (format.kind === 'csv') return readCells(text, model, format, bytes)
  try {
    const value = parseJson(text, { tokensMax: BODY_TOKENS_MAX })
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

/** The columns that the first row of a CSV file names, and what separates them. Throws invalidInput for an unknown or repeated one; CsvError. */
export function readHeader(bytes: Buffer, model: Model, separator = separatorIn(bytes)): CsvFormat {
  requireLineFeeds(bytes)
  const columns = readTexts(bytes, csvColumns(model).length, separator)
  requireColumns(model, columns)
  return { kind: 'csv', columns, separator }
}

/** What separates the cells of a file with this first row. Throws invalidInput. */
export function separatorIn(firstRow: Buffer): Separator {
  return separatorOf(rowText(firstRow))
}

/** Throws invalidInput for the first row of a file whose lines end otherwise. */
export function requireLineFeeds(bytes: Buffer): void {
  if (hasBareReturn(bytes)) throw fail('invalidInput', BARE_RETURN)
}

/** The texts of a row of CSV; those past the limit may be missing. Throws invalidInput, and CsvError. */
export function readTexts(bytes: Buffer, cellsMax: number, separator: Separator): readonly string[] {
  return readCsvRow(rowText(bytes), cellsMax, separator).map(({ text }) => text)
}

/** Throws invalidInput for a column that the model does not have, and for one that is there twice. */
export function requireColumns(model: Model, names: readonly string[]): void {
  const known = csvColumns(model)
  for (const [i, name] of names.entries()) {
    if (!known.includes(name))
      throw fail('invalidInput', `${model.name} has no column ${describe(name)}${hint(name, known)}`)
    if (names.indexOf(name) < i) throw fail('invalidInput', `the column ${describe(name)} is there twice`)
  }
}

function hint(name: string, known: readonly string[]): string {
  if (name.includes(';') || name.includes('\t')) return ': separate all columns by the same sign'
  const meant = didYouMean(name, known)
  return meant === '' ? `: use one of ${known.join(', ')}` : `${meant} The columns are ${known.join(', ')}`
}

function readCells(text: string, model: Model, { columns, separator }: CsvFormat, bytes: Buffer): JsonObject {
  const cells = readCsvRow(text, columns.length, separator)
  if (cells.length !== columns.length) {
    requireLineFeeds(bytes)
    const found = cells.length > columns.length ? 'more' : String(cells.length)
    throw fail('invalidInput', `expected ${columns.length} cells as in the first row, found ${found}`)
  }
  return documentOfCells(model, new Map(columns.map((name, i): [string, Cell] => [name, cells[i] as Cell])))
}

/** What a row stores, going by what `textOf` finds now. Throws invalidInput with the message of the API. */
export function prepareRow(row: JsonObject, context: RowContext): BulkRow {
  const { model, textOf, lookUp, readEmail } = context
  const sent = withReferencesById(model, row, lookUp)
  const id = readId(sent, context)
  const { from, basis } = storedAnywhere(id, context)
  const stored = basis === undefined ? undefined : (parseJson(basis) as JsonObject)
  checkListLengths(model, sent)
  const records = findRecordsNow(model, sent, textOf, { bytesMax: RECORDS_BYTES_MAX })
  const body = { ...leftOut(model, stored), ...sent, ...(context.asDrafts ? statusOf(model, stored) : {}) }
  const generated = {
    id,
    createdAt: keptDate(sent, 'createdAt', context) ?? String(stored?.['createdAt'] ?? context.date),
    updatedAt: keptDate(sent, 'updatedAt', context) ?? context.date,
  }
  const told = validated(body, context, { generated, records, textOf, ...(stored === undefined ? {} : { stored }) })
  const publishedAt = stored === undefined ? generated.createdAt : context.date
  const valid = withPublication(told, { model, stored, now: Date.parse(context.date), publishedAt })
  if (model === remoteConfig) checkRemoteConfig(valid)
  if (model === feed || model === feedRules) checkFeed(valid)
  if (model === publication) checkPublication(valid)
  const value = model === user ? { ...valid, email: readEmail(valid['email'], id) } : valid
  if (model === user) checkRoles(value as unknown as User, throwProblem)
  const place = placeFor(model, value)
  const search = place.trigrams === undefined ? undefined : searchRow(place, value)
  return { id, doc: writeJson(value), search, ...(place === model ? {} : { place: place.name }), from, basis }
}

/** The document with an id, in either table of the model. Throws invalidInput for a draft that is not to be replaced. */
function storedAnywhere(id: string, { model, incomplete, textOf }: RowContext): Pick<BulkRow, 'from' | 'basis'> {
  for (const place of placesOf(model, true)) {
    const basis = textOf(place, id)
    if (basis === undefined) continue
    if (place === model || incomplete) return { from: place === model ? undefined : place.name, basis }
    throw fail('invalidInput', `id: ${describe(id)} is that of an incomplete draft: to replace it, ${REMEDY}`)
  }
  return { from: undefined, basis: undefined }
}

/** What a row has for its status where the file does not say it; nothing for a model without drafts. */
function statusOf({ fields: { status } }: Model, stored: JsonObject | undefined): JsonObject {
  return status?.kind === 'choice' ? { status: stored?.['status'] ?? 'draft' } : {}
}

/** Throws invalidInput, which says of a draft that only lacks members how it is taken. */
function validated(body: JsonObject, { model, incomplete, asDrafts }: RowContext, options: Parameters<typeof validateDocument>[2]): JsonObject {
  try {
    return validateDocument(model, body, { ...options, incomplete })
  } catch (error) {
    const draft = error instanceof Failure ? asIncompleteDraft(model, body, options) : undefined
    if (draft === undefined) throw error
    if (incomplete || (asDrafts && options.stored === undefined)) return draft
    throw fail('invalidInput', `${(error as Failure).message}: to keep it as a draft, ${REMEDY}`)
  }
}

/** A list of titles has no column for the status: a new document that names none, and lacks members, is a draft. */
function asIncompleteDraft(model: Model, body: JsonObject, options: Parameters<typeof validateDocument>[2]): JsonObject | undefined {
  if (incompleteOf(model) === undefined) return undefined
  try {
    const draft = validateDocument(model, { status: 'draft', ...body }, { ...options, incomplete: true })
    return draft['status'] === 'draft' ? draft : undefined
  } catch {
    return undefined
  }
}

/**
 * What a row may leave out. A field with a value of its own keeps the stored one: a file without a column for it
 * publishes nothing that was a draft.
 */
function leftOut(model: Model, stored: JsonObject | undefined): JsonObject {
  // A user who is added begins without cards of the feed.
  const fixed: JsonObject = model === user ? { feedDecoratorStatus: stored?.['feedDecoratorStatus'] ?? {} } : {}
  if (stored === undefined) return fixed
  const kept = Object.entries(model.fields).filter(
    ([, field]) => (field.kind === 'choice' && 'initial' in field) || (field.kind === 'text' && 'implied' in field),
  )
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
  if (isGivenId(id)) return id
  throw fail('invalidInput', `id: ${wrongIdMessage(model.owned === undefined ? 'an id' : 'the id of a user', id)}`)
}

function keptDate(sent: JsonObject, name: 'createdAt' | 'updatedAt', { keep }: RowContext): string | undefined {
  const value = sent[name] ?? undefined
  if (!keep || value === undefined) return undefined
  const date = typeof value === 'string' ? parseIsoDate(value) : undefined
  if (date !== undefined) return date
  throw fail('invalidInput', `${name}: expected an ISO 8601 date, found ${describe(value)}`)
}
