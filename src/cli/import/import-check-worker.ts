/** The program of the thread that checks rows of an import ahead of the transactions that write them. */
import { runTasks } from '../../base/thread.ts'
import type { SplitRow } from '../../base/row-splitter.ts'
import type { RowFormat } from '../../content/transfer/import-rows.ts'
import { placesOf } from '../../models/incomplete.ts'
import { modelNamed } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import type { BulkRow } from '../../store/writes/bulk-tables.ts'
import { importChecker } from './import-checker.ts'

export interface CheckSettings {
  readonly format: RowFormat
  /** Its name. */
  readonly model: string
  readonly keep: boolean
  readonly incomplete: boolean
  readonly asDrafts: boolean
  readonly date: string
}

export interface CheckTask {
  readonly settings: CheckSettings
  readonly rows: readonly SplitRow[]
}

/** What each row stores where nothing is stored under its id; undefined for a row that needs the database or an id. */
export type CheckResult = readonly (BulkRow | undefined)[]

/** What a reference names is in the database, which only the transaction reads. */
const NEEDS_DATABASE = new Error('A row names other documents')

function checkAll({ settings: { format, model: name, ...settings }, rows }: CheckTask): CheckResult {
  const model = modelNamed(name) as Model
  const check = importChecker(format, { ...settings, model })
  const lookUp = (): never => {
    throw NEEDS_DATABASE
  }
  return rows.map((row) => {
    let own = placesOf(model, true).length
    const textOf = (): undefined => {
      // The first texts that are asked for are those of the row's own id.
      if (own === 0) throw NEEDS_DATABASE
      own--
    }
    try {
      const checked = check({ ...row, bytes: Buffer.from(row.bytes) }, { textOf, lookUp })
      return checked.kind === 'document' && !checked.isNewId ? checked.document : undefined
    } catch (error) {
      if (error === NEEDS_DATABASE) return undefined
      throw error
    }
  })
}

runTasks(checkAll)
