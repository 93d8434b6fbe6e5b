/**
 * The rows of an import into the database, in batches: each is one transaction with the note of how far the import has
 * come. A row is checked in the transaction that writes it: the file may name an id twice, and a service may write
 * meanwhile. Beside a service a batch is short, and a pause of twice its time follows, in which the service writes.
 */
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import { describe } from '../../base/failure.ts'
import type { SplitRow } from '../../base/row-splitter.ts'
import { isBlankRow } from '../../content/import-rows.ts'
import type { AuditRecord } from '../../models/audit.ts'
import type { Model } from '../../models/schema.ts'
import type { BulkTables, BulkWriter } from '../../store/sqlite/bulk-writer.ts'
import type { CheckedRow, RowChecker } from './import-checker.ts'
import type { Position } from './import-reader.ts'

/** How long a batch may hold the write lock, before its commit. */
const ALONE_BATCH_MS = 1_000
const SHARED_BATCH_MS = 15
/** Bytes of the file that wait in memory. */
const BATCH_BYTES_MAX = 32 * 1024 * 1024
const PAUSE_MS_MIN = 10
const PAUSE_MS_MAX = 200

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
  readonly rows: AsyncIterable<SplitRow>
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
  /** Receives the rejected rows of a batch before it is on disk. */
  readonly onRejects: (rejected: readonly RejectedRow[]) => void
  readonly onBatch: (state: ImportState) => void
}

export interface ImportEnd {
  readonly state: ImportState
  /** Why the rest of the file was not read. */
  readonly stop: { readonly line: number; readonly message: string } | undefined
  readonly isInterrupted: boolean
}

/** Imports all rows. What was committed before an error stays. */
export async function importRows(task: ImportTask): Promise<ImportEnd> {
  const { rows, rowsMax, isAlone, now, signal } = task
  const waiting: SplitRow[] = []
  let [state, stop] = [task.from, undefined as ImportEnd['stop']]
  const mayGoOn = (): boolean => stop === undefined && !signal.aborted
  const writeBatch = async (): Promise<void> => {
    const begun = now()
    const batch = await commitBatch(task, waiting, state)
    state = batch.state
    stop = batch.stop
    waiting.splice(0, batch.count)
    task.onBatch(state)
    if (isAlone) await turn()
    else await pause(Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, 2 * (now() - begun))))
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
  readonly stop: ImportEnd['stop']
  /** How many of the rows are done. */
  readonly count: number
}

/** Imports the first of the rows in one transaction: as many as its time allows. Where it fails, nothing is written. */
function commitBatch(task: ImportTask, rows: readonly SplitRow[], before: ImportState): Promise<Batch> {
  const { writer, isAlone, isDryRun, note, recordAt, now, onRejects } = task
  return writer.transact((tables): Batch => {
    const deadline = now() + (isAlone ? ALONE_BATCH_MS : SHARED_BATCH_MS)
    const state = { ...before }
    const rejected: RejectedRow[] = []
    let [stop, count] = [undefined as ImportEnd['stop'], 0]
    for (const row of rows) {
      const outcome = importRow(task, tables, row)
      if (outcome.kind === 'unreadable') {
        stop = { line: row.line, message: outcome.message }
        break
      }
      state[outcome.kind]++
      if (outcome.kind === 'refused') rejected.push({ line: row.line, id: outcome.id, message: outcome.message })
      else if (outcome.kind === 'inserted' && outcome.isNewId) state.newIds++
      state.offset = row.nextOffset
      state.line = row.nextLine
      count++
      if (now() > deadline) break
    }
    if (count > 0) {
      if (note !== undefined) tables.note(note, JSON.stringify({ ...state, at: now() }))
      tables.record(recordAt(state))
    }
    if (rejected.length > 0) onRejects(rejected)
    return { state, stop, count }
  }, !isDryRun)
}

type RowOutcome =
  | Exclude<CheckedRow, { readonly kind: 'document' }>
  | { readonly kind: 'inserted' | 'replaced' | 'unchanged'; readonly isNewId: boolean }

function importRow({ check, model }: ImportTask, tables: BulkTables, row: SplitRow): RowOutcome {
  const checked = check(row, tables.stored)
  if (checked.kind !== 'document') return checked
  const { document, isNewId } = checked
  const { id } = document
  const reject = (message: string): RowOutcome => ({ kind: 'refused', id, message })
  const outcome = tables.write(model, document)
  switch (outcome) {
    case 'taken':
      return reject('email: a user with this e-mail address exists already')
    case 'orphan':
      return reject(`id: expected the id of a user, found ${describe(id)}, which no user has`)
    case 'last-admin':
      return reject('The last administrator cannot be demoted here: give another user the role first')
    default:
      return { kind: outcome, isNewId }
  }
}
