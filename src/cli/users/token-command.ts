/** `dateline token`: an access token for a script or a local app, which is a session like any other. */
import { systemClock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { DAY_MS, MINUTE_MS, parseDuration } from '../../base/duration.ts'
import { writeJson } from '../../base/json.ts'
import { OPERATOR } from '../../store/actor.ts'
import { UsageError, type Command, type Terminal } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { commandRecord } from '../command-record.ts'
import { withData } from '../with-services.ts'
import { requireServiceSecret } from './service-secret.ts'
import { emailOrStandIn, userNotFound } from './user-argument.ts'

const TOKEN_LIFETIME = { min: MINUTE_MS, max: 3_660 * DAY_MS }

export const tokenCommand: Command = {
  name: 'token',
  summary: 'print an access token for a script or a local app; "user sign-out" ends it',
  options: [
    { flag: '--email', value: 'ADDRESS', meaning: 'the account' },
    { flag: '--ttl', value: 'TIME', meaning: 'how long it is valid, as 12h or 30d (default: as long as a sign-in)' },
    { flag: '--label', value: 'TEXT', meaning: 'what it is for, as the list of sessions shows it' },
    { flag: '--json', meaning: 'print one JSON object with token, session and expiresAt' },
  ],
  settings: [...DATA_SETTINGS, 'tokenHours', 'tokenIssuer'],
  examples: ['dateline token --email you@example.org --ttl 30d --label "nightly import"'],
  run(args, terminal) {
    const { options } = args
    const given = options.get('--email')
    if (given === undefined) throw new UsageError('dateline token needs --email ADDRESS')
    const lifetimeMs = readLifetime(options.get('--ttl'))
    const label = options.get('--label') ?? 'dateline token'
    return withData(args, terminal, async (services) => {
      const { store, sessions } = services
      await requireServiceSecret(services)
      const found = store.accounts.userByEmail(emailOrStandIn(given))
      if (found === undefined) throw userNotFound(given)
      const id = String(found['id'])
      const session = sessions.open({ label, now: systemClock(), ...(lifetimeMs === undefined ? {} : { lifetimeMs }) })
      if ((await store.as(OPERATOR).addSession(id, session)) === 'missing') throw userNotFound(given)
      const { jti, expiresAt } = session
      await store.as(OPERATOR).record(commandRecord('token', { ttl: options.get('--ttl'), session: jti }, id))
      const token = sessions.token(id, session)
      const text = options.has('--json') ? writeJson({ token, session: jti, expiresAt: isoDate(expiresAt) }) : token
      terminal.stdout.write(`${text}\n`)
      hintAt(
        terminal,
        `It is valid until ${isoDate(expiresAt)}; "dateline user sign-out ${given} --session ${jti}" ends it`,
      )
    })
  },
}

function readLifetime(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  try {
    return parseDuration(given, TOKEN_LIFETIME)
  } catch (error) {
    throw new UsageError(`Cannot use --ttl: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function hintAt({ stderr, stderrIsTerminal }: Terminal, text: string): void {
  if (stderrIsTerminal) stderr.write(`${text}\n`)
}
