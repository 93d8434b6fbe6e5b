/** The accounts of the site, as the operator sees them: `user list` and `user show`. */
import { systemClock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { parseJson, writeJson, type JsonObject } from '../../base/json.ts'
import { clientName } from '../../models/user-agent.ts'
import { APP_ROLES, DASHBOARD_ROLES, user, type User } from '../../models/user.ts'
import { and, containsText, eq, not, or } from '../../query/ast.ts'
import type { ListedSession } from '../../store/store.ts'
import { UsageError, type Command, type Option } from '../command.ts'
import { findAll } from './find-all.ts'
import { findUser, readRole, WHO } from './found-user.ts'
import { printTable } from '../print-table.ts'
import { withData } from '../with-services.ts'

const LISTED_DEFAULT = 100
const LISTED_MAX = 1_000_000

const JSON_FLAG: Option = { flag: '--json', meaning: 'print JSON, one object a line' }
export const userListCommand: Command = {
  name: 'user list',
  summary: 'list accounts, the newest first',
  options: [
    { flag: '--search', value: 'TEXT', meaning: 'only addresses with this text in them' },
    { flag: '--role', value: 'ROLE', meaning: `only this role: ${[...APP_ROLES, ...DASHBOARD_ROLES].join(', ')}` },
    { flag: '--guests', meaning: 'guests too' },
    { flag: '--limit', value: 'N', meaning: `at most so many (default: ${LISTED_DEFAULT})` },
    JSON_FLAG,
  ],
  settings: ['dataDir', 'queryDeadlineMs'],
  examples: ['dateline user list --role admin', 'dateline user list --search example.org --json'],
  run(args, terminal) {
    const { options } = args
    const [search, role] = [options.get('--search'), readRole(options.get('--role'), ROLES)]
    const limit = readLimit(options.get('--limit'))
    const withGuests = options.has('--guests') || role === 'guestUser'
    const filter = and(
      ...(withGuests ? [] : [not(eq(['appRole'], 'guestUser'))]),
      ...(search === undefined ? [] : [containsText(['email'], search)]),
      ...(role === undefined ? [] : [or(eq(['appRole'], role), eq(['dashboardRole'], role))]),
    )
    const sort = [{ path: ['createdAt'], descending: true }]
    return withData(args, terminal, async ({ store }) => {
      const { items, next } = await findAll(store, user, { filter, sort, limit, after: undefined })
      if (options.has('--json')) {
        terminal.stdout.write(items.map((item) => `${item}\n`).join(''))
        return
      }
      const rows = items
        .map((item) => parseJson(item) as JsonObject)
        .map((one) => COLUMNS.map((name) => String(one[name])))
      terminal.stdout.write(printTable(['E-MAIL', 'ID', 'APP', 'DASHBOARD', 'SINCE'], rows))
      if (next !== undefined) terminal.stderr.write(`There are more: see them with --limit or --search\n`)
    })
  },
}

const COLUMNS = ['email', 'id', 'appRole', 'dashboardRole', 'createdAt']
const ROLES = [...APP_ROLES, ...DASHBOARD_ROLES]

export const userShowCommand: Command = {
  name: 'user show',
  summary: 'show an account and where it is signed in',
  operands: WHO,
  options: [{ ...JSON_FLAG, meaning: 'print one JSON object' }],
  settings: ['dataDir'],
  examples: ['dateline user show you@example.org'],
  run: (args, terminal) =>
    withData(args, terminal, async (services) => {
      const found = await findUser(services, args)
      const sessions = await services.store.sessionsOf(found.id, systemClock())
      if (args.options.has('--json')) {
        terminal.stdout.write(`${writeJson({ user: found.value, sessions: sessions.map(sessionJson) })}\n`)
        return
      }
      const { email, appRole, dashboardRole, createdAt } = found.value as unknown as User
      terminal.stdout.write(
        printTable(
          ['E-MAIL', 'ID', 'APP', 'DASHBOARD', 'SINCE'],
          [[email, found.id, appRole, dashboardRole, createdAt]],
        ),
      )
      const rows = sessions.map((session) => [
        session.jti,
        isoDate(session.createdAt),
        isoDate(session.usedAt),
        isoDate(session.expiresAt),
        session.label,
      ])
      terminal.stdout.write(
        rows.length === 0 ? '\nNot signed in\n' : `\n${printTable(['SESSION', 'SINCE', 'LAST USED', 'UNTIL', 'WHERE'], rows)}`,
      )
    }),
}

function sessionJson({ jti, label, createdAt, usedAt, expiresAt }: ListedSession): JsonObject {
  const dates = { createdAt: isoDate(createdAt), lastUsedAt: isoDate(usedAt), expiresAt: isoDate(expiresAt) }
  return { id: jti, client: clientName(label), label, ...dates }
}

function readLimit(given: string | undefined): number {
  if (given === undefined) return LISTED_DEFAULT
  const limit = /^\d{1,7}$/.test(given) ? Number(given) : 0
  if (limit >= 1 && limit <= LISTED_MAX) return limit
  throw new UsageError(`Cannot use --limit: expected a whole number from 1 to ${LISTED_MAX}, found "${given}"`)
}
