/**
 * `dateline mail test`: one delivery before the operator's eyes, with the whole dialogue, and what is wrong in a
 * sentence.
 */
import { randomBytes } from 'node:crypto'
import { systemClock } from '../base/clock.ts'
import { idGenerator } from '../base/ids.ts'
import { readConfig } from '../config/read-config.ts'
import { SETTINGS } from '../config/settings.ts'
import { adviceFor } from '../mail/delivery-advice.ts'
import { DeliveryError, type Trace } from '../mail/delivery-error.ts'
import { describeMail } from '../mail/mail-description.ts'
import { readMailSettings } from '../mail/mail-settings.ts'
import { openConfiguredMailer } from '../mail/mailer.ts'
import { trialMessage } from '../mail/trial-message.ts'
import { EXIT, type Command, type ExitCode, type Terminal } from './command.ts'
import { requireAddress } from './found-user.ts'
import { singleLine } from './print-table.ts'

/** A reply of a server, or our advice with its words, is longer than a cell of a table. */
const LINE_CHARS_MAX = 2_000
const SIGNS = { client: '>', server: '<', note: '*' } as const

export const mailTestCommand: Command = {
  name: 'mail test',
  summary: 'send one mail now, and print what the mail server and we say to each other',
  options: [{ flag: '--to', value: 'ADDRESS', meaning: 'who is to get the mail' }],
  settings: SETTINGS.map(({ name }) => name).filter((name) => name === 'appName' || name.startsWith('mail')),
  examples: ['dateline mail test --to you@example.org --mail smtp://mail.example.org'],
  async run(args, terminal) {
    const to = requireAddress(args, 'dateline mail test wants --to ADDRESS', '--to')
    const config = readConfig(args.settings, terminal.environment)
    const mail = readMailSettings(config, { now: systemClock, environment: terminal.environment })
    for (const line of describeMail(mail)) terminal.stdout.write(`${line}\n`)
    const writeLine = (line: string): void => void terminal.stdout.write(`${line}\n`)
    const mailer = await openConfiguredMailer(mail, { now: systemClock, randomBytes, writeLine })
    try {
      const message = { id: idGenerator(systemClock)(), to, ...trialMessage(config.appName) }
      const { reply } = await mailer.send(message, { trace: dialogue(terminal) })
      terminal.stdout.write(`The mail was taken: ${singleLine(reply)}\n`)
      return EXIT.ok
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      return report(error, terminal)
    } finally {
      await mailer.close()
    }
  },
}

/** Each line with who says it: `>` we, `<` the server, `*` what happens besides. */
function dialogue({ stdout }: Terminal): Trace {
  return ({ from, text }) => void stdout.write(`${SIGNS[from]} ${singleLine(text, LINE_CHARS_MAX)}\n`)
}

function report(error: DeliveryError, { stderr }: Terminal): ExitCode {
  stderr.write(`${singleLine(error.message, LINE_CHARS_MAX)}\n${singleLine(adviceFor(error), LINE_CHARS_MAX)}\n`)
  return EXIT.failed
}
