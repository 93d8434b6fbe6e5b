/** Commands on the data directory, which also work while the service runs: `seed` and `admin`. */
import { systemClock } from '../base/clock.ts'
import { seedSample } from '../content/seeding.ts'
import type { Command } from './command.ts'
import { requireAddress } from './found-user.ts'
import { withServices } from './with-services.ts'

export const seedCommand: Command = {
  name: 'seed',
  summary: 'load the sample content; what is there already stays as it is',
  options: [],
  settings: ['dataDir', 'flagBaseUrl'],
  examples: ['dateline seed --data-dir /srv/dateline'],
  run: (args, terminal) =>
    withServices(args, terminal, async ({ store }, config) => {
      const { topics, sources, headlines } = await seedSample(store, { ...config, now: systemClock() })
      terminal.stdout.write(`Added ${topics} topics, ${sources} sources and ${headlines} headlines\n`)
    }),
}

export const adminCommand: Command = {
  name: 'admin',
  summary: 'make sure that an administrator exists, and print a sign-in code',
  options: [
    { flag: '--email', value: 'ADDRESS', meaning: 'who is to be administrator' },
    { flag: '--code', meaning: 'also print a code to sign in with, where no mail arrives' },
  ],
  settings: ['dataDir', 'codeMinutes'],
  examples: ['dateline admin --email you@example.org', 'dateline admin --email you@example.org --code'],
  run: (args, terminal) => {
    const email = requireAddress(args, 'dateline admin wants --email ADDRESS')
    return withServices(args, terminal, async ({ accounts, codes }, { codeMinutes }) => {
      const done = await accounts.ensureAdmin(email, systemClock())
      terminal.stdout.write(`${email} ${ADMIN_TEXT[done]}\n`)
      if (!args.options.has('--code')) return
      const code = await codes.reveal(email, systemClock())
      terminal.stdout.write(`Sign-in code: ${code} (works once, for ${codeMinutes} minutes)\n`)
    })
  },
}

const ADMIN_TEXT = {
  created: 'is a new administrator',
  promoted: 'is an administrator now',
  unchanged: 'is an administrator already',
} as const
