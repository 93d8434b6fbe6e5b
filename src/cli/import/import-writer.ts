/**
 * The rows of an import into the database, in batches: each is one transaction with the note of how far the import has
 * come. A row is checked in the transaction that writes it: the file may name an id twice, and a service may write
 * meanwhile. Beside a service, and through the log of a cluster, a batch is short, and gives way to others.
 */
import type { Clock } from '../../base/clock.ts'
import { describe } from '../../base/failure.ts'
import type { SplitRow } from '../../base/row-splitter.ts'
import { knownRows, type FileAddresses, type KnownRow } from '../../content/transfer/import-dry-run.ts'
import { isBlankRow } from '../../content/transfer/import-rows.ts'
import type { CheckedRow, RowChecker } from '../../content/transfer/row-checker.ts'
import type { AuditRecord } from '../../models/audit.ts'
import { placesOf } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import { nameOfCode } from '../../store/documents/distinct-codes.ts'
import type { BulkRow, BulkTables, BulkWriter } from '../../store/writes/bulk-tables.ts'
import type { ImportedRow } from './import-ahead.ts'
import type { Position } from './import-reader.ts'
import type { Store } from '../../store/store.ts'

/**
 * How long the rows of a batch may take, before its commit, which takes two or three times as long as the shortest ones. Beside a
 * service, batches double while no one else writes: the search index and the sync take much of the time of a short one.
 */
const ALONE_BATCH_MS = 1_000
const SHARED_BATCH_MS = { min: 5, max: 60 }
/** Bytes of the file that wait in memory. */
const BATCH_BYTES_MAX = 32 * 1024 * 1024
/** What a batch beside others takes of the file, so that it fits into an entry of a log. */
const SHARED_BATCH_BYTES = 1024 * 1024

/** How far an import has come: all rows before this position of the file are done. */
export interface ImportState extends Position {
  readonly inserted: number
  readonly replaced: number
  readonly unchanged: number
  readonly refused: number
  /** Of those inserted, how many had no id in their row. */
  readonly newIds: number
}

export interface RejectedRow {
  readonly line: number
  readonly id: string | undefined
  readonly message: string
}

export interface ImportTask {
  readonly writer: BulkWriter
  readonly model: Model
  readonly rows: AsyncIterable<ImportedRow>
  readonly check: RowChecker
  readonly from: ImportState
  readonly rowsMax: number
  readonly isAlone: boolean
  /** Rolls every batch back. */
  readonly isDryRun: boolean
  readonly note: string | undefined
  readonly recordAt: (state: ImportState) => AuditRecord
  readonly now: Clock
  readonly signal: AbortSignal
  /** What is stored, for a dry run: it tells which rows have the address of another document. */
  readonly lookUp: Store['documents']['lookUp']
  /** Of the rows of a dry run. */
  readonly addresses: FileAddresses
  /** Receives the rejected rows of a batch: before it is on disk, or behind its entry in the log. */
  readonly onRejects: (rejected: readonly RejectedRow[]) => void
  /** Receives the rows of a batch of a dry run whose address is stored already, or is that of an earlier row. */
  readonly onKnown: (known: readonly KnownRow[]) => void
  readonly onBatch: (state: ImportState) => void
}

export interface ImportEnd {
  readonly state: ImportState
  /** Why the rest of the file was not read. */
  readonly stop: { readonly line: number; readonly message: string } | undefined
  readonly isInterrupted: boolean
}

/** Imports all rows. What was committed before an error stays, and is durable. */
export async function importRows(task: ImportTask): Promise<ImportEnd> {
  try {
    return await importBatches(task)
  } finally {
    if (!task.isDryRun) await task.writer.sync()
  }
}

async function importBatches(task: ImportTask): Promise<ImportEnd> {
  const { writer, isAlone, rows, rowsMax, now, signal } = task
  let batchMs = isAlone ? ALONE_BATCH_MS : SHARED_BATCH_MS.min
  const waiting: ImportedRow[] = []
  let [state, stop] = [task.from, undefined as ImportEnd['stop']]
  const mayGoOn = (): boolean => stop === undefined && !signal.aborted
  const writeBatch = async (): Promise<void> => {
    const begun = now()
    const batch = await commitBatch({ ...task, batchMs }, waiting, state)
    state = batch.state
    stop = batch.stop
    waiting.splice(0, batch.count)
    task.onBatch(state)
    const isShared = await writer.giveWay(now() - begun)
    if (!isAlone) batchMs = isShared ? Math.max(SHARED_BATCH_MS.min, batchMs / 2) : Math.min(SHARED_BATCH_MS.max, 2 * batchMs)
  }
  for await (const row of rows) {
    if (isBlank(row)) continue
    waiting.push(row)
    const isFull = (): boolean => waiting.length >= rowsMax || row.nextOffset - state.offset > BATCH_BYTES_MAX
    while (waiting.length > 0 && isFull() && mayGoOn()) await writeBatch()
    if (!mayGoOn()) return { state, stop, isInterrupted: stop === undefined }
  }
  const isCut = signal.aborted
  while (waiting.length > 0 && mayGoOn()) await writeBatch()
  return { state, stop, isInterrupted: stop === undefined && (isCut || waiting.length > 0) }
}

function isBlank({ bytes, isTooLong, isUnclosed }: SplitRow): boolean {
  return !isTooLong && !isUnclosed && isBlankRow(bytes)
}

interface Batch {
  readonly state: ImportState
  readonly rejected: readonly RejectedRow[]
  readonly known: readonly KnownRow[]
  readonly stop: ImportEnd['stop']
  /** How many of the rows are done. */
  readonly count: number
}

/** Imports the first of the rows in one transaction: as many as its time allows. Where it fails, nothing is written. */
async function commitBatch(task: ImportTask & { readonly batchMs: number }, rows: readonly ImportedRow[], before: ImportState): Promise<Batch> {
  const { writer, model, isDryRun, batchMs, note, recordAt, now, onRejects } = task
  // Rows of one dry batch see each other's codes, of which there are hundreds at most.
  const isAlone = task.isAlone || (isDryRun && model.distinct !== undefined)
  const report = ({ rejected }: Batch): void => {
    if (rejected.length > 0) onRejects(rejected)
  }
  const work = (tables: BulkTables): Batch => {
    const deadline = now() + (isAlone ? ALONE_BATCH_MS : batchMs)
    const state = { ...before }
    const rejected: RejectedRow[] = []
    const known: KnownRow[] = []
    let [stop, count] = [undefined as ImportEnd['stop'], 0]
    for (const row of rows) {
      const outcome = importRow(task, tables, row)
      if (outcome.kind === 'unreadable') {
        stop = { line: row.line, message: outcome.message }
        break
      }
      state[outcome.kind]++
      if (outcome.kind === 'refused') rejected.push({ line: row.line, id: outcome.id, message: outcome.message })
      else {
        if (outcome.kind === 'inserted' && outcome.isNewId) state.newIds++
        if (isDryRun) known.push(...knownRows({ documents: task, model, addresses: task.addresses }, outcome.document, row.line))
      }
      state.offset = row.nextOffset
      state.line = row.nextLine
      count++
      if (now() > deadline || (!isAlone && state.offset - before.offset >= SHARED_BATCH_BYTES)) break
    }
    if (count > 0) {
      if (note !== undefined) tables.note(note, JSON.stringify({ ...state, at: now() }))
      tables.record(recordAt(state))
    }
    return { state, rejected, known, stop, count }
  }
  const batch = await writer.transact(work, !isDryRun, report)
  if (isDryRun) report(batch)
  if (batch.known.length > 0) task.onKnown(batch.known)
  return batch
}

type RowOutcome =
  | Exclude<CheckedRow, { readonly kind: 'document' }>
  | { readonly kind: 'inserted' | 'replaced' | 'unchanged'; readonly isNewId: boolean; readonly document: BulkRow }

function importRow(task: ImportTask, tables: BulkTables, row: ImportedRow): RowOutcome {
  const { model } = task
  const checked = checkNow(task, tables, row)
  if (checked.kind !== 'document') return checked
  const { document, isNewId } = checked
  const { id } = document
  const reject = (message: string): RowOutcome => ({ kind: 'refused', id, message })
  const outcome = tables.write(model, document)
  switch (outcome) {
    case 'taken':
      return reject(takenMessage(model))
    case 'orphan':
      return reject(`id: expected the id of a user, found ${describe(id)}, which no user has`)
    case 'last-admin':
      return reject('The last administrator cannot be demoted here: give another user the role first')
    default:
      return { kind: outcome, isNewId, document }
  }
}

function takenMessage({ name, distinct }: Model): string {
  if (distinct === undefined) return 'email: a user with this e-mail address exists already'
  return `${distinct}: another ${name} has this ${nameOfCode(distinct)}: change it there, or give the row the id of that ${name}`
}

/** A check ahead holds where still nothing is stored under the id: an earlier row or a service may have stored it. */
function checkNow({ check, model }: ImportTask, tables: BulkTables, row: ImportedRow): CheckedRow {
  const { ahead } = row
  const isStored = ahead !== undefined && placesOf(model, true).some((place) => tables.stored(place, ahead.id) !== undefined)
  if (ahead === undefined || isStored) return check(row, { textOf: tables.stored, lookUp: tables.lookUp })
  return { kind: 'document', document: ahead, isNewId: false }
}
