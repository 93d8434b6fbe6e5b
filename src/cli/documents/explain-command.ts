/**
 * `dateline explain`: how the service would answer a query, and what that takes, on the real data.
 *
 * It opens the database to read only, beside a running service, and really runs the query, without the service's bounds
 * of time: a query that takes long there takes long here.
 */
import { Failure } from '../../base/failure.ts'
import { systemClock } from '../../base/clock.ts'
import { readConfig } from '../../config/read-config.ts'
import type { Config } from '../../config/settings.ts'
import { readListQuery } from '../../content/list-query.ts'
import type { Caller } from '../../models/caller.ts'
import type { QueryPlan } from '../../models/replies.ts'
import type { Model } from '../../models/schema.ts'
import { parseFilterText } from '../../query/parse.ts'
import type { Database } from '../../store/sqlite/database.ts'
import { countriesInUse } from '../../store/tables/document-tables.ts'
import { explainQuery } from '../../store/plan/explain.ts'
import type { FindQuery } from '../../store/store.ts'
import { EXIT, UsageError, type Arguments, type Command } from '../command.ts'
import { openForReading } from './open-for-reading.ts'
import { readStoredModel } from './stored-model.ts'

/** Somebody without rights: what is hidden from readers is hidden here. */
const READER: Caller = { id: '', appRole: 'standardUser', dashboardRole: 'none' }

export const explainCommand: Command = {
  name: 'explain',
  summary: 'show how the service would answer a query: its index, its SQL, the rows it reads',
  options: [
    { flag: '--model', value: 'NAME', meaning: 'the model, as in a request' },
    { flag: '--filter', value: 'JSON', meaning: 'the filter, as in a request' },
    { flag: '--sort', value: 'KEYS', meaning: 'the sort, as in a request' },
    { flag: '--limit', value: 'N', meaning: 'the limit, as in a request' },
    { flag: '--cursor', value: 'TEXT', meaning: 'the cursor of a reply: explains the page after it' },
    { flag: '--json', meaning: 'print one JSON object' },
  ],
  settings: ['dataDir', 'pageSize', 'pageSizeMax', 'hideInactive'],
  examples: [
    `dateline explain --model headline --filter '{"status":"active"}' --sort updatedAt:desc --limit 10`,
    `dateline explain --model headline --filter '{"q":"ferry"}' --json`,
  ],
  async run(args, { environment, stdout }) {
    const config = readConfig(args.settings, environment)
    const model = readStoredModel(args.options.get('--model'))
    const database = openForReading(config)
    try {
      const query = await readQuery(model, { args, config, database })
      const explained = explainQuery(database, model, { query, now: systemClock, msMax: Number.POSITIVE_INFINITY })
      stdout.write(args.options.has('--json') ? `${JSON.stringify(explained)}\n` : explainedText(explained))
      return EXIT.ok
    } finally {
      database.close()
    }
  },
}

const RUNS = {
  inline: 'inline: beside other requests, unless it proves longer than expected',
  thread: 'thread: in a thread of its own, under the deadline',
} as const

const ORDERS = {
  total: 'rows come in the order of the page; nothing is sorted',
  partial: 'rows come in the order of the first keys; the rest is sorted',
  none: 'rows come in no order; the page is sorted',
} as const

function explainedText(explained: QueryPlan): string {
  const { access, index, exact, ranges, sql, values, weighed } = explained
  const lines = [
    ['access', index === null ? access : `${access} ${index}`],
    ['decides', exact ? 'exact: SQL decides every condition' : 'superset: the filter is applied to each row'],
    ['runs', RUNS[explained.runs]],
    ['order', ORDERS[explained.order]],
    [
      'rows',
      `${explained.rowsRead} read, ${explained.rowsExpected} expected, ${explained.rowsReturned} returned${explained.hasMore ? ', more follow' : ''}`,
    ],
    ['time', `${explained.milliseconds} ms`],
    ['weighed', weighed.map((one) => `${one.index ?? one.access} ${one.cost}`).join('; ')],
    ['ranges', ranges > 1 ? `${ranges}, merged; the first is` : String(ranges)],
    ...(sql === null
      ? []
      : [
          ['sql', sql],
          ['values', JSON.stringify(values)],
        ]),
  ]
  return lines.map(([name = '', text = '']) => `${name.padEnd(8)} ${text}\n`).join('')
}

interface Parts {
  readonly args: Arguments
  readonly config: Config
  readonly database: Database
}

/** Throws UsageError with the service's own message where the service would refuse. */
async function readQuery(model: Model, { args: { options }, config, database }: Parts): Promise<FindQuery> {
  const filter = options.get('--filter')
  const settings = { limitDefault: config.pageSize, limitMax: config.pageSizeMax, hideInactive: config.hideInactive }
  const store = { countriesInUse: async (use: 'eventCountry' | 'headquarters') => countriesInUse(database, use) }
  try {
    const params = {
      filter: filter === undefined ? undefined : parseFilterText(filter),
      sort: options.get('--sort'),
      limit: options.get('--limit'),
      cursor: options.get('--cursor'),
    }
    return await readListQuery(model, params, READER, { settings, store })
  } catch (error) {
    if (error instanceof Failure) throw new UsageError(error.message)
    throw error
  }
}
