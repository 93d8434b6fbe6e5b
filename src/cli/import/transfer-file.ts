/** The files of `import` and `export`: how they are read, and why they cannot be. */
import { createHash } from 'node:crypto'
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { describe } from '../../base/failure.ts'
import { createRowSplitter } from '../../base/row-splitter.ts'
import { systemReason } from '../../base/system-error.ts'
import { CHUNK_BYTES, ROW_BYTES_MAX } from './import-limits.ts'

/** Of a file, so much tells it from others, with its size and its date. */
const HEAD_BYTES = 64 * 1024

export const FORMATS = ['ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** A file that cannot be read or written, or that is no export; the message is one sentence for the operator. */
export class TransferFileError extends Error {
  override readonly name = 'TransferFileError'
}

export function formatOfName(file: string): Format {
  return file.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson'
}

export interface FileIdentity {
  readonly bytes: number
  readonly fingerprint: string
  /** A pipe with a name is read once, from its beginning. */
  readonly isPipe: boolean
}

/** What tells this state of this file from any other. Throws TransferFileError where it cannot be read. */
export function fileIdentity(file: string): FileIdentity {
  try {
    const stat = statSync(file)
    if (stat.isDirectory()) throw new TransferFileError(`Cannot import ${describe(file)}: it is a directory`)
    // Opening a pipe and closing it would end whoever writes into it.
    if (!stat.isFile()) return { bytes: 0, fingerprint: '', isPipe: true }
    const descriptor = openSync(file, 'r')
    try {
      const head = Buffer.alloc(HEAD_BYTES)
      const length = readSync(descriptor, head, 0, HEAD_BYTES, 0)
      const hash = createHash('sha256').update(`${stat.size} ${stat.mtimeMs} `).update(head.subarray(0, length))
      return { bytes: stat.size, fingerprint: hash.digest('hex'), isPipe: false }
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    throw unreadable(file, error)
  }
}

/** The bytes of a file, or of stdin; each chunk has its memory to itself, so that it can be handed on. */
export async function* chunksOf(
  source: { readonly file: string } | { readonly stdin: Readable },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const stream = 'stdin' in source ? source.stdin : createReadStream(source.file, { highWaterMark: CHUNK_BYTES })
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) yield new Uint8Array(chunk)
  } catch (error) {
    throw unreadable('stdin' in source ? '-' : source.file, error)
  }
}

export interface Header {
  /** The bytes of the first row; undefined where the file has none. */
  readonly row: Buffer | undefined
  /** Where the second row begins. */
  readonly nextOffset: number
  readonly nextLine: number
  /** What follows the first row. */
  readonly rest: AsyncGenerator<Uint8Array<ArrayBuffer>>
}

/**
 * Takes the first row off a CSV file. Throws TransferFileError where it is too long, or its quotes are never closed.
 */
export async function takeHeader(file: string, chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>): Promise<Header> {
  const splitter = createRowSplitter({ hasQuotes: true, rowBytesMax: ROW_BYTES_MAX, offset: 0, line: 1 })
  for (let step = await chunks.next(); ; step = await chunks.next()) {
    const block = step.done === true ? splitter.end() : splitter.push(step.value)
    const [first] = block.rows
    const bytes = block.bytes
    const isEndless = first === undefined && splitter.isPassingOver()
    if (isEndless || first?.isTooLong === true || first?.isUnclosed === true) {
      throw new TransferFileError(
        `Cannot read ${describe(file)}, line 1: expected the names of columns, found a row without an end`,
      )
    }
    if (first === undefined && step.done !== true) continue
    const row = first === undefined ? undefined : Buffer.from(bytes.slice(first.start, first.end))
    // The block holds all bytes up to now: the first row is the first of the file.
    const left = bytes.slice(first?.nextOffset ?? 0)
    return { row, nextOffset: first?.nextOffset ?? 0, nextLine: first?.nextLine ?? 1, rest: followedBy(left, chunks) }
  }
}

async function* followedBy(
  first: Uint8Array<ArrayBuffer>,
  chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (first.length > 0) yield first
  yield* chunks
}

function unreadable(file: string, error: unknown): unknown {
  if (error instanceof TransferFileError) return error
  return new TransferFileError(`Cannot read ${describe(file)}: ${systemReason(error)}`, { cause: error })
}
