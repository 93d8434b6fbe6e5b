/** `dateline audit`: who did what, the newest first, also while the service runs. */
import { NEWEST_FIRST } from '../../endpoints/admin.ts'
import { parseJson } from '../../base/json.ts'
import { visible } from '../../base/log.ts'
import { audit, type AuditRecord } from '../../models/audit.ts'
import { and, isIn } from '../../query/ast.ts'
import { JSON_LINES_FLAG, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { printTable } from '../print-table.ts'
import { ADMINISTRATOR, readQueryFlags } from '../query-flags.ts'
import { withData } from '../with-services.ts'
import { findPages, LIMIT_DEFAULT, LIMIT_FLAG, LIMIT_MAX, readLimit } from './operator-list.ts'
import { requireServiceSecret } from './service-secret.ts'
import { requireEmail } from './user-argument.ts'

export const auditCommand: Command = {
  name: 'audit',
  summary: 'list who did what, the newest first; also while the service runs',
  options: [
    { flag: '--filter', value: 'JSON', meaning: 'only records that match, as in a request' },
    { flag: '--email', value: 'ADDRESS', meaning: 'only what was done with this address: codes, sign-ins, invitations' },
    LIMIT_FLAG,
    JSON_LINES_FLAG,
  ],
  settings: [...DATA_SETTINGS, 'queryDeadlineMs'],
  examples: [
    'dateline audit --email you@example.org',
    `dateline audit --filter '{"event":"document.deleted","time":{"$gte":"2026-03-01"}}' --json`,
  ],
  run(args, terminal) {
    const { options } = args
    const limit = readLimit(options.get('--limit'))
    const email = options.has('--email') ? requireEmail(args, '') : undefined
    return withData(args, terminal, async (services) => {
      const { store, emailHashes } = services
      if (email !== undefined) await requireServiceSecret(services)
      const flags = { filter: options.get('--filter'), sort: NEWEST_FIRST, limit: String(limit) }
      const settings = { limitDefault: LIMIT_DEFAULT, limitMax: LIMIT_MAX, hideInactive: false }
      const query = readQueryFlags(audit, flags, { caller: ADMINISTRATOR, settings, store })
      const ofEmail = email === undefined ? [] : [isIn(['emailHash'], emailHashes.all(email))]
      const { items, next } = await findPages(store, audit, { ...query, filter: and(query.filter, ...ofEmail), limit })
      if (options.has('--json')) {
        // JSON stays the same with escapes, and control characters do not reach the terminal.
        terminal.stdout.write(items.map((item) => visible(`${item}\n`)).join(''))
      } else {
        const rows = items.map((item) => cells(parseJson(item) as unknown as AuditRecord))
        terminal.stdout.write(printTable(['TIME', 'EVENT', 'ROLE', 'ACTOR', 'ADDRESS', 'WHAT'], rows))
      }
      if (next !== undefined) terminal.stderr.write('There are more: see them with --limit or --filter\n')
    })
  },
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
