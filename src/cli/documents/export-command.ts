/**
 * `dateline export`: the documents of a model as they are at one moment, also while the service runs.
 *
 * One read transaction sees one state. As long as it lasts, the write-ahead log of a service that writes cannot be
 * emptied, so the command waits for nobody but whoever reads its output.
 */
import { once } from 'node:events'
import { closeSync, fsyncSync, lstatSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { systemClock } from '../../base/clock.ts'
import { writeCsvRow } from '../../base/csv.ts'
import { giveName, syncDirectory } from '../../base/directory.ts'
import { describe, Failure } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import { systemReason } from '../../base/system-error.ts'
import { readConfig } from '../../config/read-config.ts'
import type { Config } from '../../config/settings.ts'
import { cellsOfDocument, csvColumns } from '../../content/csv-columns.ts'
import { storedDocuments } from '../../content/export-documents.ts'
import { readListQuery } from '../../content/list-query.ts'
import type { Caller } from '../../models/caller.ts'
import type { Model } from '../../models/schema.ts'
import { parseFilterText } from '../../query/parse.ts'
import { asStoreFailure, type Database } from '../../store/sqlite/database.ts'
import { countriesInUse } from '../../store/tables/document-tables.ts'
import { tableOf } from '../../store/sqlite/schema-sql.ts'
import type { FindQuery } from '../../store/store.ts'
import { EXIT, UsageError, type Command, type ExitCode, type Terminal } from '../command.ts'
import { commandRecord, recordBeside } from '../command-record.ts'
import { openForReading } from './open-for-reading.ts'
import { progressOn } from '../progress.ts'
import { readStoredModel } from './stored-model.ts'
import { readFormat, ROW_BYTES_MAX, TransferFileError, type Format } from './transfer-file.ts'

/** The operator sees what readers do not. */
const OPERATOR: Caller = { id: '', appRole: 'standardUser', dashboardRole: 'admin' }
/** Documents of one page where a filter is given. */
const PAGE_SIZE = 500
/** Text is written in pieces of about this many characters. */
const PIECE_CHARS = 256 * 1024

export const exportCommand: Command = {
  name: 'export',
  summary: 'print the documents of a model, in the order of their ids; also while the service runs',
  options: [
    { flag: '--model', value: 'NAME', meaning: 'the model, as in a request' },
    { flag: '--format', value: 'FORMAT', meaning: 'ndjson or csv (default: by the name of the file, else ndjson)' },
    { flag: '--filter', value: 'JSON', meaning: 'the filter, as in a request' },
    { flag: '--to', value: 'FILE', meaning: 'file to write, which must not be there yet (default: stdout)' },
  ],
  settings: ['dataDir'],
  examples: [
    'dateline export --model headline --to headlines.ndjson',
    `dateline export --model source --format csv --filter '{"status":"active"}'`,
  ],
  async run({ options, settings }, terminal) {
    const model = readStoredModel(options.get('--model'))
    const to = options.get('--to')
    const format = readFormat(options.get('--format'), to)
    const config = readConfig(settings, terminal.environment)
    const filter = options.get('--filter')
    await withReading(config, (database) => readQuery(model, filter, database))
    // Before anything is shown, and while no reader of ours keeps the write-ahead log in use.
    const filtered = filter === undefined ? undefined : 'yes'
    await recordBeside(config, terminal, commandRecord('export', { model: model.name, filtered, to }))
    return withReading(config, async (database) => {
      database.exec('BEGIN')
      const query = await readQuery(model, filter, database)
      const task = { database, model, query, format, terminal }
      return to === undefined ? printExport(task) : writeExport(task, to)
    })
  },
}

async function withReading<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openForReading(config)
  try {
    return await work(database)
  } catch (error) {
    throw asStoreFailure(error)
  } finally {
    database.close()
  }
}

/** Throws UsageError with the service's own message where the service would refuse. */
async function readQuery(model: Model, filter: string | undefined, database: Database): Promise<FindQuery | undefined> {
  if (filter === undefined) return undefined
  const settings = { limitDefault: PAGE_SIZE, limitMax: PAGE_SIZE, hideInactive: false }
  const store = { countriesInUse: async (use: 'eventCountry' | 'headquarters') => countriesInUse(database, use) }
  try {
    const params = { filter: parseFilterText(filter), sort: 'id', limit: String(PAGE_SIZE), cursor: undefined }
    return await readListQuery(model, params, OPERATOR, { settings, store })
  } catch (error) {
    if (error instanceof Failure) throw new UsageError(error.message)
    throw error
  }
}

interface ExportTask {
  readonly database: Database
  readonly model: Model
  readonly query: FindQuery | undefined
  readonly format: Format
  readonly terminal: Terminal
}

interface Piece {
  readonly text: string
  /** Documents up to here. */
  readonly count: number
}

/** The text of the export, and on stderr how far it is and what of it could not be imported again. */
function* pieces({ database, model, query, format, terminal }: ExportTask): Generator<Piece> {
  const total = Number(database.get(`SELECT count(*) AS n FROM ${tableOf(model)}`)?.['n'])
  const progress = progressOn(terminal, 'Exporting')
  let [text, count, long] = [format === 'csv' ? writeCsvRow(csvColumns(model)) : '', 0, 0]
  for (const doc of storedDocuments(database, model, query)) {
    const row = format === 'csv' ? writeCsvRow(cellsOfDocument(model, parseJson(doc) as JsonObject)) : `${doc}\n`
    if (row.length > ROW_BYTES_MAX / 3 && Buffer.byteLength(row) > ROW_BYTES_MAX) long++
    text += row
    count++
    if (text.length < PIECE_CHARS) continue
    yield { text, count }
    text = ''
    if (query === undefined) progress.show(count / total)
  }
  progress.end()
  yield { text, count }
  if (long > 0) terminal.stderr.write(`${long} rows are longer than ${ROW_BYTES_MAX} bytes, which import refuses\n`)
}

/** Whoever reads may stop reading, as `head` does: that is no failure. */
async function printExport(task: ExportTask): Promise<ExitCode> {
  const { stdout } = task.terminal
  let failure: (Error & { readonly code?: string }) | undefined
  const gone = new AbortController()
  stdout.on('error', (error) => {
    failure = error
    gone.abort()
  })
  for (const { text } of pieces(task)) {
    if (failure !== undefined) break
    if (!(await written(stdout, text, gone.signal))) break
  }
  // An error of the last piece is told a little later.
  if (failure === undefined) await turn()
  if (failure === undefined || failure.code === 'EPIPE') return EXIT.ok
  throw new TransferFileError(`Cannot write to stdout: ${systemReason(failure)}`)
}

/** Waits until there is room for more; false where nobody reads any more. */
async function written(stdout: Writable, text: string, signal: AbortSignal): Promise<boolean> {
  if (stdout.write(text)) return true
  try {
    await once(stdout, 'drain', { signal })
    return true
  } catch {
    return false
  }
}

/** Writes under another name, which only its owner may read, and gives it its name when it is whole and on disk. */
async function writeExport(task: ExportTask, to: string): Promise<ExitCode> {
  const { terminal, model } = task
  const file = resolve(to)
  const partial = `${file}.partial-${process.pid}`
  const begun = systemClock()
  let [isInterrupted, isMade] = [false, false]
  void terminal.interrupted.then(() => void (isInterrupted = true))
  let [descriptor, count] = [undefined as number | undefined, 0]
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw unwritable(to, IS_THERE)
    descriptor = openSync(partial, 'wx', 0o600)
    isMade = true
    for (const piece of pieces(task)) {
      writeWhole(descriptor, piece.text)
      count = piece.count
      await turn()
      if (isInterrupted) throw new TransferFileError(`Cannot export to ${describe(to)}: it was interrupted`)
    }
    fsyncSync(descriptor)
    closeSync(descriptor)
    descriptor = undefined
    giveName(partial, file)
    syncDirectory(dirname(file))
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor)
    if (isMade) rmSync(partial, { force: true })
    if (error instanceof Error && 'code' in error && 'syscall' in error) throw unwritable(to, error)
    throw error
  }
  terminal.stderr.write(`Wrote ${file}: ${count} ${model.name}, in ${((systemClock() - begun) / 1000).toFixed(1)} s\n`)
  return EXIT.ok
}

function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
}

const IS_THERE = Object.assign(new Error('The file is there'), { code: 'EEXIST' })

function unwritable(to: string, error: Error): TransferFileError {
  const remedy = 'code' in error && error.code === 'EEXIST' ? ': choose another name with --to' : ''
  return new TransferFileError(`Cannot export to ${describe(to)}: ${systemReason(error)}${remedy}`, { cause: error })
}
