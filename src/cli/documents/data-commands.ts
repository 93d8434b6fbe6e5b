/** Commands on the data directory, which also work while the service runs: `seed` and `admin`. */
import { systemClock } from '../../base/clock.ts'
import { seedSample } from '../../content/seeding.ts'
import { OPERATOR } from '../../store/actor.ts'
import { JSON_FLAG, type Command } from '../command.ts'
import { commandRecord } from '../command-record.ts'
import { requireServiceSecret } from '../users/service-secret.ts'
import { requireEmail } from '../users/user-argument.ts'
import { withServices } from '../with-services.ts'

export const seedCommand: Command = {
  name: 'seed',
  summary: 'load the sample content; existing documents stay as they are',
  options: [JSON_FLAG],
  settings: ['dataDir', 'flagBaseUrl'],
  examples: ['dateline seed --data-dir /srv/dateline', 'dateline seed --json'],
  run: (args, terminal) =>
    withServices(args, terminal, async ({ store }, config) => {
      const added = await seedSample(store, { ...config, now: systemClock() })
      const { topics, sources, headlines } = added
      const counts = { topics: String(topics), sources: String(sources), headlines: String(headlines) }
      await store.as(OPERATOR).record(commandRecord('seed', counts))
      if (args.options.has('--json')) terminal.stdout.write(`${JSON.stringify(added)}\n`)
      else terminal.stdout.write(`Added ${topics} topics, ${sources} sources and ${headlines} headlines\n`)
    }),
}

export const adminCommand: Command = {
  name: 'admin',
  summary: 'make sure that an administrator exists, and print a sign-in code',
  options: [
    { flag: '--email', value: 'ADDRESS', meaning: 'the e-mail address of the administrator' },
    { flag: '--code', meaning: 'also print a sign-in code, for when no mail arrives' },
    JSON_FLAG,
  ],
  settings: ['dataDir', 'codeMinutes'],
  examples: ['dateline admin --email you@example.org', 'dateline admin --email you@example.org --code'],
  run: (args, terminal) => {
    const email = requireEmail(args, 'dateline admin needs --email ADDRESS')
    return withServices(args, terminal, async (services, { codeMinutes }) => {
      const { store, accounts, codes } = services
      if (args.options.has('--code')) await requireServiceSecret(services)
      const done = await accounts.ensureAdmin(email, systemClock(), OPERATOR)
      const user = await store.userByEmail(email)
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
