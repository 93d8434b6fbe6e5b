/**
 * `dateline export`: the documents of a model at one moment, also while the service runs. As long as its read
 * transaction lasts, the WAL of a service that writes cannot be emptied.
 */
import { readConfig } from '../../config/read-config.ts'
import type { Config } from '../../config/settings.ts'
import type { QuerySource } from '../../content/reads/list-query.ts'
import type { Model } from '../../models/schema.ts'
import { allChangedBy, TOO_MANY_CHANGED } from '../../store/history/changes-of-actors.ts'
import { asStoreFailure, type Database } from '../../store/db/database.ts'
import type { Command } from '../command.ts'
import { commandRecord, recordBeside } from '../command-record.ts'
import { ADMINISTRATOR, sourceOf, readQueryFlags, type QueryFlags } from '../query-flags.ts'
import { exportPictures, MEDIA_FLAG } from '../media/picture-transfer.ts'
import { printExport, writeExport } from './export-output.ts'
import { openForReading } from './open-for-reading.ts'
import { readStoredModel } from './stored-model.ts'
import { readFormat, TransferFileError } from './transfer-file.ts'
import type { FindQuery } from '../../store/query/find-query.ts'

/** More of them mean fewer queries, each of which looks up all that users have changed. */
const PAGE_SIZE = 5_000

export const exportCommand: Command = {
  name: 'export',
  summary: 'print the documents of a model, in the order of their ids; also while the service runs',
  options: [
    { flag: '--model', value: 'NAME', meaning: 'the model, as in a request' },
    { flag: '--format', value: 'FORMAT', meaning: 'ndjson or csv (default: by the name of the file, else ndjson)' },
    { flag: '--filter', value: 'JSON', meaning: 'the filter, as in a request' },
    { flag: '--changed-by', value: 'USERS', meaning: 'ids of users, separated by commas: only what they have changed' },
    { flag: '--incomplete', meaning: 'print incomplete drafts as well, which import takes with the same flag' },
    { flag: '--to', value: 'FILE', meaning: 'file to write, which must not be there yet (default: stdout)' },
    { ...MEDIA_FLAG, meaning: 'directory to which the pictures of the site go that the documents name' },
  ],
  settings: ['dataDir'],
  examples: [
    'dateline export --model headline --to headlines.ndjson --media pictures',
    `dateline export --model source --format csv --filter '{"status":"active"}'`,
  ],
  async run({ options, settings }, terminal) {
    const model = readStoredModel(options.get('--model'))
    const to = options.get('--to')
    const format = readFormat(options.get('--format'), to)
    const config = readConfig(settings, terminal.environment)
    const narrowed = { filter: options.get('--filter'), changedBy: options.get('--changed-by') }
    const includes = options.has('--incomplete')
    const first = await withReading(config, (database) => readNarrowed(model, narrowed, database))
    // Before anything is shown, and while no read transaction of this command holds the WAL.
    const filtered = first === undefined ? undefined : 'yes'
    await recordBeside(config, terminal, commandRecord('export', { model: model.name, filtered, incomplete: includes ? 'yes' : undefined, to }))
    return withReading(config, async (database) => {
      database.exec('BEGIN')
      const query = await readNarrowed(model, narrowed, database)
      const media = options.get('--media')
      const hashes = media === undefined ? undefined : new Set<string>()
      const task = { database, model, query, includes, format, terminal, hashes }
      const code = await (to === undefined ? printExport(task) : writeExport(task, to))
      if (media !== undefined && hashes !== undefined) exportPictures(database, hashes, { to: media, dataDir: config.dataDir, terminal })
      return code
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

/** Throws UsageError, and TransferFileError where users have changed more than an export takes. */
async function readNarrowed(model: Model, narrowed: Pick<QueryFlags, 'filter' | 'changedBy'>, database: Database): Promise<FindQuery | undefined> {
  if (narrowed.filter === undefined && narrowed.changedBy === undefined) return undefined
  const settings = { limitDefault: PAGE_SIZE, limitMax: PAGE_SIZE, hideInactive: false }
  const flags = { ...narrowed, sort: 'id', limit: String(PAGE_SIZE) }
  const history: QuerySource['history'] = { changedBy: (models, actors) => allChangedBy(database, models, actors) }
  const query = readQueryFlags(model, flags, { caller: ADMINISTRATOR, settings, store: { ...sourceOf(database), history } })
  if (query.isPart === true) throw new TransferFileError(`Cannot export with --changed-by: ${TOO_MANY_CHANGED}`)
  return query
}
