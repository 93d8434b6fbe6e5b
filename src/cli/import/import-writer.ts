/**
 * The rows of an import into the database, in batches: each is one transaction with the note of how far the import has
 * come. A row is checked in the transaction that writes it: the file may name an id twice, and a service may write
 * meanwhile. Beside a service, and through the log of a cluster, a batch is short, and gives way to others.
 */
import type { Clock } from '../../base/clock.ts'
import { isBlank, isStored, runBatch, sumOf, type RejectedRow, type RowBatch, type RowView, type UnreadableRow } from '../../content/transfer/import-batch.ts'
import { knownRows, type FileAddresses, type KnownRow } from '../../content/transfer/import-dry-run.ts'
import type { CheckedRow, RowChecker } from '../../content/transfer/row-checker.ts'
import type { AuditRecord } from '../../models/audit.ts'
import { placesOf } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import type { BulkOutcome, BulkRow, BulkTables, BulkWriter } from '../../store/writes/bulk-tables.ts'
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
  readonly stop: UnreadableRow | undefined
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
    const known: KnownRow[] = []
    const write = (row: BulkRow, line: number): BulkOutcome => {
      const outcome = tables.write(model, row)
      if (isDryRun && isStored(outcome)) known.push(...knownRows({ documents: task, model, addresses: task.addresses }, row, line))
      return outcome
    }
    const mayGoOn = ({ nextOffset }: ImportedRow): boolean => now() <= deadline && (isAlone || nextOffset - before.offset < SHARED_BATCH_BYTES)
    const check: RowBatch<ImportedRow>['check'] = (row, view) => checkNow(task, view, row)
    const outcome = runBatch({ model, check, rows, mayGoOn }, { ...tables, write })
    const { count, rejected, newIds, stopped: stop } = outcome
    const last = rows[count - 1]
    const [refused, end] = [before.refused + rejected.length, last === undefined ? {} : { offset: last.nextOffset, line: last.nextLine }]
    const state = { ...before, ...sumOf(before, outcome), refused, newIds: before.newIds + newIds, ...end }
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

/** A check ahead holds where still nothing is stored under the id: an earlier row or a service may have stored it. */
function checkNow({ check, model }: ImportTask, view: RowView, row: ImportedRow): CheckedRow {
  const { ahead } = row
  const isStored = ahead !== undefined && placesOf(model, true).some((place) => view.textOf(place, ahead.id) !== undefined)
  return ahead === undefined || isStored ? check(row, view) : { kind: 'document', document: ahead, isNewId: false }
}
