/** What an import is asked to do: the flags of the command, read and checked against each other. */
import { describe } from '../../base/failure.ts'
import type { Model } from '../../models/schema.ts'
import { UsageError, type Arguments } from '../command.ts'
import { readFormat, readImportedModel } from '../documents/stored-model.ts'
import { formatOfName, type Format } from './transfer-file.ts'

export const ROWS_OF_BATCH = 2_000
const ROWS_OF_BATCH_MAX = 100_000

export interface ImportRequest {
  readonly model: Model
  /** As it was named; undefined for stdin. */
  readonly file: string | undefined
  readonly format: Format
  readonly keep: boolean
  readonly isDryRun: boolean
  readonly resume: boolean
  readonly again: boolean
  readonly rejects: string | undefined
  readonly rowsMax: number
  readonly json: boolean
}

/** Throws UsageError. */
export function readRequest({ options, operands: [named = ''] }: Arguments): ImportRequest {
  const file = named === '-' ? undefined : named
  const format = readFormat(options.get('--format') ?? formatOfName(named))
  const batch = options.get('--batch') ?? String(ROWS_OF_BATCH)
  if (!/^[1-9]\d{0,5}$/.test(batch) || Number(batch) > ROWS_OF_BATCH_MAX) {
    throw new UsageError(
      `Cannot read --batch ${describe(batch)}: expected a whole number from 1 to ${ROWS_OF_BATCH_MAX}`,
    )
  }
  const [resume, again, isDryRun] = [options.has('--resume'), options.has('--again'), options.has('--dry-run')]
  if (resume && again) throw new UsageError('--resume and --again exclude each other')
  if (resume && isDryRun) throw new UsageError('--resume and --dry-run exclude each other')
  if (resume && file === undefined)
    throw new UsageError('--resume wants a file: what came through stdin cannot come again')
  return {
    model: readImportedModel(options.get('--model')),
    file,
    format,
    keep: options.has('--keep'),
    isDryRun,
    resume,
    again,
    rejects: options.get('--rejects'),
    rowsMax: Number(batch),
    json: options.has('--json'),
  }
}
