/** Commands on the data directory, which also work while the service runs: `seed` and `admin`. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { systemClock } from '../../base/clock.ts'
import { seedSample } from '../../content/seeds/seeding.ts'
import { OPERATOR } from '../../store/actor.ts'
import { readConfig } from '../../config/read-config.ts'
import { databaseFile } from '../../store/sqlite/data-dir.ts'
import { EXIT, JSON_FLAG, UsageError, type Arguments, type Command, type Terminal } from '../command.ts'
import { commandHere } from '../command-here.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { commandRecord } from '../command-record.ts'
import { requireServiceSecret } from '../users/service-secret.ts'
import { requireEmail } from '../users/user-argument.ts'
import { withServices } from '../with-services.ts'

export const seedCommand: Command = {
  name: 'seed',
  summary: 'load the sample content; existing documents stay as they are',
  options: [JSON_FLAG],
  settings: [...DATA_SETTINGS, 'flagBaseUrl'],
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
    { flag: '--yes', meaning: 'make a new site in an empty directory without asking; needed where there is no terminal to ask on' },
    { flag: '--code', meaning: 'also print a sign-in code, for when no mail arrives' },
    JSON_FLAG,
  ],
  settings: [...DATA_SETTINGS, 'codeMinutes'],
  examples: ['dateline admin --email you@example.org', 'dateline admin --email you@example.org --code'],
  run: async (args, terminal) => {
    const email = requireEmail(args, 'dateline admin needs --email ADDRESS')
    if (!(await mayUseSite(args, terminal, email))) return EXIT.failed
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

/**
 * Names the directory to a person, and asks before a new site is made in it: --data-dir may be missing or mistyped. Throws
 * UsageError where there is no terminal to ask on.
 */
async function mayUseSite({ settings, options }: Arguments, terminal: Terminal, email: string): Promise<boolean> {
  const { environment, stdin, stderr, stderrIsTerminal } = terminal
  const config = readConfig(settings, environment)
  const directory = resolve(config.dataDir)
  if (existsSync(databaseFile(directory)) || options.has('--yes')) {
    if (stderrIsTerminal) stderr.write(`The site in "${directory}":\n`)
    return true
  }
  if (!stderrIsTerminal) {
    const command = commandHere(`admin --email ${email}${options.has('--code') ? ' --code' : ''} --yes`, config)
    throw new UsageError(`There is no site in "${directory}": name the directory of yours with --data-dir, or make a new one there: ${command}`)
  }
  stderr.write(`There is no site in "${directory}". Make a new one there? [y/N] `)
  for await (const line of createInterface({ input: stdin })) {
    if (/^\s*y(?:es)?\s*$/i.test(line)) return true
    break
  }
  stderr.write('Nothing was made: name the directory of the site with --data-dir\n')
  return false
}

const ADMIN_TEXT = {
  created: 'is a new administrator',
  promoted: 'is an administrator now',
  unchanged: 'is an administrator already',
} as const
