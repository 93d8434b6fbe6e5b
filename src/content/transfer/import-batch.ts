/**
 * The rows of one transaction of an import, by the command and by a request: each is checked against what the transaction
 * sees, written and counted. A row that cannot be taken is reported, and those behind it go on.
 */
import { describe } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { SplitRow } from '../../base/row-splitter.ts'
import type { Model } from '../../models/schema.ts'
import { user } from '../../models/user.ts'
import { codeProblem } from '../../store/documents/distinct-codes.ts'
import type { TransactionView } from '../../store/documents/transaction-view.ts'
import type { BulkOutcome, BulkRow } from '../../store/writes/bulk-tables.ts'
import { isBlankRow } from './import-rows.ts'
import type { CheckedRow } from './row-checker.ts'

export type RowView = Pick<TransactionView, 'textOf' | 'lookUp'>

/** What the rows are checked against, and where they go: the tables of a transaction, or the notes of a dry run. */
export interface RowTables extends RowView {
  write(row: BulkRow, line: number): BulkOutcome
}

export interface RowBatch<Row extends SplitRow> {
  readonly model: Model
  readonly check: (row: Row, view: RowView) => CheckedRow
  readonly rows: readonly Row[]
  /** Whether the transaction takes another row behind this one. */
  readonly mayGoOn: (row: Row) => boolean
}

export interface RejectedRow {
  readonly line: number
  readonly id: string | undefined
  readonly message: string
}

/** Why no more of a file can be read. */
export interface UnreadableRow {
  readonly line: number
  readonly message: string
}

export type RowCounts = Readonly<Record<Stored, number>>

export interface BatchOutcome extends Record<Stored, number> {
  /** How many of the rows are done, blank ones included. */
  count: number
  /** Of those inserted, how many had no id in their row. */
  newIds: number
  readonly rejected: RejectedRow[]
  stopped: UnreadableRow | undefined
}

/** Writes the first of the rows, at least one. Changes nothing of its arguments: over a log it runs again. */
export function runBatch<Row extends SplitRow>({ model, check, rows, mayGoOn }: RowBatch<Row>, tables: RowTables): BatchOutcome {
  const outcome: BatchOutcome = { count: 0, inserted: 0, replaced: 0, unchanged: 0, newIds: 0, rejected: [], stopped: undefined }
  for (const row of rows) {
    const checked = isBlank(row) ? undefined : check(row, tables)
    if (checked?.kind === 'unreadable') {
      outcome.stopped = { line: row.line, message: checked.message }
      return outcome
    }
    if (checked?.kind === 'refused') outcome.rejected.push({ line: row.line, id: checked.id, message: checked.message })
    if (checked?.kind === 'document') {
      const { document, isNewId } = checked
      const written = tables.write(document, row.line)
      if (isStored(written)) outcome[written]++
      else outcome.rejected.push({ line: row.line, id: document.id, message: refusal(written, model, document, tables) })
      if (written === 'inserted' && isNewId) outcome.newIds++
    }
    outcome.count++
    if (!mayGoOn(row)) return outcome
  }
  return outcome
}

export function isBlank({ bytes, isTooLong, isUnclosed }: SplitRow): boolean {
  return !isTooLong && !isUnclosed && isBlankRow(bytes)
}

type Stored = 'inserted' | 'replaced' | 'unchanged'

/** Whether a row is stored now. */
export function isStored(outcome: BulkOutcome): outcome is Stored {
  return outcome === 'inserted' || outcome === 'replaced' || outcome === 'unchanged'
}

export function sumOf(one: RowCounts, other: RowCounts): RowCounts {
  return { inserted: one.inserted + other.inserted, replaced: one.replaced + other.replaced, unchanged: one.unchanged + other.unchanged }
}

function refusal(outcome: Exclude<BulkOutcome, Stored>, model: Model, row: BulkRow, { lookUp }: RowView): string {
  if (outcome === 'orphan') return `id: expected the id of a user, found ${describe(row.id)}, which no user has`
  if (outcome === 'last-admin') return 'The last administrator cannot be demoted here: give another user the role first'
  if (model === user) return 'email: a user with this e-mail address exists already'
  const taken = takenCode(lookUp, model, row)
  return taken === undefined ? `A ${model.name} with the same unique value exists already` : `${taken.path}: ${taken.message}`
}

/** Of a code that another document has. What is not complete yet may have any. */
export function takenCode(lookUp: RowView['lookUp'], model: Model, { id, doc, basis, from, place }: BulkRow): ReturnType<typeof codeProblem> {
  if (model.distinct === undefined || place !== undefined) return undefined
  const stored = basis === undefined || from !== undefined ? undefined : (parseJson(basis) as JsonObject)
  return codeProblem(lookUp, model, { id, value: parseJson(doc) as JsonObject, stored })
}
