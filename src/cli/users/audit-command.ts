/** `dateline audit`: who did what, the newest first, also while the service runs. */
import { NEWEST_FIRST } from '../../endpoints/admin.ts'
import { Failure } from '../../base/failure.ts'
import { parseJson } from '../../base/json.ts'
import { visible } from '../../base/log.ts'
import { readListQuery } from '../../content/list-query.ts'
import { audit, type AuditRecord } from '../../models/audit.ts'
import type { Caller } from '../../models/caller.ts'
import { and, isIn } from '../../query/ast.ts'
import { parseFilterText } from '../../query/parse.ts'
import type { FindQuery, Store } from '../../store/store.ts'
import { UsageError, type Command } from '../command.ts'
import { findAll } from './find-all.ts'
import { requireAddress } from './found-user.ts'
import { printTable } from '../print-table.ts'
import { requireSameSecret } from './same-secret.ts'
import { withData } from '../with-services.ts'

const LISTED_DEFAULT = 100
const LISTED_MAX = 1_000_000
/** The operator sees what administrators see. */
const OPERATOR: Caller = { id: '', appRole: 'standardUser', dashboardRole: 'admin' }

export const auditCommand: Command = {
  name: 'audit',
  summary: 'list who did what, the newest first; also while the service runs',
  options: [
    { flag: '--filter', value: 'JSON', meaning: 'only records that match, as in a request' },
    { flag: '--email', value: 'ADDRESS', meaning: 'only what was done with this address: codes, sign-ins, invitations' },
    { flag: '--limit', value: 'N', meaning: `at most so many (default: ${LISTED_DEFAULT})` },
    { flag: '--json', meaning: 'print JSON, one object a line' },
  ],
  settings: ['dataDir', 'queryDeadlineMs'],
  examples: [
    'dateline audit --email you@example.org',
    `dateline audit --filter '{"event":"document.deleted","time":{"$gte":"2026-03-01"}}' --json`,
  ],
  run(args, terminal) {
    const { options } = args
    const [given, limit] = [options.get('--filter'), readLimit(options.get('--limit'))]
    const email = options.has('--email') ? requireAddress(args, '') : undefined
    return withData(args, terminal, async (services) => {
      const { store, emailHashes } = services
      if (email !== undefined) await requireSameSecret(services)
      const query = await readQuery(store, given, limit)
      const hashes = email === undefined ? undefined : emailHashes.all(email)
      const filter = hashes === undefined ? query.filter : and(query.filter, isIn(['emailHash'], hashes))
      const { items, next } = await findAll(store, audit, { ...query, filter, limit })
      if (options.has('--json')) {
        // Escapes leave the JSON what it is, and the terminal too.
        terminal.stdout.write(items.map((item) => visible(`${item}\n`)).join(''))
      } else {
        const rows = items.map((item) => cells(parseJson(item) as unknown as AuditRecord))
        terminal.stdout.write(printTable(['TIME', 'EVENT', 'ROLE', 'ACTOR', 'ADDRESS', 'WHAT'], rows))
      }
      if (next !== undefined) terminal.stderr.write('There are more: see them with --limit or --filter\n')
    })
  },
}

/** Throws UsageError with the service's own message where the service would refuse. */
async function readQuery(store: Store, filter: string | undefined, limit: number): Promise<FindQuery> {
  try {
    const params = {
      filter: filter === undefined ? undefined : parseFilterText(filter),
      sort: NEWEST_FIRST,
      limit: String(limit),
      cursor: undefined,
    }
    const settings = { limitDefault: LISTED_DEFAULT, limitMax: LISTED_MAX, hideInactive: false }
    return await readListQuery(audit, params, OPERATOR, { settings, store })
  } catch (error) {
    if (error instanceof Failure && error.status === 400) throw new UsageError(error.message)
    throw error
  }
}

function readLimit(given: string | undefined): number {
  if (given === undefined) return LISTED_DEFAULT
  const limit = /^\d{1,7}$/.test(given) ? Number(given) : 0
  if (limit >= 1 && limit <= LISTED_MAX) return limit
  throw new UsageError(`Cannot use --limit: expected a whole number from 1 to ${LISTED_MAX}, found "${given}"`)
}

function cells({ time, event, role, actor, clientAddress, ...what }: AuditRecord): readonly string[] {
  return [time, event, role, actor, clientAddress, whatText(what)]
}

type AuditWhat = Pick<AuditRecord, 'model' | 'documentId' | 'changes' | 'details'>

/** `headline 66f000000000000000000501`, `user 66f000000000000000000601 dashboardRole: none → admin` */
function whatText({ model, documentId, changes, details }: AuditWhat): string {
  return [
    ...(model === '' ? [] : [model]),
    ...(documentId === '' ? [] : [documentId]),
    ...changes.map(({ path, from, to }) => `${path}: ${from} → ${to}`),
    ...details.map(({ name, value }) => (value === '' ? name : `${name}=${value}`)),
  ].join(' ')
}
