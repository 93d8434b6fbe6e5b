/** The accounts of the site, as the operator sees them: `user list` and `user show`. */
import { systemClock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { MINUTE_MS } from '../../base/duration.ts'
import { fail } from '../../base/failure.ts'
import { parseJson, writeJson, type JsonObject } from '../../base/json.ts'
import { isStandIn } from '../../models/guest.ts'
import { clientName } from '../../models/user-agent.ts'
import { APP_ROLES, DASHBOARD_ROLES, user } from '../../models/user.ts'
import { and, containsText, eq, not, or } from '../../query/ast.ts'
import { JSON_FLAG, JSON_LINES_FLAG, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { OPERATOR } from '../../store/actor.ts'
import { commandRecord } from '../command-record.ts'
import { printTable, singleLine } from '../print-table.ts'
import { withData } from '../with-services.ts'
import { requireServiceSecret } from './service-secret.ts'
import { findPages, LIMIT_FLAG, readLimit } from './operator-list.ts'
import { findUser, readRole, USER_OPERAND } from './user-argument.ts'
import type { ListedSession } from '../../store/accounts/session-table.ts'

const ROLES = [...APP_ROLES, ...DASHBOARD_ROLES]
const TITLES = ['E-MAIL', 'ID', 'APP', 'DASHBOARD', 'SINCE']
const COLUMNS = ['email', 'id', 'appRole', 'dashboardRole', 'createdAt']

export const userListCommand: Command = {
  name: 'user list',
  summary: 'list accounts, the newest first',
  options: [
    { flag: '--search', value: 'TEXT', meaning: 'only e-mail addresses that contain this text' },
    { flag: '--role', value: 'ROLE', meaning: `only this role: ${ROLES.join(', ')}` },
    { flag: '--guests', meaning: 'guests too' },
    LIMIT_FLAG,
    JSON_LINES_FLAG,
  ],
  settings: [...DATA_SETTINGS, 'queryDeadlineMs'],
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
      const { items, next } = await findPages(store, user, { filter, sort, limit, after: undefined })
      if (options.has('--json')) {
        terminal.stdout.write(items.map((item) => `${item}\n`).join(''))
        return
      }
      terminal.stdout.write(printTable(TITLES, items.map((item) => userCells(parseJson(item) as JsonObject))))
      if (next !== undefined) terminal.stderr.write(`There are more: see them with --limit or --search\n`)
    })
  },
}

export const userCodeCommand: Command = {
  name: 'user code',
  summary: 'print a sign-in code for an account, to be given by hand where no mail arrives',
  operands: USER_OPERAND,
  options: [JSON_FLAG],
  settings: [...DATA_SETTINGS, 'codeMinutes'],
  examples: ['dateline user code reader@example.org'],
  run(args, terminal) {
    return withData(args, terminal, async (services, { codeMinutes }) => {
      await requireServiceSecret(services)
      const { id, value } = await findUser(services, args)
      const email = String(value['email'])
      if (isStandIn(email)) throw fail('conflict', 'This account has no e-mail address to sign in with')
      const now = systemClock()
      const code = await services.codes.reveal(email, now)
      await services.store.as(OPERATOR).record(commandRecord('user code', {}, id))
      const expiresAt = isoDate(now + codeMinutes * MINUTE_MS)
      const text = `Sign-in code for ${singleLine(email)}: ${code} (works once, for ${codeMinutes} minutes)`
      terminal.stdout.write(`${args.options.has('--json') ? JSON.stringify({ email, code, expiresAt }) : text}\n`)
    })
  },
}

export const userShowCommand: Command = {
  name: 'user show',
  summary: 'show an account and its sessions',
  operands: USER_OPERAND,
  options: [JSON_FLAG],
  settings: DATA_SETTINGS,
  examples: ['dateline user show you@example.org'],
  run: (args, terminal) =>
    withData(args, terminal, async (services) => {
      const found = await findUser(services, args)
      const sessions = services.store.accounts.sessionsOf(found.id, systemClock())
      if (args.options.has('--json')) {
        terminal.stdout.write(`${writeJson({ user: found.value, sessions: sessions.map(sessionJson) })}\n`)
        return
      }
      terminal.stdout.write(printTable(TITLES, [userCells(found.value)]))
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

function userCells(user: JsonObject): string[] {
  return COLUMNS.map((name) => String(user[name]))
}
