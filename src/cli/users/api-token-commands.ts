/** `dateline token create`, `list` and `revoke`: tokens of the API with a name, a scope and an end. */
import { makeApiToken, readTokenRequest, shownToken, TOKEN_DAYS_DEFAULT, TOKEN_DAYS_MAX } from '../../auth/token-requests.ts'
import { systemClock } from '../../base/clock.ts'
import { fail } from '../../base/failure.ts'
import { TOKEN_METHODS, TOKEN_SCOPES } from '../../models/caller.ts'
import { DASHBOARD_ROLES } from '../../models/user.ts'
import { OPERATOR } from '../../store/actor.ts'
import { JSON_FLAG, JSON_LINES_FLAG, readTyped, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { printTable, singleLine } from '../print-table.ts'
import { withData } from '../with-services.ts'
import { requireEmail, userNotFound } from './user-argument.ts'

/** By members of a request for a token. */
const TYPED = { name: '--name', role: '--role', models: '--models', methods: '--methods', scopes: '--scopes', days: '--days' }

export const tokenCreateCommand: Command = {
  name: 'token create',
  summary: 'print a new token of the API for a program; it cannot be shown again',
  options: [
    { flag: '--email', value: 'ADDRESS', meaning: 'the account for which it acts, with at most its roles' },
    { flag: '--name', value: 'TEXT', meaning: 'what it is for' },
    { flag: '--role', value: 'ROLE', meaning: `its highest role: ${DASHBOARD_ROLES.join(', ')} (default: none)` },
    { flag: '--models', value: 'LIST', meaning: 'the only models that it reaches, separated by commas (default: all)' },
    { flag: '--methods', value: 'LIST', meaning: `its only methods: ${TOKEN_METHODS.join(', ')} (default: all)` },
    { flag: '--scopes', value: 'LIST', meaning: `the only work that it can do: ${TOKEN_SCOPES.join(', ')} (default: everything within role, models and methods)` },
    { flag: '--days', value: 'N', meaning: `days until it expires, at most ${TOKEN_DAYS_MAX} (default: ${TOKEN_DAYS_DEFAULT})` },
    JSON_FLAG,
  ],
  settings: DATA_SETTINGS,
  examples: [
    'dateline token create --email you@example.org --name "nightly import" --role publisher --models headline --methods create,replace',
    'dateline token create --email you@example.org --name "Prometheus" --scopes metrics',
  ],
  run(args, terminal) {
    const { options } = args
    const email = requireEmail(args, 'dateline token create needs --email ADDRESS')
    const [models, methods, scopes] = [options.get('--models'), options.get('--methods'), options.get('--scopes')].map(listOf)
    const [role, days] = [options.get('--role'), options.get('--days')]
    const request = { name: options.get('--name'), role, models, methods, scopes, days: days !== undefined && /^\d+$/.test(days) ? Number(days) : days }
    const wish = readTyped(() => readTokenRequest(request), TYPED)
    return withData(args, terminal, async ({ store, newId }) => {
      const user = store.accounts.userByEmail(email)
      if (user === undefined) throw userNotFound(email)
      const made = { userId: String(user['id']), wish, now: systemClock(), newId }
      const { record, token } = await makeApiToken(store.as(OPERATOR), made)
      const text = options.has('--json') ? JSON.stringify({ ...shownToken(record), token }) : token
      terminal.stdout.write(`${text}\n`)
      if (terminal.stderrIsTerminal) terminal.stderr.write(`"dateline token revoke ${record.id}" ends it\n`)
    })
  },
}

export const tokenListCommand: Command = {
  name: 'token list',
  summary: 'list the tokens of the API, newest first',
  options: [JSON_LINES_FLAG],
  settings: DATA_SETTINGS,
  examples: ['dateline token list'],
  run(args, terminal) {
    return withData(args, terminal, async ({ store }) => {
      const tokens = store.accounts.apiTokens().map(shownToken)
      if (args.options.has('--json')) {
        terminal.stdout.write(tokens.map((token) => `${JSON.stringify(token)}\n`).join(''))
        return
      }
      const rows = tokens.map(({ id, name, role, models, methods, scopes, expiresAt, usedAt }) => {
        return [id, name, scopes?.join(' ') ?? role, textOf(models), textOf(methods), expiresAt, usedAt ?? 'never']
      })
      terminal.stdout.write(printTable(['ID', 'NAME', 'ROLE OR SCOPES', 'MODELS', 'METHODS', 'EXPIRES', 'USED'], rows))
    })
  },
}

export const tokenRevokeCommand: Command = {
  name: 'token revoke',
  summary: 'end a token of the API immediately',
  operands: [{ name: 'ID', meaning: 'its id, as "dateline token list" shows it' }],
  options: [],
  settings: DATA_SETTINGS,
  examples: ['dateline token revoke 66f000000000000000000b01'],
  run(args, terminal) {
    const [id = ''] = args.operands
    return withData(args, terminal, async ({ store }) => {
      if (!(await store.as(OPERATOR).revokeApiToken(id))) {
        throw fail('notFound', `There is no token "${singleLine(id)}": see "dateline token list"`)
      }
      terminal.stdout.write(`Revoked ${id}\n`)
    })
  },
}

const textOf = (names: readonly string[] | null): string => (names === null ? 'all' : names.join(' ') || 'none')

function listOf(given: string | undefined): readonly string[] | undefined {
  return given === undefined ? undefined : given.split(',').map((part) => part.trim())
}
