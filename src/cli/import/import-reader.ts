/** The file that is imported, or stdin, as rows: one by one, with one chunk and one row in memory at a time. */
import { createHash } from 'node:crypto'
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { CsvError } from '../../base/csv.ts'
import { describe, Failure } from '../../base/failure.ts'
import { createRowSplitter, type SplitRow } from '../../base/row-splitter.ts'
import { systemReason } from '../../base/system-error.ts'
import { isBlank } from '../../content/transfer/import-batch.ts'
import { readHeader, type RowFormat } from '../../content/transfer/import-rows.ts'
import { encodingOf, TELLING_BYTES, type TextEncoding } from '../../models/text-encoding.ts'
import { ROW_BYTES_MAX, TransferFileError } from '../documents/transfer-file.ts'
import type { ImportRequest } from './import-request.ts'

/** The beginning of a file, its size and its date tell it from others. */
const HEAD_BYTES = 64 * 1024

export interface ImportSource {
  /** As messages name it. */
  readonly shown: string
  /** Undefined for stdin and for pipes with a name: they are read once, from their beginning. */
  readonly file: { readonly path: string; readonly bytes: number; readonly fingerprint: string } | undefined
}

/** Of the file as UTF-8. */
export interface Position {
  readonly offset: number
  readonly line: number
}

const BEGINNING: Position = { offset: 0, line: 1 }

export interface ImportRows {
  readonly format: RowFormat
  readonly rows: AsyncGenerator<SplitRow, void>
  /** Where the first of the rows begins. */
  readonly start: Position
}

/** Throws TransferFileError where the file cannot be read. */
export function identifySource(file: string | undefined): ImportSource {
  if (file === undefined) return { shown: '-', file: undefined }
  try {
    const stat = statSync(file)
    if (stat.isDirectory()) throw new TransferFileError(`Cannot import ${describe(file)}: it is a directory`)
    // Opening a pipe and closing it would end the program that writes into it.
    if (!stat.isFile()) return { shown: file, file: undefined }
    const fingerprint = createHash('sha256').update(`${stat.size} ${stat.mtimeMs} `).update(headOf(file, HEAD_BYTES)).digest('hex')
    return { shown: file, file: { path: resolve(file), bytes: stat.size, fingerprint } }
  } catch (error) {
    throw cannotRead(file, error)
  }
}

function headOf(file: string, bytes: number): Uint8Array {
  const descriptor = openSync(file, 'r')
  try {
    const head = Buffer.alloc(bytes)
    return head.subarray(0, readSync(descriptor, head, 0, bytes, 0))
  } finally {
    closeSync(descriptor)
  }
}

/** What the rows are read from, where from, and the signal that ends it. */
interface Reading {
  readonly stdin: Readable
  readonly from: Position | undefined
  readonly signal: AbortSignal
  /** Told where the file is read from its beginning. */
  readonly onEncoding?: (encoding: TextEncoding) => void
}

/**
 * The rows behind `from`, or all of them; of a CSV file the header is read first. Undefined where the signal came before
 * it. Throws TransferFileError.
 */
export async function openRows(
  { file, format, model }: ImportRequest,
  { stdin, from, signal, onEncoding }: Reading,
): Promise<ImportRows | undefined> {
  const shown = file ?? '-'
  const isCsv = format === 'csv'
  const rowsFrom = (position: Position) => splitRows(file ?? stdin, { shown, isCsv, signal, onEncoding, ...position })
  if (format === 'ndjson') {
    const start = from ?? BEGINNING
    return { format: { kind: 'ndjson' }, rows: rowsFrom(start), start }
  }
  const rows = rowsFrom(BEGINNING)
  let line = 1
  try {
    const header = await headerOf(rows, { shown, signal })
    if (header === undefined) return undefined
    line = header.line
    const rowFormat = readHeader(header.bytes, model)
    if (from === undefined) {
      return { format: rowFormat, rows, start: { offset: header.nextOffset, line: header.nextLine } }
    }
    await rows.return()
    return { format: rowFormat, rows: rowsFrom(from), start: from }
  } catch (error) {
    await rows.return()
    if (!(error instanceof Failure) && !(error instanceof CsvError)) throw error
    throw new TransferFileError(`Cannot read ${describe(shown)}, line ${line}: ${error.message}`)
  }
}

/** The first row that is not blank. */
async function headerOf(
  rows: AsyncGenerator<SplitRow, void>,
  { shown, signal }: Pick<SplitOptions, 'shown' | 'signal'>,
): Promise<SplitRow | undefined> {
  let { value: header } = await rows.next()
  while (header !== undefined && isBlank(header)) ({ value: header } = await rows.next())
  if (header === undefined && signal.aborted) return undefined
  if (header === undefined) {
    throw new TransferFileError(`Cannot read ${describe(shown)}: it is empty: expected the names of columns`)
  }
  if (header.isTooLong || header.isUnclosed) throw endlessHeader(shown)
  return header
}

interface SplitOptions extends Position {
  readonly shown: string
  readonly isCsv: boolean
  readonly signal: AbortSignal
  readonly onEncoding: Reading['onEncoding']
}

async function* splitRows(
  source: string | Readable,
  { shown, isCsv, signal, onEncoding, offset, line }: SplitOptions,
): AsyncGenerator<SplitRow, void> {
  const splitter = createRowSplitter({ hasQuotes: isCsv, rowBytesMax: ROW_BYTES_MAX, offset, line })
  let isHeader = isCsv && offset === 0
  try {
    for await (const chunk of utf8Of(source, { offset, signal, onEncoding })) {
      for (const row of splitter.push(chunk)) {
        isHeader = false
        yield row
      }
      // Other rows that are too long are skipped to their end, but this one may have none.
      if (isHeader && splitter.isSkipping()) throw endlessHeader(shown)
    }
  } catch (error) {
    throw cannotRead(shown, error)
  }
  if (!signal.aborted) yield* splitter.end()
}

/** The bytes behind an offset, as UTF-8 from whatever encoding the first ones tell. */
async function* utf8Of(
  source: string | Readable,
  { offset, signal, onEncoding }: Pick<SplitOptions, 'offset' | 'signal' | 'onEncoding'>,
): AsyncGenerator<Buffer, void> {
  // Only a file is read from an offset. In another encoding it has other offsets than its text.
  const isUtf8 = typeof source === 'string' && offset > 0 && encodingOf(headOf(source, TELLING_BYTES)) === 'utf-8'
  const stream = typeof source === 'string' ? openFile(source, isUtf8 ? offset : 0) : source
  let decoder: TextDecoder | undefined
  let [isFirst, skipped] = [true, isUtf8 ? offset : 0]
  for await (const chunk of chunksUntil(signal, stream)) {
    if (isFirst && !isUtf8) {
      const encoding = encodingOf(chunk)
      if (offset === 0) onEncoding?.(encoding)
      if (encoding !== 'utf-8') decoder = new TextDecoder(encoding)
    }
    isFirst = false
    const bytes = decoder === undefined ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }))
    yield bytes.subarray(Math.min(bytes.length, offset - skipped))
    skipped = Math.min(offset, skipped + bytes.length)
  }
  if (decoder !== undefined) yield Buffer.from(decoder.decode())
}

/** What the stream gives until the signal comes: a read of a pipe may never return. */
async function* chunksUntil(signal: AbortSignal, stream: Readable): AsyncGenerator<Buffer, void> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  try {
    for (;;) {
      const next = await nextUntil(signal, chunks)
      if (next === undefined || next.done === true) return
      yield next.value
    }
  } finally {
    // What the call that still waits finds in the end is of no use.
    stream.on('error', () => {}).destroy()
  }
}

function nextUntil<T>(signal: AbortSignal, values: AsyncIterator<T>): Promise<IteratorResult<T> | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined)
    signal.addEventListener('abort', stop)
    void values
      .next()
      .then(resolve, reject)
      .then(() => signal.removeEventListener('abort', stop))
  })
}

function openFile(path: string, offset: number): Readable {
  // A pipe cannot be read from a position, not even from 0.
  return createReadStream(path, { highWaterMark: TELLING_BYTES, ...(offset === 0 ? {} : { start: offset }) })
}

function endlessHeader(shown: string): TransferFileError {
  return new TransferFileError(
    `Cannot read ${describe(shown)}, line 1: expected the names of columns, found a row without an end: lines end with a line feed`,
  )
}

function cannotRead(shown: string, error: unknown): TransferFileError {
  if (error instanceof TransferFileError) return error
  return new TransferFileError(`Cannot read ${describe(shown)}: ${systemReason(error)}`, { cause: error })
}
