/**
 * `dateline export`: the documents of a model at one moment, also while the service runs. As long as its read
 * transaction lasts, the WAL of a service that writes cannot be emptied.
 */
import { readConfig } from '../../config/read-config.ts'
import type { Config } from '../../config/settings.ts'
import type { Model } from '../../models/schema.ts'
import { asStoreFailure, type Database } from '../../store/sqlite/database.ts'
import type { FindQuery } from '../../store/store.ts'
import type { Command } from '../command.ts'
import { commandRecord, recordBeside } from '../command-record.ts'
import { ADMINISTRATOR, countriesOf, readQueryFlags } from '../query-flags.ts'
import { printExport, writeExport } from './export-output.ts'
import { openForReading } from './open-for-reading.ts'
import { readStoredModel } from './stored-model.ts'
import { readFormat } from './transfer-file.ts'

const PAGE_SIZE = 500

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
    await withReading(config, (database) => readFilter(model, filter, database))
    // Before anything is shown, and while no read transaction of this command holds the WAL.
    const filtered = filter === undefined ? undefined : 'yes'
    await recordBeside(config, terminal, commandRecord('export', { model: model.name, filtered, to }))
    return withReading(config, async (database) => {
      database.exec('BEGIN')
      const query = await readFilter(model, filter, database)
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

async function readFilter(model: Model, filter: string | undefined, database: Database): Promise<FindQuery | undefined> {
  if (filter === undefined) return undefined
  const settings = { limitDefault: PAGE_SIZE, limitMax: PAGE_SIZE, hideInactive: false }
  const flags = { filter, sort: 'id', limit: String(PAGE_SIZE) }
  return readQueryFlags(model, flags, { caller: ADMINISTRATOR, settings, store: countriesOf(database) })
}
