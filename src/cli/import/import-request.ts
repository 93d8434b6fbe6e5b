/** What an import is asked to do: the flags of the command, read and checked against each other. */
import { describe } from '../../base/failure.ts'
import type { Model } from '../../models/schema.ts'
import { UsageError, type Arguments } from '../command.ts'
import { readStoredModel } from '../documents/stored-model.ts'
import { readFormat, type Format } from '../documents/transfer-file.ts'

export const ROWS_OF_BATCH = 2_000
const ROWS_OF_BATCH_MAX = 100_000

export interface ImportRequest {
  readonly model: Model
  /** As the operator named it; undefined for stdin. */
  readonly file: string | undefined
  readonly format: Format
  readonly keep: boolean
  readonly incomplete: boolean
  readonly asDrafts: boolean
  readonly isDryRun: boolean
  readonly resume: boolean
  readonly again: boolean
  readonly rejects: string | undefined
  /** A directory of pictures. */
  readonly media: string | undefined
  readonly rowsMax: number
  readonly json: boolean
}

/** Throws UsageError. */
export function readRequest({ options, operands: [named = ''] }: Arguments): ImportRequest {
  const file = named === '-' ? undefined : named
  const format = readFormat(options.get('--format'), file)
  const rowsMax = readBatch(options.get('--batch') ?? String(ROWS_OF_BATCH))
  const [resume, again, isDryRun] = [options.has('--resume'), options.has('--again'), options.has('--dry-run')]
  if (resume && again) throw new UsageError('--resume and --again exclude each other')
  if (resume && isDryRun) throw new UsageError('--resume and --dry-run exclude each other')
  if (resume && file === undefined)
    throw new UsageError('--resume needs a file: standard input cannot be read again')
  const model = readStoredModel(options.get('--model'))
  // The audit trail.
  if (model.access.create === 'unsupported') {
    throw new UsageError(`Cannot import ${model.name}: the service alone writes it`)
  }
  return {
    model,
    file,
    format,
    keep: options.has('--keep'),
    incomplete: options.has('--incomplete'),
    asDrafts: options.has('--drafts'),
    isDryRun,
    resume,
    again,
    rejects: options.get('--rejects'),
    media: options.get('--media'),
    rowsMax,
    json: options.has('--json'),
  }
}

function readBatch(given: string): number {
  if (/^[1-9]\d{0,5}$/.test(given) && Number(given) <= ROWS_OF_BATCH_MAX) return Number(given)
  throw new UsageError(
    `Cannot read --batch ${describe(given)}: expected a whole number from 1 to ${ROWS_OF_BATCH_MAX}`,
  )
}
