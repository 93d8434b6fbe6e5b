/** What the files of `import` and `export` have in common. */
import { describe } from '../../base/failure.ts'
import { UsageError } from '../command.ts'

const FORMATS = ['ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** As long as the body of a request may be. */
export const ROW_BYTES_MAX = 2 * 1024 * 1024

export class TransferFileError extends Error {
  override readonly name = 'TransferFileError'
}

/** The format that is named, or else that of the file by its name. Throws UsageError. */
export function readFormat(named: string | undefined, file: string | undefined): Format {
  if (named === undefined) return file?.toLowerCase().endsWith('.csv') === true ? 'csv' : 'ndjson'
  const format = FORMATS.find((one) => one === named)
  if (format !== undefined) return format
  throw new UsageError(`Cannot read --format ${describe(named)}: expected one of ${FORMATS.join(', ')}`)
}

/** The error of the system where a file must not exist yet. */
export const FILE_EXISTS = Object.assign(new Error('The file exists'), { code: 'EEXIST', syscall: 'open' })
