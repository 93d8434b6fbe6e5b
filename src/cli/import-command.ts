/**
 * `dateline import`: documents from a file, also while the service runs.
 *
 * Rows are read and prepared in a thread (import-worker.ts) and written in batches (import-run.ts). What cannot be taken is
 * reported and passed over; what was committed stays, and an import that was cut off goes on with --resume.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openServices, type Services } from '../app/services.ts'
import { newAccount } from '../auth/new-account.ts'
import { systemClock } from '../base/clock.ts'
import { CsvError } from '../base/csv.ts'
import { isoDate } from '../base/dates.ts'
import { describe, Failure } from '../base/failure.ts'
import type { JsonObject } from '../base/json.ts'
import { createLog } from '../base/log.ts'
import { systemReason } from '../base/system-error.ts'
import { readConfig } from '../config/read-config.ts'
import { readSecrets } from '../config/secrets.ts'
import type { Config } from '../config/settings.ts'
import { readHeader, type RowFormat } from '../content/import-rows.ts'
import { defaultLanguage } from '../content/seeding.ts'
import type { Model } from '../models/schema.ts'
import type { User } from '../models/user.ts'
import { openBulkWriter, type BulkWriter } from '../store/bulk-writer.ts'
import { DataDirError } from '../store/data-dir.ts'
import type { NewAccount } from '../store/store.ts'
import { EXIT, UsageError, type Arguments, type Command, type ExitCode, type Terminal } from './command.ts'
import { rowContext } from './import-context.ts'
import { forgetNotes, notedState, noteName } from './import-notes.ts'
import { NOTHING_DONE, runImport, type ImportEnd, type ImportState, type Refusal } from './import-run.ts'
import { preparedBlocks } from './import-thread.ts'
import { openForReading } from './open-for-reading.ts'
import { progressOn } from './progress.ts'
import { readFormat, readStoredModel } from './stored-model.ts'
import { chunksOf, fileIdentity, formatOfName, takeHeader, TransferFileError, type Format } from './transfer-file.ts'

const ROWS_OF_BATCH = 2_000
const ROWS_OF_BATCH_MAX = 100_000
/** Refusals that are shown; --rejects has them all. */
const REFUSALS_SHOWN = 20

export const importCommand: Command = {
  name: 'import',
  summary:
    'put the rows of a file into the database, in the place of those with the same id; also while the service runs',
  operands: [{ name: 'FILE', meaning: 'a file of JSON lines or CSV, as "export" writes them; - reads stdin' }],
  options: [
    { flag: '--model', value: 'NAME', meaning: 'the model of all rows' },
    { flag: '--format', value: 'FORMAT', meaning: 'ndjson or csv (default: by the name of the file)' },
    {
      flag: '--keep',
      meaning: 'keep createdAt and updatedAt of the rows; otherwise the server sets them as for a request',
    },
    {
      flag: '--dry-run',
      meaning: 'check every row and change nothing; rows of different batches do not see each other',
    },
    { flag: '--resume', meaning: 'go on behind the last batch of an import of this file that was cut off' },
    {
      flag: '--again',
      meaning: 'begin anew although rows without an id are there already from an import that was cut off',
    },
    { flag: '--rejects', value: 'FILE', meaning: 'write the line, id and message of each row that is refused to FILE' },
    { flag: '--batch', value: 'N', meaning: `rows of one transaction at most (default: ${ROWS_OF_BATCH})` },
    { flag: '--json', meaning: 'print the result as JSON' },
  ],
  settings: ['dataDir', 'flagBaseUrl'],
  examples: [
    'dateline import --model source sources.csv --dry-run',
    'dateline import --model headline headlines.ndjson --keep --rejects refused.ndjson',
    'dateline import --model headline headlines.ndjson --keep --resume',
  ],
  async run(args, terminal) {
    const request = readRequest(args)
    const config = readConfig(args.settings, terminal.environment)
    // A dry run must not be what makes or changes a database.
    if (request.isDryRun) openForReading(config).close()
    const { services, isAlone } = await openBeside(config, terminal)
    try {
      const accountOf = await accountMaker(services)
      const file = join(resolve(config.dataDir), 'dateline.db')
      const writer = openBulkWriter({ file, isAlone, accountOf })
      try {
        return await importFile(request, { writer, file, isAlone, terminal })
      } finally {
        await writer.close()
      }
    } finally {
      await services.store.close()
    }
  },
}

interface ImportRequest {
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
function readRequest({ options, operands: [named = ''] }: Arguments): ImportRequest {
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
    model: readStoredModel(options.get('--model')),
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

/** With the directory to ourselves where nobody has it, else beside the service. Throws DataDirError and SchemaError. */
async function openBeside(
  config: Config,
  { environment, stderr }: Terminal,
): Promise<{ readonly services: Services; readonly isAlone: boolean }> {
  const log = createLog({ level: 'warn', format: 'pretty', now: systemClock, write: (text) => void stderr.write(text) })
  const open = (own: boolean) => openServices(config, readSecrets(environment), { now: systemClock, log, own })
  try {
    return { services: await open(true), isAlone: true }
  } catch (error) {
    if (!(error instanceof DataDirError)) throw error
    return { services: await open(false), isAlone: false }
  }
}

async function accountMaker({ store }: Services): Promise<(document: JsonObject) => NewAccount> {
  const language = await defaultLanguage(store)
  return (document) => {
    const { id, email, appRole, dashboardRole } = document as unknown as User
    const account = newAccount({ id, email, appRole, dashboardRole, now: systemClock(), language })
    return { ...account, user: { id, value: document } }
  }
}

interface ImportParts {
  readonly writer: BulkWriter
  readonly file: string
  readonly isAlone: boolean
  readonly terminal: Terminal
}

async function importFile(request: ImportRequest, { writer, file, isAlone, terminal }: ImportParts): Promise<ExitCode> {
  const { model, keep, isDryRun, json } = request
  const shown = request.file ?? '-'
  const source = request.file === undefined ? undefined : fileIdentity(request.file)
  if (request.resume && source?.isPipe === true) {
    throw new TransferFileError(`Cannot go on with ${describe(shown)}: what came through a pipe cannot come again`)
  }
  const note =
    source === undefined || source.isPipe || isDryRun
      ? undefined
      : noteName([model.name, request.format, keep, resolve(shown), source.fingerprint])
  const isPipe = source === undefined || source.isPipe
  const from = note === undefined ? undefined : startingState(request, { writer, note })
  const begun = systemClock()
  const { format, chunks, start } = await openSource(request, { from, isPipe }, terminal)
  const rejects = openRejects(request)
  const progress = progressOn(terminal, isDryRun ? 'Checking' : 'Importing')
  let [isInterrupted, refusalsLeft] = [false, REFUSALS_SHOWN]
  void terminal.interrupted.then(() => void (isInterrupted = true))
  const date = isoDate(begun)
  const path = isPipe ? undefined : resolve(shown)
  const setup = { file, path, model: model.name, format, keep, date, offset: start.offset, line: start.line }
  try {
    const end = await runImport({
      writer,
      blocks: preparedBlocks(setup, chunks),
      format,
      context: rowContext({ model, keep, date, textOf: () => undefined }),
      from: start,
      rowsMax: request.rowsMax,
      isAlone,
      keepsBatches: !isDryRun,
      noteName: note,
      now: systemClock,
      isInterrupted: () => isInterrupted,
      onRefusals(refusals) {
        rejects?.write(refusals)
        const some = refusals.slice(0, refusalsLeft)
        refusalsLeft -= some.length
        if (some.length > 0) progress.end()
        for (const refusal of some) terminal.stderr.write(`${refusalText(refusal)}\n`)
      },
      onBatch: ({ offset }) => progress.show(source === undefined || source.bytes === 0 ? 0 : offset / source.bytes),
    })
    progress.end()
    const isWhole = end.stop === undefined && !end.isInterrupted
    if (isWhole && note !== undefined) await forgetNotes(writer, note)
    const hidden = end.state.refused - start.refused - (REFUSALS_SHOWN - refusalsLeft)
    if (hidden > 0)
      terminal.stderr.write(
        `and ${hidden} more rows were refused${request.rejects === undefined ? ': see --rejects' : ''}\n`,
      )
    const result = resultOf(request, { end, from: start, ms: systemClock() - begun })
    terminal.stdout.write(json ? `${JSON.stringify(result)}\n` : resultText(result))
    if (end.stop !== undefined) throw new TransferFileError(stopText(shown, end.stop, end.state))
    if (end.isInterrupted) {
      const remedy = note === undefined ? '' : ': go on with --resume'
      terminal.stderr.write(`Interrupted before line ${end.state.line}${remedy}\n`)
    }
    return isWhole && end.state.refused === 0 ? EXIT.ok : EXIT.failed
  } finally {
    progress.end()
    rejects?.close()
    // Whoever writes into a pipe is told that nobody reads any more.
    if (request.file === undefined) terminal.stdin.destroy()
  }
}

/** Where to go on, or undefined to begin. Throws TransferFileError where the wish and the notes do not fit together. */
function startingState(
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

interface OpenedSource {
  readonly format: RowFormat
  /** Undefined where the thread reads the file. */
  readonly chunks: AsyncIterable<Uint8Array<ArrayBuffer>> | undefined
  readonly start: ImportState
}

/** What has a size is read from any place; of the others, each byte comes once. */
async function openSource(
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

/** The row itself stays out of the file: it may be about a person. */
function openRejects({ rejects, resume }: ImportRequest) {
  if (rejects === undefined) return undefined
  let descriptor: number
  try {
    descriptor = openSync(rejects, resume ? 'a' : 'ax', 0o600)
  } catch (error) {
    throw new TransferFileError(
      `Cannot write ${describe(rejects)}: ${systemReason(error)}: choose another name with --rejects`,
    )
  }
  return {
    write(refusals: readonly Refusal[]): void {
      writeSync(descriptor, refusals.map((refusal) => `${JSON.stringify(refusal)}\n`).join(''))
    },
    close: () => closeSync(descriptor),
  }
}

function stopText(
  shown: string,
  stop: { readonly line: number; readonly message: string },
  state: ImportState,
): string {
  const before =
    state.newIds === 0
      ? ''
      : `, and ${state.newIds} rows before it have no id: take what is before line ${stop.line} out of the mended file, lest they come twice`
  return `Cannot read ${describe(shown)}, line ${stop.line}: ${stop.message}; nothing from there on was imported${before}`
}

function refusalText({ line, id, message }: Refusal): string {
  return `line ${line}${id === undefined ? '' : `, id ${describe(id)}`}: ${message}`
}

/** What is printed with --json; the members are part of the interface. */
interface ImportResult {
  readonly model: string
  readonly dryRun: boolean
  /** Of this run and, after --resume, those before it. */
  readonly inserted: number
  readonly replaced: number
  readonly unchanged: number
  readonly refused: number
  /** Whether all of the file was read. */
  readonly complete: boolean
  /** Where this run began and where the next would. */
  readonly fromLine: number
  readonly nextLine: number
  readonly seconds: number
  readonly rowsPerSecond: number
}

function resultOf(
  { model, isDryRun }: ImportRequest,
  { end, from, ms }: { readonly end: ImportEnd; readonly from: ImportState; readonly ms: number },
): ImportResult {
  const { inserted, replaced, unchanged, refused, line } = end.state
  const total = (state: ImportState): number => state.inserted + state.replaced + state.unchanged + state.refused
  const seconds = ms / 1000
  return {
    model: model.name,
    dryRun: isDryRun,
    inserted,
    replaced,
    unchanged,
    refused,
    complete: end.stop === undefined && !end.isInterrupted,
    fromLine: from.line,
    nextLine: line,
    seconds,
    rowsPerSecond: Math.round((total(end.state) - total(from)) / Math.max(0.001, seconds)),
  }
}

function resultText({
  model,
  dryRun,
  inserted,
  replaced,
  unchanged,
  refused,
  seconds,
  rowsPerSecond,
}: ImportResult): string {
  const rows = `${inserted} inserted, ${replaced} replaced, ${unchanged} unchanged, ${refused} refused`
  return `${dryRun ? 'Would import' : 'Imported'} ${model}: ${rows}, in ${seconds.toFixed(1)} s (${rowsPerSecond} rows/s)\n`
}
