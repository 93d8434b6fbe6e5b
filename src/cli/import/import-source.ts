/** Where an import reads from: the file or stdin, its header, and the place behind what an earlier run has done. */
import { CsvError } from '../../base/csv.ts'
import { describe, Failure } from '../../base/failure.ts'
import { readHeader, type RowFormat } from '../../content/import-rows.ts'
import type { Model } from '../../models/schema.ts'
import type { BulkWriter } from '../../store/sqlite/bulk-writer.ts'
import type { Terminal } from '../command.ts'
import { notedState } from './import-notes.ts'
import type { ImportRequest } from './import-request.ts'
import { NOTHING_DONE, type ImportState } from './import-run.ts'
import { chunksOf, takeHeader, TransferFileError } from './transfer-file.ts'

/** Where to go on, or undefined to begin. Throws TransferFileError where the wish and the notes do not fit together. */
export function startingState(
  { file, resume, again }: ImportRequest,
  { writer, note }: { readonly writer: BulkWriter; readonly note: string },
): ImportState | undefined {
  const noted = notedState(writer, note)
  if (resume) {
    if (noted !== undefined) return noted
    throw new TransferFileError(
      `Cannot go on with ${describe(file)}: no import of it was cut off, or the file or the other flags have changed: import it without --resume`,
    )
  }
  if (noted === undefined || noted.newIds === 0 || again) return undefined
  throw new TransferFileError(
    `Cannot import ${describe(file)} from its beginning: ${noted.newIds} of its rows have no id and are there already, ` +
      'from an import that was cut off: go on with --resume, or have them twice with --again',
  )
}

export interface OpenedSource {
  readonly format: RowFormat
  /** Undefined where the thread reads the file. */
  readonly chunks: AsyncIterable<Uint8Array<ArrayBuffer>> | undefined
  readonly start: ImportState
}

/** What has a size is read from any place; of the others, each byte comes once. */
export async function openSource(
  { file, format, model }: ImportRequest,
  { from, isPipe }: { readonly from: ImportState | undefined; readonly isPipe: boolean },
  { stdin }: Terminal,
): Promise<OpenedSource> {
  const chunks = chunksOf(file === undefined ? { stdin } : { file })
  const start = from ?? { offset: 0, line: 1, ...NOTHING_DONE }
  if (format === 'ndjson') return { format: { kind: 'ndjson' }, chunks: isPipe ? chunks : undefined, start }
  const shown = file ?? '-'
  const { row, nextOffset, nextLine, rest } = await takeHeader(shown, chunks)
  if (row === undefined) {
    throw new TransferFileError(`Cannot read ${describe(shown)}: it is empty: expected the names of columns`)
  }
  const rows: RowFormat = { kind: 'csv', columns: columnsOf(row, model, shown) }
  if (!isPipe) await rest.return(undefined)
  const behind = from ?? { ...start, offset: nextOffset, line: nextLine }
  return { format: rows, chunks: isPipe ? rest : undefined, start: behind }
}

function columnsOf(row: Buffer, model: Model, shown: string): readonly string[] {
  try {
    return readHeader(row, model)
  } catch (error) {
    if (!(error instanceof Failure) && !(error instanceof CsvError)) throw error
    throw new TransferFileError(`Cannot read ${describe(shown)}, line 1: ${error.message}`)
  }
}
