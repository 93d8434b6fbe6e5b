/** Commands on the data directory, which also work while the service runs: `seed` and `admin`. */
import { counted } from '../../base/counted.ts'
import { systemClock } from '../../base/clock.ts'
import { seedSample } from '../../content/seeds/seeding.ts'
import type { Config } from '../../config/settings.ts'
import { OPERATOR } from '../../store/actor.ts'
import { EXIT, JSON_FLAG, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { commandRecord } from '../command-record.ts'
import { mayUseSite, NEW_SITE_FLAG } from '../new-site.ts'
import { settingsInUse } from '../settings-in-use.ts'
import { requireServiceSecret } from '../users/service-secret.ts'
import { requireEmail } from '../users/user-argument.ts'
import { picturesOf } from '../media/picture-transfer.ts'
import { withServices } from '../with-services.ts'

export const seedCommand: Command = {
  name: 'seed',
  summary: 'load the sample content; existing documents stay as they are',
  options: [NEW_SITE_FLAG, JSON_FLAG],
  settings: [...DATA_SETTINGS, 'flagBaseUrl', 'publicUrl', 'host', 'port', 'mediaMax'],
  examples: ['dateline seed --data-dir /srv/dateline', 'dateline seed --json'],
  run: async (args, terminal) => {
    if (!(await mayUseSite(args, terminal, 'seed'))) return EXIT.failed
    return withServices(args, terminal, async (services, config) => {
      const { store } = services
      const inUse = settingsInUse({ services, config, args, terminal })
      const added = await seedSample(store, { ...inUse, now: systemClock(), pictures: { keeping: picturesOf(store, inUse), base: siteOf(inUse) } })
      const { topics, sources, headlines } = added
      const counts = { topics: String(topics), sources: String(sources), headlines: String(headlines) }
      await store.as(OPERATOR).record(commandRecord('seed', counts))
      if (args.options.has('--json')) terminal.stdout.write(`${JSON.stringify(added)}\n`)
      else terminal.stdout.write(`Added ${counted(topics, 'topic')}, ${counted(sources, 'source')} and ${counted(headlines, 'headline')}\n`)
    })
  },
}

/** Where the service is reached: as it says, or where it would listen. */
function siteOf({ publicUrl, host, port, tlsCert }: Config): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return publicUrl ?? `${tlsCert === undefined ? 'http' : 'https'}://${name}:${port}/`
}

export const adminCommand: Command = {
  name: 'admin',
  summary: 'make sure that an administrator exists, and print a sign-in code',
  options: [
    { flag: '--email', value: 'ADDRESS', meaning: 'the e-mail address of the administrator' },
    NEW_SITE_FLAG,
    { flag: '--code', meaning: 'also print a sign-in code, for when no mail arrives' },
    JSON_FLAG,
  ],
  settings: [...DATA_SETTINGS, 'codeMinutes'],
  examples: ['dateline admin --email you@example.org', 'dateline admin --email you@example.org --code'],
  run: async (args, terminal) => {
    const email = requireEmail(args, 'dateline admin needs --email ADDRESS')
    if (!(await mayUseSite(args, terminal, 'admin'))) return EXIT.failed
    return withServices(args, terminal, async (services, { codeMinutes }) => {
      const { store, accounts, codes } = services
      if (args.options.has('--code')) await requireServiceSecret(services)
      const done = await accounts.ensureAdmin(email, systemClock(), OPERATOR)
      const user = store.accounts.userByEmail(email)
      const given = { code: args.options.has('--code') ? '' : undefined, done }
      await store.as(OPERATOR).record(commandRecord('admin', given, String(user?.['id'])))
      const code = args.options.has('--code') ? await codes.reveal(email, systemClock()) : undefined
      if (args.options.has('--json')) {
        terminal.stdout.write(`${JSON.stringify({ email, done, code })}\n`)
        return
      }
      terminal.stdout.write(`${email} ${ADMIN_TEXT[done]}\n`)
      if (code === undefined) return
      terminal.stdout.write(`Sign-in code: ${code} (works once, for ${codeMinutes} minutes)\n`)
    })
  },
}

const ADMIN_TEXT = {
  created: 'is a new administrator',
  promoted: 'is an administrator now',
  unchanged: 'is an administrator already',
} as const
