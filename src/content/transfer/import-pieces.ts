/**
 * An import in pieces of a file, each a request of its own. The rules of a row are those of the command `import`; each
 * row is written like a change of the administrator who sends it, with its place in the history and the audit trail.
 *
 * A piece may end anywhere behind a whole character: the rows that are complete in it are taken, and the caller goes on
 * behind them. Its rows are written in short transactions, between which others write. With an Idempotency-Key each of
 * them keeps how far the piece has come, so that the same piece again goes on there: no row comes twice, whatever was lost.
 */
import type { Clock } from '../../base/clock.ts'
import { BARE_RETURN, CsvError, hasBareReturn, type Separator } from '../../base/csv.ts'
import { isoDate } from '../../base/dates.ts'
import { Failure } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import { nextTurn } from '../../base/pause.ts'
import { createRowSplitter, type SplitRow } from '../../base/row-splitter.ts'
import { placeFor } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import type { Requester } from '../../store/actor.ts'
import type { BulkOutcome, BulkRow } from '../../store/writes/bulk-tables.ts'
import { requireAdministrator } from '../rules/access.ts'
import { csvColumns } from './csv-columns.ts'
import { changeAnywhere } from '../reads/incomplete-drafts.ts'
import { isBlank, runBatch, sumOf, takenCode, type BatchOutcome, type RejectedRow, type RowBatch, type UnreadableRow } from './import-batch.ts'
import { createDryRun, knownRows, type FileAddresses, type KnownRow } from './import-dry-run.ts'
import { isBlankRow, readHeader, readTexts, rejectMessage, requireColumns, requireLineFeeds, separatorIn, type RowFormat } from './import-rows.ts'
import type { KeepProgress } from '../repeatable.ts'
import { createRowChecker } from './row-checker.ts'
import type { TransactionView } from '../../store/documents/transaction-view.ts'
import type { Steps } from '../../store/writes/document-writes.ts'
import type { ReadStore } from '../../store/read-store.ts'
import type { Writable, Writer } from '../../store/writes/writer.ts'

/** Of the text of one piece, in UTF-8, and so of a row. */
export const PIECE_BYTES_MAX = 1024 * 1024
/** Of the last character of a piece, which may be cut off (RFC 3629). */
const CHARACTER_BYTES_MAX = 4
/** Of one piece; what follows is for the next. */
export const PIECE_ROWS_MAX = 2_000
/** How long a transaction may hold the write lock, before its commit. */
const BATCH_MS = 15

export interface ImportPiece {
  readonly model: Model
  readonly format: 'csv' | 'ndjson'
  readonly rows: string
  /** Of CSV: the column of each cell, an empty text for one that is skipped. */
  readonly columns: readonly string[] | undefined
  /** Of CSV: what stands between two cells; undefined to take what the first row has, and a comma without one. */
  readonly separator?: Separator | undefined
  /** Whether the first row of CSV names the columns. It is skipped, and is the mapping where there are no `columns`. */
  readonly hasHeader: boolean
  /** Whether the file ends with the piece. */
  readonly isLast: boolean
  /** On which line of the file it begins, counted from 1. */
  readonly line: number
  readonly keep: boolean
  /** Whether a row may make, or replace, an incomplete draft. */
  readonly incomplete: boolean
  /** Whether new documents become drafts, whatever their rows say. */
  readonly asDrafts: boolean
  readonly isDryRun: boolean
}

export interface PieceResult {
  /** How many bytes of the piece are done; the next one begins behind them, on `nextLine`. */
  bytes: number
  nextLine: number
  columns: readonly string[]
  separator: Separator
  inserted: number
  replaced: number
  unchanged: number
  readonly rejected: readonly RejectedRow[]
  /** Of a dry run: rows with the address of another document, or of an earlier row. */
  readonly sameAddress: readonly KnownRow[]
  /** Why no more of the file can be read. */
  stopped: UnreadableRow | undefined
  /** Why the rows behind `bytes` were not taken, after earlier ones were stored. */
  failed: Pick<Failure, 'code' | 'message'> | undefined
}

interface Context {
  readonly store: Pick<ReadStore, 'documents'> & Writable
  readonly now: Clock
}

/** How far earlier requests with the same piece have come, and what keeps more of it. */
interface Repeated {
  readonly progress: string | undefined
  readonly keep: KeepProgress
}

interface Progress {
  /** Rows behind the header that are done. */
  readonly done: number
  readonly result: PieceResult
}

/**
 * Throws invalidInput for columns that the model does not have, and what writing throws before anything is stored: later,
 * the result has the failure, and says what is stored and where to go on.
 */
export async function importPiece({ store, now }: Context, piece: ImportPiece, by: Requester, repeated?: Repeated): Promise<PieceResult> {
  const { model, isDryRun, keep, incomplete, asDrafts } = piece
  const nothing: PieceResult = {
    ...{ bytes: 0, nextLine: piece.line, columns: piece.columns ?? [], separator: piece.separator ?? ',' },
    ...{ inserted: 0, replaced: 0, unchanged: 0, rejected: [], sameAddress: [], stopped: undefined, failed: undefined },
  }
  const rows = takeHeader(piece, nothing, rowsOf(piece))
  if (rows === undefined) return nothing
  const format: RowFormat = piece.format === 'csv' ? { kind: 'csv', columns: nothing.columns, separator: nothing.separator } : { kind: 'ndjson' }
  const check = createRowChecker(format, { model, keep, incomplete, asDrafts, date: isoDate(now()), readEmail: noEmail, rowBytesMax: PIECE_BYTES_MAX })
  const writer = store.as(by.acting(requireAdministrator))
  const run = isDryRun ? checkRows(store, model) : writeRows(writer, model, repeated)
  let progress = run.begin ?? { done: 0, result: nothing }
  for (; progress.done < rows.length && progress.result.stopped === undefined; await nextTurn()) {
    const deadline = now() + BATCH_MS
    const batch = { model, check, rows: rows.slice(progress.done), mayGoOn: () => now() <= deadline }
    try {
      progress = await run.batch(batch, progress)
    } catch (error) {
      // Rows without an id would come twice, were those that are stored sent again.
      if (progress.done === 0 || isDryRun || !(error instanceof Failure)) throw error
      return { ...progress.result, failed: { code: error.code, message: error.message } }
    }
  }
  return progress.result
}

interface PieceRun {
  /** Where an earlier request has come. */
  readonly begin: Progress | undefined
  readonly batch: (batch: RowBatch<SplitRow>, before: Progress) => Promise<Progress>
}

function checkRows(store: Context['store'], model: Model): PieceRun {
  const dryRun = createDryRun(store, model)
  const addresses: FileAddresses = new Map()
  return {
    begin: undefined,
    async batch(batch, before) {
      const known: KnownRow[] = []
      const write = (row: BulkRow, line: number): BulkOutcome => {
        if (row.basis === row.doc) return 'unchanged'
        if (takenCode(dryRun.lookUp, model, row) !== undefined) return 'taken'
        dryRun.add(row, line)
        known.push(...knownRows({ documents: store.documents, model, addresses }, row, line))
        return row.basis === undefined ? 'inserted' : 'replaced'
      }
      const { done, result } = added(before, batch.rows, runBatch(batch, { ...dryRun, write }))
      return { done, result: { ...result, sameAddress: [...result.sameAddress, ...known] } }
    },
  }
}

function writeRows(writer: Pick<Writer, 'together'>, model: Model, repeated: Repeated | undefined): PieceRun {
  let kept = repeated?.progress
  return {
    begin: kept === undefined ? undefined : (JSON.parse(kept) as Progress),
    async batch(batch, before) {
      const { progress, text } = await writer.together((view, steps) => {
        const outcome = runBatch(batch, { ...view, write: (row) => writeRow(model, row, { view, steps }) })
        const next = added(before, batch.rows, outcome)
        if (repeated === undefined) return { progress: next, text: undefined }
        const json = JSON.stringify(next)
        repeated.keep(steps, json, kept)
        return { progress: next, text: json }
      })
      kept = text
      return progress
    },
  }
}

/** At most as many as one piece may have, blank ones included. */
function rowsOf({ format, rows, isLast, line }: ImportPiece): readonly SplitRow[] {
  const bytes = Buffer.from(rows)
  const splitter = createRowSplitter({ hasQuotes: format === 'csv', rowBytesMax: PIECE_BYTES_MAX, offset: 0, line })
  const found: SplitRow[] = []
  for (const row of splitter.push(bytes)) if (found.push(row) === PIECE_ROWS_MAX) return found
  if (isLast) found.push(...splitter.end())
  if (found.length > 0 || bytes.length < PIECE_BYTES_MAX - CHARACTER_BYTES_MAX) return found
  return [{ bytes: Buffer.alloc(0), line, nextOffset: 0, nextLine: line, isTooLong: true, isUnclosed: false }]
}

/** Takes the header off, and blank rows above it. Undefined where it cannot be read, or is not complete. */
function takeHeader(piece: ImportPiece, result: PieceResult, rows: readonly SplitRow[]): readonly SplitRow[] | undefined {
  const { model, columns } = piece
  if (columns !== undefined) requireColumns(model, columns.filter((name) => name !== ''))
  const at = Math.max(0, rows.findIndex((row) => !isBlank(row)))
  const first = rows[at]
  if (first?.isTooLong === true && first.nextOffset === 0) return stop(result, first.line, isEndedByReturns(piece) ? BARE_RETURN : TOO_LONG)
  if (piece.format === 'ndjson' || !piece.hasHeader) return rows
  if (first === undefined) return undefined
  if (first.isUnclosed) return stop(result, first.line, 'a quote is opened and never closed')
  try {
    result.separator = piece.separator ?? separatorIn(first.bytes)
    if (columns === undefined) result.columns = readHeader(first.bytes, model, result.separator).columns
    else requireLineFeeds(first.bytes)
  } catch (error) {
    return stop(result, first.line, error instanceof CsvError ? error.message : rejectMessage(error))
  }
  result.bytes = first.nextOffset
  result.nextLine = first.nextLine
  return rows.slice(at + 1)
}

const TOO_LONG = `expected at most ${PIECE_BYTES_MAX} bytes in a row, found more: a quote may never be closed`

/** No row of the piece ends. */
function isEndedByReturns({ format, rows }: ImportPiece): boolean {
  return format === 'csv' && !rows.includes('\n') && hasBareReturn(Buffer.from(rows))
}

function stop(result: PieceResult, line: number, message: string): undefined {
  result.stopped = { line, message }
}

/** A change of the administrator: it goes through the steps of a request, which capture its history and whose it is. */
function writeRow(model: Model, row: BulkRow, { view, steps }: { readonly view: TransactionView; readonly steps: Steps }): BulkOutcome {
  const { id, doc, basis } = row
  if (basis === doc) return 'unchanged'
  if (takenCode(view.lookUp, model, row) !== undefined) return 'taken'
  const value = parseJson(doc) as JsonObject
  if (basis === undefined) {
    const inserted = steps.insert(placeFor(model, value), { id, value, text: doc })
    return inserted === 'exists' ? 'taken' : inserted
  }
  changeAnywhere(view, steps, { model, id, change: () => value })
  return 'replaced'
}

function added({ done, result }: Progress, rows: readonly SplitRow[], outcome: BatchOutcome): Progress {
  const { count, stopped } = outcome
  const last = rows[count - 1]
  const end = last === undefined ? {} : { bytes: last.nextOffset, nextLine: last.nextLine }
  const rejected = [...result.rejected, ...outcome.rejected]
  return { done: done + count, result: { ...result, ...sumOf(result, outcome), ...end, rejected, stopped } }
}

/** Users are not imported in pieces. */
function noEmail(): string {
  throw new Error('A row of a user')
}

export interface PiecePreview {
  /** All columns that the model has. */
  readonly columns: readonly string[]
  /** What stands between two cells of CSV. */
  readonly separator: Separator
  /** The names in the first row of CSV, each with the column that it stands for; empty where none fits. */
  readonly header: readonly { readonly name: string; readonly column: string }[]
  /** The cells of the first rows; of JSON lines, the line. */
  readonly rows: readonly (readonly string[])[]
}

const PREVIEW_ROWS = 10
const PREVIEW_CELLS_MAX = 200
const PREVIEW_CHARS_MAX = 200

/** What the beginning of a file looks like. Throws invalidInput where it cannot be read. */
export function previewPiece({ model, format, rows }: Pick<ImportPiece, 'model' | 'format' | 'rows'>): PiecePreview {
  const columns = csvColumns(model)
  const split = rowsOf({ format, rows, isLast: true, line: 1 } as ImportPiece).filter((row) => !isBlankRow(row.bytes))
  const shown = split.slice(0, PREVIEW_ROWS + 1)
  if (format === 'ndjson') {
    return { columns, separator: ',', header: [], rows: shown.slice(0, PREVIEW_ROWS).map((row) => [cut(row.bytes.toString())]) }
  }
  const separator = separatorOfFirst(shown[0])
  const [names = [], ...cells] = shown.flatMap((row, i) => textsOf(row, { isFirst: i === 0, isLast: i === shown.length - 1, separator }))
  const plainNames = names.map(plain)
  return { columns, separator, header: names.map((name, i) => ({ name: cut(name), column: columnFor(i, plainNames, model) })), rows: cells.map((row) => row.map(cut)) }
}

/** Of a row that is no text, it is told when the row is read. */
function separatorOfFirst(row: SplitRow | undefined): Separator {
  try {
    return row === undefined ? ',' : separatorIn(row.bytes)
  } catch {
    return ','
  }
}

interface TextsOptions {
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly separator: Separator
}

/** The last row may be cut off. */
function textsOf(row: SplitRow, { isFirst, isLast, separator }: TextsOptions): readonly (readonly string[])[] {
  try {
    if (isFirst) requireLineFeeds(row.bytes)
    const texts = readTexts(row.bytes, PREVIEW_CELLS_MAX, separator)
    if (texts.length <= PREVIEW_CELLS_MAX) return [texts]
    throw new Failure('invalidInput', `expected at most ${PREVIEW_CELLS_MAX} columns, found more: remove those that are not to be imported`)
  } catch (error) {
    if (isLast && row.line > 1) return []
    const message = error instanceof CsvError ? error.message : rejectMessage(error)
    throw new Failure('invalidInput', `Cannot read line ${row.line}: ${message}`)
  }
}

/** The column that a name of the header stands for, unless an earlier one does. "Country" is the name of the event's country. */
function columnFor(i: number, names: readonly string[], model: Model): string {
  const name = names[i] ?? ''
  const columns = csvColumns(model)
  if (names.indexOf(name) < i) return ''
  const exact = columns.find((column) => plain(column) === name)
  if (exact !== undefined) return exact
  const [reference] = Object.entries(model.fields).find(([path, field]) => field.kind === 'embedded' && [plain(path), field.model.name].includes(name)) ?? []
  return reference === undefined || names.some((one) => one === plain(`${reference}.name`) || (one !== name && one === plain(reference))) ? '' : `${reference}.name`
}

/** "Icon URL", "icon_url" and "iconUrl" mean the same. Names that are not shown as a whole mean nothing. */
const plain = (name: string): string => (name.length > PREVIEW_CHARS_MAX ? '' : name.toLowerCase().replaceAll(/[^a-z0-9$]/g, ''))

const cut = (text: string): string => (text.length <= PREVIEW_CHARS_MAX ? text : `${text.slice(0, PREVIEW_CHARS_MAX)}…`).toWellFormed()
