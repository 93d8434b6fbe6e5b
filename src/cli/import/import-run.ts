/**
 * An import: batches of prepared rows, each one transaction with the note of how far the import has come.
 *
 * A batch ends with its number of rows or its time, whichever comes first. Beside a service the time is short and a
 * pause of twice that follows: its writes look for the lock at growing intervals, and must meet a free moment soon.
 * With the directory to ourselves there is nobody to wait for.
 */
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import { describe } from '../../base/failure.ts'
import { prepareRow, readRow, refusalOf, type RowContext, type RowFormat } from '../../content/import-rows.ts'
import type { AuditRecord } from '../../models/audit.ts'
import type { BulkOutcome, BulkRow, BulkTables, BulkWriter } from '../../store/sqlite/bulk-writer.ts'
import { PLACE_NUMBERS, type PreparedBlock } from './import-message.ts'

/** How long a batch may hold the write lock, before its commit. */
const ALONE_BATCH_MS = 1_000
const SHARED_BATCH_MS = 15
/** What the rows of a batch hold in memory, as long as they wait. */
const KIB_OF_BATCH_MAX = 32 * 1024
/** The time is looked at after so many rows; after each where they are as long as this on the average. */
const ROWS_PER_LOOK = 16
const KIB_OF_LONG_ROWS = 64
const PAUSE_MS_MIN = 10
const PAUSE_MS_MAX = 200

export interface Tally {
  readonly inserted: number
  readonly replaced: number
  readonly unchanged: number
  readonly refused: number
  /** Of those inserted, how many had no id in their row. */
  readonly newIds: number
}

export const NOTHING_DONE: Tally = { inserted: 0, replaced: 0, unchanged: 0, refused: 0, newIds: 0 }

/** How far an import has come: all rows before this place of the file are done. */
export interface ImportState extends Tally {
  readonly offset: number
  readonly line: number
}

export interface Refusal {
  readonly line: number
  readonly id: string | undefined
  readonly message: string
}

export interface ImportTask {
  readonly writer: BulkWriter
  readonly blocks: AsyncIterable<PreparedBlock>
  readonly format: RowFormat
  /** For rows that have to be prepared anew, within a transaction. */
  readonly context: Omit<RowContext, 'textOf'>
  readonly from: ImportState
  readonly rowsMax: number
  readonly isAlone: boolean
  /** Whether the batches are kept; where not, everything is tried and undone. */
  readonly keepsBatches: boolean
  /** Under which name the state is noted; undefined where it is not. */
  readonly noteName: string | undefined
  /** What the audit trail tells of the import once it has come so far. */
  readonly recordAt: (state: ImportState) => AuditRecord
  readonly now: Clock
  readonly isInterrupted: () => boolean
  /** Hears of each refusal before the batch that it belongs to is on disk. */
  readonly onRefusals: (refusals: readonly Refusal[]) => void
  readonly onBatch: (state: ImportState) => void
}

export interface ImportEnd {
  readonly state: ImportState
  /** Why the rest of the file was not read. */
  readonly stop: { readonly line: number; readonly message: string } | undefined
  readonly isInterrupted: boolean
}

/** Runs the import to its end. What was committed before an error stays. */
export async function runImport(task: ImportTask): Promise<ImportEnd> {
  const { blocks, rowsMax, isAlone, now, isInterrupted } = task
  const waiting: Waiting[] = []
  let [state, rows, stop] = [task.from, 0, undefined as ImportEnd['stop']]
  const isFull = (): boolean =>
    rows >= rowsMax || waiting.reduce((sum, { block }) => sum + block.kib, 0) > KIB_OF_BATCH_MAX
  const writeBatch = async (): Promise<void> => {
    const begun = now()
    state = await commitBatch(task, waiting, state)
    rows = waiting.reduce((sum, { block, next }) => sum + block.ids.length - next, 0)
    task.onBatch(state)
    if (isAlone) await turn()
    else await pause(Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, 2 * (now() - begun))))
  }
  for await (const block of blocks) {
    if (block.ids.length > 0) waiting.push({ block, next: 0 })
    rows += block.ids.length
    while (rows > 0 && isFull() && !isInterrupted()) await writeBatch()
    if (isInterrupted()) return { state, stop, isInterrupted: true }
    stop = block.stop
  }
  while (rows > 0 && !isInterrupted()) await writeBatch()
  return { state, stop, isInterrupted: rows > 0 }
}

interface Waiting {
  readonly block: PreparedBlock
  /** The row of the block that comes next. */
  next: number
}

/**
 * Writes the rows of one batch and takes them off what waits. Where it fails, nothing is written and all still waits.
 */
async function commitBatch(task: ImportTask, waiting: Waiting[], before: ImportState): Promise<ImportState> {
  const { writer, rowsMax, isAlone, keepsBatches, noteName, recordAt, now, onRefusals } = task
  const ends = await writer.transact((tables) => {
    const end = now() + (isAlone ? ALONE_BATCH_MS : SHARED_BATCH_MS)
    const tally = { inserted: 0, replaced: 0, unchanged: 0, refused: 0, newIds: 0 }
    const refusals: Refusal[] = []
    const nexts: number[] = []
    let [done, isTimeUp, offset, line] = [0, false, before.offset, before.line]
    for (const { block, next } of waiting) {
      // Rows of megabytes are looked after one by one.
      const rowsPerLook = block.kib / block.ids.length > KIB_OF_LONG_ROWS ? 1 : ROWS_PER_LOOK
      let at = next
      for (; at < block.ids.length && done < rowsMax && !isTimeUp; at++) {
        const outcome = writeRow(task, tables, block, at)
        if (typeof outcome === 'string') {
          tally[outcome]++
          if (outcome === 'inserted' && block.isNewId[at] === true) tally.newIds++
        } else {
          tally.refused++
          refusals.push(outcome)
        }
        if (++done % rowsPerLook === 0) isTimeUp = now() > end
        offset = placeOf(block, at, 3)
        line = placeOf(block, at, 4)
      }
      nexts.push(at)
    }
    const state: ImportState = {
      offset,
      line,
      inserted: before.inserted + tally.inserted,
      replaced: before.replaced + tally.replaced,
      unchanged: before.unchanged + tally.unchanged,
      refused: before.refused + tally.refused,
      newIds: before.newIds + tally.newIds,
    }
    if (noteName !== undefined) tables.note(noteName, JSON.stringify({ ...state, at: now() }))
    tables.record(recordAt(state))
    if (refusals.length > 0) onRefusals(refusals)
    return { state, nexts }
  }, keepsBatches)
  waiting.forEach((one, i) => (one.next = ends.nexts[i] ?? 0))
  while ((waiting[0]?.next ?? 0) === waiting[0]?.block.ids.length) waiting.shift()
  return ends.state
}

type Done = Extract<BulkOutcome, 'inserted' | 'replaced' | 'unchanged'>

function writeRow(task: ImportTask, tables: BulkTables, block: PreparedBlock, at: number): Done | Refusal {
  const line = placeOf(block, at, 2)
  const id = block.ids[at]
  const refusal = block.refusals[at]
  if (refusal !== undefined || id === undefined) return { line, id, message: refusal ?? '' }
  const { model } = task.context
  const row: BulkRow = { id, doc: block.docs[at] ?? '', search: block.searches[at], basis: block.bases[at] }
  const outcome = tables.write(model, row)
  try {
    const settled = outcome === 'stale' ? tables.write(model, preparedAnew(task, tables, block, at)) : outcome
    switch (settled) {
      case 'inserted':
      case 'replaced':
      case 'unchanged':
        return settled
      case 'taken':
        return {
          line,
          id,
          message: `${model.unique ?? 'id'}: a ${model.name} with this ${UNIQUE_NAMES[model.unique ?? ''] ?? 'value'} exists already`,
        }
      case 'orphan':
        return { line, id, message: `id: expected the id of a user, found ${describe(id)}, which no user has` }
      case 'last-admin':
        return { line, id, message: 'The last administrator cannot be demoted here: give another user the role first' }
      case 'stale':
        throw new Error('A row was stale within its own transaction')
    }
  } catch (error) {
    return { line, id, message: refusalOf(error) }
  }
}

const UNIQUE_NAMES: Readonly<Record<string, string>> = { email: 'e-mail address' }

/** The row as it is to be written now that what the transaction finds is known: the same file may name an id twice. */
function preparedAnew({ format, context }: ImportTask, tables: BulkTables, block: PreparedBlock, at: number): BulkRow {
  const bytes = Buffer.from(block.bytes.buffer, block.bytes.byteOffset, block.bytes.length)
  const row = bytes.subarray(placeOf(block, at, 0), placeOf(block, at, 1))
  return prepareRow(readRow(row, context.model, format), { ...context, textOf: tables.stored })
}

function placeOf({ places }: PreparedBlock, row: number, which: 0 | 1 | 2 | 3 | 4): number {
  return places[row * PLACE_NUMBERS + which] ?? 0
}
