/** `dateline settings list`, `set` and `unset`: what administrators change in the dashboard, from the command line. */
import { randomBytes } from 'node:crypto'
import { createLiveSettings } from '../../app/settings/live-settings.ts'
import { planChanges } from '../../app/settings/setting-changes.ts'
import type { Services } from '../../app/services.ts'
import { systemClock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { fail } from '../../base/failure.ts'
import type { Config } from '../../config/settings.ts'
import { shownSettings } from '../../config/shown-settings.ts'
import { readChanges } from '../../config/stored-settings.ts'
import { sendTestMail } from '../../mail/delivery/test-delivery.ts'
import { readMailSettings } from '../../mail/settings/mail-settings.ts'
import { editable, isEditable, isFlagless, MAIL_PASSWORD, OFFSITE_KEYS } from '../../models/editable-settings.ts'
import { OPERATOR } from '../../store/actor.ts'
import { JSON_LINES_FLAG, UsageError, type Arguments, type Command, type Terminal } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { printTable, singleLine } from '../print-table.ts'
import { requireEmail } from '../users/user-argument.ts'
import { withData } from '../with-services.ts'

const PASSWORD_BYTES_MAX = 4_096
const LINE_CHARS_MAX = 2_000

export const settingsListCommand: Command = {
  name: 'settings list',
  summary: 'list the settings that are stored in the database; flags and variables of the service win over them',
  options: [JSON_LINES_FLAG],
  settings: DATA_SETTINGS,
  examples: ['dateline settings list'],
  run(args, terminal) {
    return withData(args, terminal, async ({ store }) => {
      const stored = store.settings.listSettings().map(({ name, value, changedAt }) => {
        const isSecret = isEditable(name) && editable(name).kind === 'secret'
        return { name, value: isSecret ? '***' : value, changedAt: isoDate(changedAt) }
      })
      const text = args.options.has('--json')
        ? stored.map((row) => `${JSON.stringify(row)}\n`).join('')
        : printTable(['SETTING', 'VALUE', 'CHANGED'], stored.map(({ name, value, changedAt }) => [name, value, changedAt]))
      terminal.stdout.write(text)
    })
  },
}

export const settingsSetCommand: Command = {
  name: 'settings set',
  summary: 'store a setting in the database; a running service takes it within seconds',
  operands: [
    { name: 'NAME', meaning: 'a setting that can be stored, such as appName' },
    { name: 'VALUE', meaning: 'its value, as that of its flag' },
  ],
  options: [
    { flag: '--password-stdin', meaning: 'with mail: read the password of its user from standard input' },
    { flag: '--keys-stdin', meaning: 'with offsite: read the access keys of its buckets, each as KEYID:SECRET, from standard input' },
    { flag: '--to', value: 'ADDRESS', meaning: 'with a setting of mail: store it only when a test mail to this address was accepted' },
  ],
  settings: [...DATA_SETTINGS, 'mailPorts'],
  examples: [
    'dateline settings set appName "City News"',
    'dateline settings set offsite "s3://AKID@backups/news?region=eu-central-1" --keys-stdin < keys.txt',
    'dateline settings set mail smtp://news@mail.example.org --password-stdin --to you@example.org < password.txt',
  ],
  async run(args, terminal) {
    const [name = '', value = ''] = args.operands
    if (isEditable(name) && isFlagless(name)) {
      const [what, other] = name === MAIL_PASSWORD ? ['a password', 'mail with --password-stdin'] : ['keys', 'offsite with --keys-stdin']
      throw new UsageError(`Cannot take ${what} as an argument, which other users can see: set ${other}`)
    }
    const isWithPassword = args.options.has('--password-stdin')
    if (isWithPassword && name !== 'mail') throw new UsageError(`Cannot use --password-stdin with ${singleLine(name)}: expected mail`)
    const isWithKeys = args.options.has('--keys-stdin')
    if (isWithKeys && name !== 'offsite') throw new UsageError(`Cannot use --keys-stdin with ${singleLine(name)}: expected offsite`)
    const secret = isWithPassword ? { [MAIL_PASSWORD]: await readPassword(terminal) } : isWithKeys ? { [OFFSITE_KEYS]: await readPassword(terminal) } : {}
    return withData(args, terminal, async (services, config) => {
      await change({ args, terminal, services, config }, { [name]: value, ...secret })
      terminal.stdout.write(`Stored ${name}\n`)
    })
  },
}

export const settingsUnsetCommand: Command = {
  name: 'settings unset',
  summary: 'remove a setting from the database, so that its default applies again',
  operands: [{ name: 'NAME', meaning: 'a setting, as "dateline settings list" shows it' }],
  options: [],
  settings: DATA_SETTINGS,
  examples: ['dateline settings unset appName'],
  run(args, terminal) {
    const [name = ''] = args.operands
    return withData(args, terminal, async (services, config) => {
      const isRemoved = await change({ args, terminal, services, config }, { [name]: null })
      terminal.stdout.write(isRemoved ? `Removed ${name}\n` : `${name} is not stored, so nothing was removed\n`)
    })
  },
}

interface Running {
  readonly args: Arguments
  readonly terminal: Terminal
  readonly services: Services
  readonly config: Config
}

/** Stores what can be used, after a test mail where one is wanted. False where nothing changed. Throws invalidInput and conflict. */
async function change({ args, terminal, services, config }: Running, patch: Readonly<Record<string, string | null>>): Promise<boolean> {
  const { store, keys } = services
  const { environment } = terminal
  const live = createLiveSettings(config, shownSettings(args.settings, environment))
  const stored = store.settings.listSettings()
  const readMail = (next: Config) => readMailSettings(next, { now: systemClock, environment })
  const plan = planChanges(wantedIn(patch), stored, { live, keys, readMail })
  if (plan.mail !== undefined && plan.isTested && args.options.has('--to')) {
    const to = requireEmail(args, '', '--to')
    const writeLine = (line: string): void => void terminal.stdout.write(`${singleLine(line, LINE_CHARS_MAX)}\n`)
    const tools = { newId: services.newId, now: systemClock, randomBytes, writeLine }
    const result = await sendTestMail({ to, onLine: writeLine }, { settings: plan.mail, appName: plan.config.appName, ...tools })
    if (result.kind === 'failed') {
      throw fail('invalidInput', `Nothing was stored, because the test mail was not accepted: ${singleLine(`${result.message}: ${result.advice}`, LINE_CHARS_MAX)}`)
    }
  }
  const changed = await store.as(OPERATOR).changeSettings({ changes: plan.changes, now: systemClock(), check: () => {} })
  return changed.length > 0
}

/** What was typed wrongly is a usage error. */
function wantedIn(patch: Readonly<Record<string, string | null>>): ReturnType<typeof readChanges> {
  try {
    return readChanges(patch)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** The line break at its end is not a part of it. */
async function readPassword({ stdin }: Terminal): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of stdin) {
    const chunk = Buffer.from(part as Uint8Array)
    bytes += chunk.length
    if (bytes > PASSWORD_BYTES_MAX) throw new UsageError(`Cannot read the password: expected at most ${PASSWORD_BYTES_MAX} bytes`)
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString().replace(/\r?\n$/, '')
}
