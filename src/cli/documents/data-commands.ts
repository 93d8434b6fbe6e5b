/** Commands on the data directory, which also work while the service runs: `seed` and `admin`. */
import { systemClock } from '../../base/clock.ts'
import { seedSample } from '../../content/seeding.ts'
import { OPERATOR } from '../../store/actor.ts'
import type { Command, Option } from '../command.ts'
import { commandRecord } from '../command-record.ts'
import { requireAddress } from '../users/found-user.ts'
import { requireSameSecret } from '../users/same-secret.ts'
import { withServices } from '../with-services.ts'

const JSON_FLAG: Option = { flag: '--json', meaning: 'print one JSON object' }

export const seedCommand: Command = {
  name: 'seed',
  summary: 'load the sample content; what is there already stays as it is',
  options: [JSON_FLAG],
  settings: ['dataDir', 'flagBaseUrl'],
  examples: ['dateline seed --data-dir /srv/dateline', 'dateline seed --json'],
  run: (args, terminal) =>
    withServices(args, terminal, async ({ store }, config) => {
      const added = await seedSample(store, { ...config, now: systemClock() })
      const { topics, sources, headlines } = added
      const counts = { topics: String(topics), sources: String(sources), headlines: String(headlines) }
      await store.as(OPERATOR).note(commandRecord('seed', counts))
      if (args.options.has('--json')) terminal.stdout.write(`${JSON.stringify(added)}\n`)
      else terminal.stdout.write(`Added ${topics} topics, ${sources} sources and ${headlines} headlines\n`)
    }),
}

export const adminCommand: Command = {
  name: 'admin',
  summary: 'make sure that an administrator exists, and print a sign-in code',
  options: [
    { flag: '--email', value: 'ADDRESS', meaning: 'who is to be administrator' },
    { flag: '--code', meaning: 'also print a code to sign in with, where no mail arrives' },
    JSON_FLAG,
  ],
  settings: ['dataDir', 'codeMinutes'],
  examples: ['dateline admin --email you@example.org', 'dateline admin --email you@example.org --code'],
  run: (args, terminal) => {
    const email = requireAddress(args, 'dateline admin wants --email ADDRESS')
    return withServices(args, terminal, async (services, { codeMinutes }) => {
      const { store, accounts, codes } = services
      if (args.options.has('--code')) await requireSameSecret(services)
      const done = await accounts.ensureAdmin(email, systemClock(), OPERATOR)
      const user = await store.userByEmail(email)
      const given = { code: args.options.has('--code') ? '' : undefined, done }
      await store.as(OPERATOR).note(commandRecord('admin', given, String(user?.['id'])))
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
