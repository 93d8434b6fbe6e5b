/** The text of an export, to stdout or to a file. */
import { once } from 'node:events'
import { closeSync, fsyncSync, lstatSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { counted } from '../../base/counted.ts'
import { writeCsvRow } from '../../base/csv.ts'
import { giveName, syncDirectory } from '../../base/directory.ts'
import { describe } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import { nextTurn } from '../../base/pause.ts'
import { systemReason } from '../../base/system-error.ts'
import { cellsOfDocument, csvColumns } from '../../content/transfer/csv-columns.ts'
import { storedDocuments } from '../../content/transfer/export-documents.ts'
import { placesOf } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../../store/db/database.ts'
import { tableOf } from '../../store/schema/names.ts'
import { EXIT, type ExitCode, type Terminal } from '../command.ts'
import { collectHashes } from '../media/picture-transfer.ts'
import { abortOn, progressOn } from '../progress.ts'
import { FILE_EXISTS, ROW_BYTES_MAX, TransferFileError, type Format } from './transfer-file.ts'
import type { FindQuery } from '../../store/query/find-query.ts'

const PIECE_CHARS = 256 * 1024

export interface ExportTask {
  readonly database: Database
  readonly model: Model
  readonly query: FindQuery | undefined
  readonly includes: boolean
  readonly format: Format
  readonly terminal: Terminal
  /** Gets the hashes of pictures that the documents name. */
  readonly hashes?: Set<string> | undefined
}

interface Piece {
  readonly text: string
  /** Documents up to here. */
  readonly count: number
}

/** Also shows on stderr how far the export is, and how many of its rows could not be imported again. */
function* pieces({ database, model, query, includes, format, terminal, hashes }: ExportTask): Generator<Piece> {
  const places = placesOf(model, includes)
  const total = places.reduce((sum, place) => sum + Number(database.get(`SELECT count(*) AS n FROM ${tableOf(place)}`)?.['n']), 0)
  const progress = progressOn(terminal, 'Exporting')
  let [text, count, long] = [format === 'csv' ? writeCsvRow(csvColumns(model)) : '', 0, 0]
  for (const doc of storedDocuments(database, model, query, { includes })) {
    const row = format === 'csv' ? writeCsvRow(cellsOfDocument(model, parseJson(doc) as JsonObject)) : `${doc}\n`
    if (row.length > ROW_BYTES_MAX / 3 && Buffer.byteLength(row) > ROW_BYTES_MAX) long++
    text += row
    count++
    if (hashes !== undefined) collectHashes(doc, hashes)
    if (text.length < PIECE_CHARS) continue
    yield { text, count }
    text = ''
    if (query === undefined) progress.show(count / total)
  }
  progress.end()
  yield { text, count }
  if (long > 0) terminal.stderr.write(`${counted(long, 'row is', 'rows are')} longer than ${ROW_BYTES_MAX} bytes, which import rejects\n`)
}

/** A reader that stops reading, as `head` does, is no failure. */
export async function printExport(task: ExportTask): Promise<ExitCode> {
  const { stdout } = task.terminal
  let failure: NodeJS.ErrnoException | undefined
  const failed = new AbortController()
  stdout.on('error', (error) => {
    failure = error
    failed.abort()
  })
  for (const { text } of pieces(task)) {
    if (!stdout.write(text)) await once(stdout, 'drain', failed).catch(() => {})
    if (failed.signal.aborted) break
  }
  // The error of the last write comes in a later turn.
  if (failure === undefined) await nextTurn()
  if (failure === undefined || failure.code === 'EPIPE') return EXIT.ok
  throw new TransferFileError(`Cannot write to stdout: ${systemReason(failure)}`)
}

/** Writes under another name, which only its owner may read, and renames when all is on disk. */
export async function writeExport(task: ExportTask, to: string): Promise<ExitCode> {
  const file = resolve(to)
  const draft = `${file}.partial-${process.pid}`
  const begun = systemClock()
  let count = 0
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw FILE_EXISTS
    const descriptor = openSync(draft, 'wx', 0o600)
    try {
      count = await writePieces(task, descriptor, to)
      giveName(draft, file)
    } catch (error) {
      rmSync(draft, { force: true })
      throw error
    }
    syncDirectory(dirname(file))
  } catch (error) {
    throw error instanceof Error && 'code' in error && 'syscall' in error ? cannotExport(to, error) : error
  }
  const { terminal, model } = task
  terminal.stderr.write(`Wrote ${file}: ${count} ${model.name}, in ${((systemClock() - begun) / 1000).toFixed(1)} s\n`)
  return EXIT.ok
}

/** Returns the number of documents when they are on disk. Closes the descriptor. */
async function writePieces(task: ExportTask, descriptor: number, to: string): Promise<number> {
  const signal = abortOn(task.terminal.interrupted)
  let written = 0
  try {
    for (const { text, count } of pieces(task)) {
      writeFileSync(descriptor, text)
      written = count
      await nextTurn()
      if (signal.aborted) throw new TransferFileError(`Cannot export to ${describe(to)}: it was interrupted`)
    }
    fsyncSync(descriptor)
    return written
  } finally {
    closeSync(descriptor)
  }
}

function cannotExport(to: string, error: Error & { readonly code?: unknown }): TransferFileError {
  const remedy = error.code === 'EEXIST' ? ': choose another name with --to' : ''
  return new TransferFileError(`Cannot export to ${describe(to)}: ${systemReason(error)}${remedy}`, { cause: error })
}
