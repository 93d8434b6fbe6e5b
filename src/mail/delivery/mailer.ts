/**
 * The one way out for mail: to the console, to a directory, to a program, or to a mail server. Each composes the whole
 * message first, so that what one rejects the others reject too.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { assertNever } from '../../base/failure.ts'
import { parseEmail } from '../address.ts'
import { composeMessage } from '../message/message.ts'
import type { MailSettings } from '../settings/mail-settings.ts'
import { createSmtpClient } from '../smtp/smtp.ts'
import type { MailContent } from '../templates/templates.ts'
import { DeliveryError, type SendOptions } from './delivery-error.ts'
import { deliverByProgram } from './exec-delivery.ts'
import { openMailFolder } from './mail-folder.ts'

const MESSAGE_ID_LETTERS = 32
const RANDOM_BYTES = 12

export interface Mail extends MailContent {
  /** A globally unique id (base/ids.ts). It makes the Message-ID, so that a mail that is sent twice can be recognised. */
  readonly id: string
  /** As `parseEmail` gives it. */
  readonly to: string
}

export interface MailerTools {
  readonly now: Clock
  readonly randomBytes: (size: number) => Uint8Array
  /** Prints one line for the operator; it gets the line without a newline. */
  readonly writeLine: (line: string) => void
}

type Sender = Pick<MailSettings, 'from' | 'route' | 'signing'>

export type Mailer = Awaited<ReturnType<typeof openMailer>>

/** Rejects where a directory cannot be made. A mail server is first asked when there is mail. */
export async function openMailer(sender: Sender, tools: MailerTools) {
  const { deliver, close = async () => {} } = await openTransport(sender, tools)
  return {
    /** Resolves with the other side's reply, fit for the log. Rejects with a DeliveryError. */
    async send(mail: Mail, options: SendOptions = {}): Promise<{ readonly reply: string }> {
      return { reply: await deliver({ ...mail, message: compose(mail, sender, tools) }, options) }
    },
    /** Aborts running deliveries and quits the sessions with mail servers. */
    close,
  }
}

interface Transport {
  readonly deliver: (mail: Mail & { readonly message: string }, options: SendOptions) => Promise<string>
  readonly close?: () => Promise<void>
}

async function openTransport({ from, route }: Sender, tools: MailerTools): Promise<Transport> {
  switch (route.kind) {
    case 'console':
      return {
        async deliver({ to, code, subject }) {
          tools.writeLine(`Mail to ${to}: ${code === undefined ? subject : `sign-in code ${code}`}`)
          return 'printed to the service log'
        },
      }
    case 'file': {
      const folder = await openMailFolder(route.directory, tools.now, () => letters(tools.randomBytes(RANDOM_BYTES)))
      return { deliver: async ({ message }) => `written to ${await folder.write(message)}` }
    }
    case 'exec':
      return { deliver: (mail, options) => deliverByProgram(route.command, { ...mail, from: from.address }, options) }
    case 'smtp': {
      const client = createSmtpClient(route.settings)
      return {
        async deliver({ to, message }, options) {
          return (await client.deliver({ from: from.address, to, data: message }, options)).reply
        },
        close: client.close,
      }
    }
    default:
      return assertNever(route)
  }
}

function compose(mail: Mail, { from, signing }: Sender, { now, randomBytes }: MailerTools): string {
  const { to, subject, text, html, language, id } = mail
  try {
    if (parseEmail(to) !== to) throw new Error('Cannot compose message: the recipient is not a normalised address')
    const messageId = letters(createHash('sha256').update(id).digest()).slice(0, MESSAGE_ID_LETTERS)
    const boundary = letters(randomBytes(RANDOM_BYTES))
    const message = composeMessage({ from, to, subject, text, html, language, date: now(), messageId, boundary })
    return signing === undefined ? message : signing.sign(message)
  } catch (error) {
    // A retry would fail in the same way.
    const text = error instanceof Error ? error.message : String(error)
    throw new DeliveryError(text, { stage: 'compose', temporary: false, cause: error })
  }
}

/** Two letters from `a` to `p` for each byte. Digits could form a run that looks like a code. */
function letters(bytes: Uint8Array): string {
  const letter = (bits: number): string => String.fromCharCode(0x61 + bits)
  return Array.from(bytes, (byte) => letter(byte >> 4) + letter(byte & 15)).join('')
}
