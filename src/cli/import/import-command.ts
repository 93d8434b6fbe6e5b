/**
 * `dateline import`: documents from a file, also while the service runs.
 *
 * Rows are read and prepared in a thread (import-worker.ts) and written in batches (import-run.ts). What cannot be
 * taken is reported and passed over; what was committed stays, and an import that was cut off goes on with --resume.
 */
import { resolve } from 'node:path'
import { openServices, type Services } from '../../app/services.ts'
import { newAccount } from '../../auth/new-account.ts'
import { systemClock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { describe } from '../../base/failure.ts'
import { idGenerator } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import { createLog } from '../../base/log.ts'
import { readConfig } from '../../config/read-config.ts'
import { readSecrets } from '../../config/secrets.ts'
import type { Config } from '../../config/settings.ts'
import { defaultLanguage } from '../../content/seeding.ts'
import type { AuditRecord } from '../../models/audit.ts'
import type { User } from '../../models/user.ts'
import { OPERATOR } from '../../store/actor.ts'
import { recordOf, sourceOf } from '../../store/audit/audit-record.ts'
import { openBulkWriter, type BulkWriter } from '../../store/sqlite/bulk-writer.ts'
import { databaseFile, DataDirError } from '../../store/sqlite/data-dir.ts'
import type { NewAccount } from '../../store/store.ts'
import { EXIT, type Command, type ExitCode, type Terminal } from '../command.ts'
import { commandRecord } from '../command-record.ts'
import { rowContext } from './import-context.ts'
import { forgetNotes, noteName } from './import-notes.ts'
import { openRejects, refusalText, requireRejectsPath, resultOf, resultText, stopText } from './import-report.ts'
import { readRequest, ROWS_OF_BATCH, type ImportRequest } from './import-request.ts'
import { runImport, type ImportState } from './import-run.ts'
import { openSource, startingState } from './import-source.ts'
import { preparedBlocks } from './import-thread.ts'
import { openForReading } from '../documents/open-for-reading.ts'
import { progressOn } from '../progress.ts'
import { fileIdentity, TransferFileError } from './transfer-file.ts'

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
    // A dry run must not be what makes or changes a database, and what goes on was begun in one.
    if (request.isDryRun || request.resume) openForReading(config).close()
    // Nor may a mistyped FILE or --rejects make one: openServices creates what is missing.
    if (request.file !== undefined && !fileIdentity(request.file).isPipe && !request.resume) {
      await openSource(request, { from: undefined, isPipe: false }, terminal)
    }
    requireRejectsPath(request)
    const { services, isAlone } = await openBeside(config, terminal)
    try {
      const accountOf = await accountMaker(services)
      const file = databaseFile(resolve(config.dataDir))
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

/**
 * With the directory to ourselves where nobody has it, else beside the service. Throws DataDirError and SchemaError.
 */
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

/** The counts are those of this run: what was done before it was cut off has a record of its own. */
function importRecord(
  { model, file, keep, resume }: ImportRequest,
  from: ImportState,
  now: number,
): (state: ImportState) => AuditRecord {
  const id = idGenerator(systemClock)()
  const source = sourceOf(OPERATOR, undefined)
  const given = {
    model: model.name,
    file: file === undefined ? '-' : resolve(file),
    keep: keep ? '' : undefined,
    resume: resume ? '' : undefined,
  }
  return (state) => {
    const counts = (['inserted', 'replaced', 'unchanged', 'refused'] as const).map((name): [string, string] => {
      return [name, String(state[name] - from[name])]
    })
    return recordOf(commandRecord('import', { ...given, ...Object.fromEntries(counts) }), source, { id, now })
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
      recordAt: importRecord(request, start, begun),
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
