/** `dateline mail test`: one delivery with its whole dialogue, and what is wrong in a sentence. */
import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { createLiveSettings, openStored } from '../../app/settings/live-settings.ts'
import { deriveKeys } from '../../auth/keys.ts'
import { systemClock } from '../../base/clock.ts'
import { idGenerator } from '../../base/ids.ts'
import { readConfig } from '../../config/read-config.ts'
import { readSecrets, secretsInUse } from '../../config/secrets.ts'
import { SETTINGS, type Config } from '../../config/settings.ts'
import { shownSettings } from '../../config/shown-settings.ts'
import { describeMail } from '../../mail/settings/mail-description.ts'
import { readMailSettings } from '../../mail/settings/mail-settings.ts'
import { sendTestMail } from '../../mail/delivery/test-delivery.ts'
import { EXIT, type Arguments, type Command, type Terminal } from '../command.ts'
import { DataDirError, hasDatabaseFile } from '../../store/db/data-dir.ts'
import { listSettings, type StoredSetting } from '../../store/settings/setting-table.ts'
import { openForReading } from '../documents/open-for-reading.ts'
import { requireEmail } from '../users/user-argument.ts'
import { singleLine } from '../print-table.ts'

/** Replies and advice are longer than a table cell. */
const LINE_CHARS_MAX = 2_000

export const mailTestCommand: Command = {
  name: 'mail test',
  summary: 'send one mail now, and print the SMTP dialogue',
  options: [{ flag: '--to', value: 'ADDRESS', meaning: 'the recipient' }],
  settings: SETTINGS.map(({ name }) => name).filter((name) => name === 'appName' || name === 'dataDir' || name.startsWith('mail')),
  examples: ['dateline mail test --to you@example.org --mail smtp://mail.example.org'],
  async run(args, terminal) {
    const to = requireEmail(args, 'dateline mail test needs --to ADDRESS', '--to')
    const config = settingsInUse(args, terminal)
    const mail = readMailSettings(config, { now: systemClock, environment: terminal.environment })
    const writeLine = (line: string): void => void terminal.stdout.write(`${line}\n`)
    for (const line of describeMail(mail)) writeLine(line)
    const onLine = (line: string): void => writeLine(singleLine(line, LINE_CHARS_MAX))
    const result = await sendTestMail(
      { to, onLine },
      {
        settings: mail,
        appName: config.appName,
        newId: idGenerator(systemClock),
        now: systemClock,
        randomBytes,
        writeLine,
      },
    )
    if (result.kind === 'accepted') {
      writeLine(`The mail was accepted: ${singleLine(result.reply)}`)
      return EXIT.ok
    }
    for (const text of [result.message, result.advice]) terminal.stderr.write(`${singleLine(text, LINE_CHARS_MAX)}\n`)
    return EXIT.failed
  },
}

/** With what is stored in the database, as the service has it; where that cannot be read, stderr says so. */
function settingsInUse({ settings }: Arguments, { environment, stderr }: Terminal): Config {
  const config = readConfig(settings, environment)
  try {
    if (!hasDatabaseFile(config.dataDir)) return config
    const rows = storedIn(config)
    if (rows.length === 0) return config
    const keys = deriveKeys(secretsInUse(readSecrets(environment), () => join(resolve(config.dataDir), 'secrets')))
    return createLiveSettings(config, shownSettings(settings, environment)).configWith(openStored(rows, keys))
  } catch (error) {
    if (!(error instanceof DataDirError)) throw error
    stderr.write(`Stored settings are not used: ${error.message}\n`)
    return config
  }
}

function storedIn(config: Config): readonly StoredSetting[] {
  const database = openForReading(config)
  try {
    return listSettings(database)
  } finally {
    database.close()
  }
}
