/**
 * `dateline import`: documents from a file, also while the service runs. A row that cannot be taken is reported and
 * skipped; what was committed stays, and an import that was cut off goes on with --resume.
 */
import { resolve } from 'node:path'
import type { Services } from '../../app/services.ts'
import { newAccount } from '../../auth/new-account.ts'
import { systemClock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { describe } from '../../base/failure.ts'
import { idGenerator } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import { readConfig } from '../../config/read-config.ts'
import type { Config } from '../../config/settings.ts'
import { languageRecord } from '../../content/seeds/seeding.ts'
import type { AuditRecord } from '../../models/audit.ts'
import { ENCODING_TITLES, type TextEncoding } from '../../models/text-encoding.ts'
import type { User } from '../../models/user.ts'
import { OPERATOR } from '../../store/actor.ts'
import type { BulkWriter } from '../../store/writes/bulk-tables.ts'
import { recordOf, sourceOf } from '../../store/audit/audit-trail.ts'
import { openBulkWriter } from '../../store/writes/bulk-writer.ts'
import { databaseFile, DataDirError } from '../../store/db/data-dir.ts'
import { EXIT, type Arguments, type Command, type ExitCode, type Terminal } from '../command.ts'
import { commandRecord } from '../command-record.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { openForReading } from '../documents/open-for-reading.ts'
import { TransferFileError } from '../documents/transfer-file.ts'
import { importPictures, MEDIA_FLAG } from '../media/picture-transfer.ts'
import { abortOn, progressOn } from '../progress.ts'
import { settingsInUse } from '../settings-in-use.ts'
import { openForCommand } from '../with-services.ts'
import { paysAhead, startCheckThread } from './import-ahead.ts'
import { importChecker } from './import-checker.ts'
import { deleteNotes, noteName, NOTHING_DONE, startingState } from './import-notes.ts'
import { identifySource, openRows, type ImportSource } from './import-reader.ts'
import { openRejectReport, requireRejectsPath, resultOf, resultText, stopText } from './import-report.ts'
import { readRequest, ROWS_OF_BATCH, type ImportRequest } from './import-request.ts'
import { importRows, type ImportState } from './import-writer.ts'
import type { NewAccount } from '../../store/accounts/account-tables.ts'
import type { Store } from '../../store/store.ts'

export const importCommand: Command = {
  name: 'import',
  summary:
    'insert the rows of a file, or replace the documents with the same id; also while the service runs',
  operands: [{ name: 'FILE', meaning: 'a file of JSON lines or CSV, as "export" writes them; - reads stdin' }],
  options: [
    { flag: '--model', value: 'NAME', meaning: 'the model of all rows' },
    { flag: '--format', value: 'FORMAT', meaning: 'ndjson or csv (default: by the name of the file)' },
    {
      flag: '--keep',
      meaning: 'keep createdAt and updatedAt of the rows; otherwise the server sets them as for a request',
    },
    { flag: '--incomplete', meaning: 'take drafts that lack required members as well, as incomplete drafts' },
    { flag: '--drafts', meaning: 'make every new document a draft, whatever its row says; replaced documents keep their status' },
    {
      flag: '--dry-run',
      meaning: 'check every row and change nothing; rows of different batches do not see each other',
    },
    { flag: '--resume', meaning: 'continue an import of this file that was cut off, after its last batch' },
    {
      flag: '--again',
      meaning: 'import from the beginning although rows without an id were imported before the import was cut off',
    },
    { flag: '--rejects', value: 'FILE', meaning: 'write the line, id and message of each rejected row to FILE' },
    { ...MEDIA_FLAG, meaning: 'directory of pictures, as "export" writes it, which are added first' },
    { flag: '--batch', value: 'N', meaning: `maximum rows of one transaction (default: ${ROWS_OF_BATCH})` },
    { flag: '--json', meaning: 'print the result as JSON' },
  ],
  settings: [...DATA_SETTINGS, 'flagBaseUrl', 'mediaMax'],
  examples: [
    'dateline import --model source sources.csv --dry-run',
    'dateline import --model headline headlines.ndjson --keep --rejects rejected.ndjson',
    'dateline import --model headline headlines.ndjson --keep --resume',
  ],
  async run(args, terminal) {
    const request = readRequest(args)
    const config = readConfig(args.settings, terminal.environment)
    // A dry run and a resumed import never create or migrate a database.
    if (request.isDryRun || request.resume) openForReading(config).close()
    const source = identifySource(request.file)
    // openServices() creates what is missing, so a mistyped FILE or --rejects is found before.
    const signal = abortOn(terminal.interrupted)
    if (source.file !== undefined && !request.resume) await checkHeader(request, { terminal, signal })
    requireRejectsPath(request)
    const code = await importInto(config, request, { args, source, terminal, signal })
    // A read of the pipe still waits.
    return signal.aborted && source.file === undefined ? terminal.end(code) : code
  },
}

async function importInto(
  config: Config,
  request: ImportRequest,
  { args, ...parts }: Pick<ImportParts, 'source' | 'terminal' | 'signal'> & { readonly args: Arguments },
): Promise<ExitCode> {
  const { terminal } = parts
  const { services, isAlone } = await openBeside(config, terminal)
  try {
    const { media, isDryRun } = request
    if (media !== undefined && !isDryRun) await importPictures(services, media, settingsInUse({ services, config, args, terminal }), terminal)
    const accountOf = await accountMaker(services)
    const file = databaseFile(resolve(config.dataDir))
    const writer =
      services.store.bulkWriter?.(accountOf) ?? openBulkWriter({ file, isAlone, accountOf, now: systemClock })
    try {
      return await importFile(request, { ...parts, writer, isAlone, lookUp: services.store.documents.lookUp })
    } finally {
      await writer.close()
    }
  } finally {
    await services.store.close()
  }
}

async function checkHeader(
  request: ImportRequest,
  { terminal: { stdin }, signal }: Pick<ImportParts, 'terminal' | 'signal'>,
): Promise<void> {
  const opened = await openRows(request, { stdin, from: undefined, signal })
  await opened?.rows.return()
}

/**
 * As the only one on the directory where no service runs, else beside it; on a node of a cluster, beside the other nodes.
 * Throws DataDirError and SchemaError.
 */
async function openBeside(config: Config, terminal: Terminal) {
  try {
    const services = await openForCommand(config, terminal, { own: true })
    return { services, isAlone: services.store.replication === undefined }
  } catch (error) {
    if (!(error instanceof DataDirError)) throw error
    return { services: await openForCommand(config, terminal, { own: false }), isAlone: false }
  }
}

async function accountMaker({ store }: Services): Promise<(document: JsonObject) => NewAccount> {
  const language = languageRecord(store)
  return (document) => {
    const { id, email, appRole, dashboardRole } = document as unknown as User
    const account = newAccount({ id, email, appRole, dashboardRole, now: systemClock(), language })
    return { ...account, user: { id, value: document } }
  }
}

interface ImportParts {
  readonly source: ImportSource
  readonly writer: BulkWriter
  readonly isAlone: boolean
  readonly lookUp: Store['documents']['lookUp']
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

async function importFile(request: ImportRequest, parts: ImportParts): Promise<ExitCode> {
  const { source, writer, isAlone, lookUp, terminal, signal } = parts
  const { model, keep, incomplete, asDrafts, isDryRun, resume, rowsMax, json } = request
  const { shown, file } = source
  if (resume && file === undefined) {
    throw new TransferFileError(`Cannot resume ${describe(shown)}: input from a pipe cannot be read again`)
  }
  const note = noteName(request, source)
  const noted = await startingState(request, writer, note)
  const begun = systemClock()
  const onEncoding = (encoding: TextEncoding): void => {
    if (encoding !== 'utf-8') terminal.stderr.write(`Reading ${describe(shown)} as ${ENCODING_TITLES[encoding]}\n`)
  }
  const opened = await openRows(request, { stdin: terminal.stdin, from: noted, signal, onEncoding })
  if (opened === undefined) {
    terminal.stderr.write('Interrupted before line 1\n')
    return EXIT.failed
  }
  const { format, rows, start } = opened
  const from = { ...NOTHING_DONE, ...noted, ...start }
  const settings = { format, keep, incomplete, asDrafts, date: isoDate(begun) }
  const isLong = file !== undefined && paysAhead(file.bytes - from.offset)
  const thread = isLong ? startCheckThread({ ...settings, model: model.name }, rowsMax) : undefined
  const progress = progressOn(terminal, isDryRun ? 'Checking' : 'Importing')
  const rejectReport = openRejectReport(request, (text) => {
    progress.end()
    terminal.stderr.write(text)
  })
  try {
    const end = await importRows({
      writer,
      model,
      rows: thread === undefined ? rows : thread.rows(rows),
      check: importChecker(format, { ...settings, model }),
      from,
      rowsMax,
      isAlone,
      isDryRun,
      note,
      recordAt: importRecord(request, from, begun),
      now: systemClock,
      signal,
      lookUp,
      addresses: new Map(),
      onRejects: rejectReport.add,
      onKnown: (known) => rejectReport.addKnown(model, known),
      onBatch: ({ offset }) => progress.show(file === undefined || file.bytes === 0 ? 0 : offset / file.bytes),
    })
    progress.end()
    const isWhole = end.stop === undefined && !end.isInterrupted
    if (isWhole && note !== undefined) await deleteNotes(writer, note)
    rejectReport.showRest()
    const result = resultOf(request, { end, from, ms: systemClock() - begun, sameAddress: rejectReport.sameAddress() })
    terminal.stdout.write(json ? `${JSON.stringify(result)}\n` : resultText(result))
    if (end.stop !== undefined) throw new TransferFileError(stopText(shown, end.stop, { newIds: end.state.newIds, isDryRun }))
    if (end.isInterrupted) {
      const remedy = note === undefined ? '' : ': continue with --resume'
      terminal.stderr.write(`Interrupted before line ${end.state.line}${remedy}\n`)
    }
    return isWhole && end.state.refused === 0 ? EXIT.ok : EXIT.failed
  } finally {
    await thread?.end()
    progress.end()
    rejectReport.close()
  }
}

/** The counts are those of this run: the run that was cut off before it has a record of its own. */
function importRecord(
  { model, file, keep, incomplete, asDrafts, resume }: ImportRequest,
  from: ImportState,
  now: number,
): (state: ImportState) => AuditRecord {
  const id = idGenerator(systemClock)()
  const source = sourceOf(OPERATOR, undefined)
  const given = {
    model: model.name,
    file: file === undefined ? '-' : resolve(file),
    keep: keep ? '' : undefined,
    incomplete: incomplete ? '' : undefined,
    drafts: asDrafts ? '' : undefined,
    resume: resume ? '' : undefined,
  }
  return (state) => {
    const counts = (['inserted', 'replaced', 'unchanged', 'refused'] as const).map((name): [string, string] => {
      return [name, String(state[name] - from[name])]
    })
    return recordOf(commandRecord('import', { ...given, ...Object.fromEntries(counts) }), source, { id, now })
  }
}
