/** `dateline explain`: how the service would answer a query, on the real data and without its deadline. */
import { systemClock } from '../../base/clock.ts'
import { readConfig } from '../../config/read-config.ts'
import type { Caller } from '../../models/caller.ts'
import type { QueryPlan } from '../../models/responses.ts'
import { explainQuery } from '../../store/query/explain.ts'
import { EXIT, JSON_FLAG, type Command } from '../command.ts'
import { ADMINISTRATOR, sourceOf, readQueryFlags } from '../query-flags.ts'
import { openForReading } from './open-for-reading.ts'
import { readStoredModel } from './stored-model.ts'

/** Without rights: what is hidden from readers is hidden here. */
const READER: Caller = { id: '', appRole: 'standardUser', dashboardRole: 'none' }

export const explainCommand: Command = {
  name: 'explain',
  summary: 'show how the service would answer a query: its index, its SQL, the rows it reads',
  options: [
    { flag: '--model', value: 'NAME', meaning: 'the model, as in a request' },
    { flag: '--filter', value: 'JSON', meaning: 'the filter, as in a request' },
    { flag: '--search', value: 'WORDS', meaning: 'the words that are searched for, as in a request' },
    { flag: '--changed-by', value: 'USERS', meaning: 'ids of users who have changed the documents, as in a request of an editor' },
    { flag: '--sort', value: 'KEYS', meaning: 'the sort, as in a request' },
    { flag: '--limit', value: 'N', meaning: 'the limit, as in a request' },
    { flag: '--cursor', value: 'TEXT', meaning: 'the cursor of a reply: explains the page after it' },
    JSON_FLAG,
  ],
  settings: ['dataDir', 'pageSize', 'pageSizeMax', 'hideInactive'],
  examples: [
    `dateline explain --model headline --filter '{"status":"active"}' --sort updatedAt:desc --limit 10`,
    `dateline explain --model headline --filter '{"q":"ferry"}' --json`,
  ],
  async run({ options, settings: given }, { environment, stdout }) {
    const config = readConfig(given, environment)
    const model = readStoredModel(options.get('--model'))
    const database = openForReading(config)
    try {
      const { pageSize: limitDefault, pageSizeMax: limitMax, hideInactive } = config
      const settings = { limitDefault, limitMax, hideInactive }
      const flags = {
        filter: options.get('--filter'),
        search: options.get('--search'),
        changedBy: options.get('--changed-by'),
        sort: options.get('--sort'),
        limit: options.get('--limit'),
        cursor: options.get('--cursor'),
      }
      const caller = flags.changedBy === undefined ? READER : ADMINISTRATOR
      const query = readQueryFlags(model, flags, { caller, settings, store: sourceOf(database) })
      const explained = explainQuery(database, model, { query, now: systemClock, msMax: Number.POSITIVE_INFINITY })
      stdout.write(options.has('--json') ? `${JSON.stringify(explained)}\n` : explainedText(explained))
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
