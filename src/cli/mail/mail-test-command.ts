/** `dateline mail test`: one delivery with its whole dialogue, and what is wrong in a sentence. */
import { randomBytes } from 'node:crypto'
import { systemClock } from '../../base/clock.ts'
import { idGenerator } from '../../base/ids.ts'
import { readConfig } from '../../config/read-config.ts'
import { SETTINGS } from '../../config/settings.ts'
import { describeMail } from '../../mail/settings/mail-description.ts'
import { readMailSettings } from '../../mail/settings/mail-settings.ts'
import { sendTestMail } from '../../mail/delivery/test-delivery.ts'
import { EXIT, type Command } from '../command.ts'
import { requireEmail } from '../users/user-argument.ts'
import { singleLine } from '../print-table.ts'

/** Replies and advice are longer than a table cell. */
const LINE_CHARS_MAX = 2_000

export const mailTestCommand: Command = {
  name: 'mail test',
  summary: 'send one mail now, and print what the mail server and we say to each other',
  options: [{ flag: '--to', value: 'ADDRESS', meaning: 'the recipient' }],
  settings: SETTINGS.map(({ name }) => name).filter((name) => name === 'appName' || name.startsWith('mail')),
  examples: ['dateline mail test --to you@example.org --mail smtp://mail.example.org'],
  async run(args, terminal) {
    const to = requireEmail(args, 'dateline mail test needs --to ADDRESS', '--to')
    const config = readConfig(args.settings, terminal.environment)
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
