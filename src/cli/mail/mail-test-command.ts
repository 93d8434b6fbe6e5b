/**
 * `dateline mail test`: one delivery before the operator's eyes, with the whole dialogue, and what is wrong in a
 * sentence.
 */
import { randomBytes } from 'node:crypto'
import { systemClock } from '../../base/clock.ts'
import { idGenerator } from '../../base/ids.ts'
import { readConfig } from '../../config/read-config.ts'
import { SETTINGS } from '../../config/settings.ts'
import { describeMail } from '../../mail/settings/mail-description.ts'
import { readMailSettings } from '../../mail/settings/mail-settings.ts'
import { tryDelivery } from '../../mail/delivery/trial-delivery.ts'
import { EXIT, type Command } from '../command.ts'
import { requireEmail } from '../users/user-argument.ts'
import { singleLine } from '../print-table.ts'

/** A reply of a server, or our advice with its words, is longer than a cell of a table. */
const LINE_CHARS_MAX = 2_000

export const mailTestCommand: Command = {
  name: 'mail test',
  summary: 'send one mail now, and print what the mail server and we say to each other',
  options: [{ flag: '--to', value: 'ADDRESS', meaning: 'the recipient' }],
  settings: SETTINGS.map(({ name }) => name).filter((name) => name === 'appName' || name.startsWith('mail')),
  examples: ['dateline mail test --to you@example.org --mail smtp://mail.example.org'],
  async run(args, terminal) {
    const to = requireEmail(args, 'dateline mail test wants --to ADDRESS', '--to')
    const config = readConfig(args.settings, terminal.environment)
    const mail = readMailSettings(config, { now: systemClock, environment: terminal.environment })
    const writeLine = (line: string): void => void terminal.stdout.write(`${line}\n`)
    for (const line of describeMail(mail)) writeLine(line)
    const onLine = (line: string): void => writeLine(singleLine(line, LINE_CHARS_MAX))
    const outcome = await tryDelivery(
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
    if (outcome.kind === 'taken') {
      writeLine(`The mail was taken: ${singleLine(outcome.words)}`)
      return EXIT.ok
    }
    for (const text of [outcome.words, outcome.advice]) terminal.stderr.write(`${singleLine(text, LINE_CHARS_MAX)}\n`)
    return EXIT.failed
  },
}
