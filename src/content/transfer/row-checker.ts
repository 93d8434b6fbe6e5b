/** What a row of an import stores, or why it is rejected. */
import { systemClock } from '../../base/clock.ts'
import { CsvError } from '../../base/csv.ts'
import { idGenerator } from '../../base/ids.ts'
import type { SplitRow } from '../../base/row-splitter.ts'
import type { BulkRow } from '../../store/writes/bulk-tables.ts'
import { prepareRow, readRow, rejectMessage, type RowContext, type RowFormat } from './import-rows.ts'

/** 'unreadable': where this row ends is unclear, and so is everything after it. */
export type CheckedRow =
  | { readonly kind: 'document'; readonly document: BulkRow; readonly isNewId: boolean }
  | { readonly kind: 'refused'; readonly id: string | undefined; readonly message: string }
  | { readonly kind: 'unreadable'; readonly message: string }

export type RowChecker = ReturnType<typeof createRowChecker>

export interface RowSettings extends Pick<RowContext, 'model' | 'keep' | 'incomplete' | 'asDrafts' | 'date' | 'readEmail'> {
  readonly rowBytesMax: number
}

export function createRowChecker(format: RowFormat, { rowBytesMax, ...settings }: RowSettings) {
  const { model } = settings
  const newId = idGenerator(systemClock)
  return (row: SplitRow, { textOf, lookUp }: Pick<RowContext, 'textOf' | 'lookUp'>): CheckedRow => {
    if (row.isUnclosed) return { kind: 'unreadable', message: 'a quote is opened and never closed' }
    if (row.isTooLong) {
      return { kind: 'refused', id: undefined, message: `expected at most ${rowBytesMax} bytes in a row, found more` }
    }
    let id: unknown
    try {
      const sent = readRow(row.bytes, model, format)
      id = sent['id'] ?? undefined
      const document = prepareRow(sent, { ...settings, newId, textOf, lookUp })
      return { kind: 'document', document, isNewId: id === undefined && model.singleton === undefined }
    } catch (error) {
      if (error instanceof CsvError) return { kind: 'unreadable', message: error.message }
      return { kind: 'refused', id: typeof id === 'string' ? id : undefined, message: rejectMessage(error) }
    }
  }
}
