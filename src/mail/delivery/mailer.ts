/**
 * The one door through which mail leaves: to the console, to a directory, to a program, or to a mail server.
 *
 * Each of them composes the whole message first, so that what one refuses the others refuse too. Who calls is the
 * outbox: it keeps the mail until `send` resolves, and reads from a DeliveryError whether to try again.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { assertNever } from '../../base/failure.ts'
import { type Mailbox, parseEmail } from '../address.ts'
import { DeliveryError, type Trace } from './delivery-error.ts'
import type { Signer } from '../message/dkim.ts'
import { deliverByProgram } from './exec-delivery.ts'
import { openMailFolder } from './mail-folder.ts'
import type { MailRoute, MailSettings } from '../settings/mail-settings.ts'
import { composeMessage } from '../message/message.ts'
import { openSmtpClient } from '../smtp/smtp.ts'
import type { MailContent } from '../templates/templates.ts'

const MESSAGE_ID_LETTERS = 32
const RANDOM_BYTES = 12

export interface Mail extends MailContent {
  /**
   * Names this mail for ever and everywhere (base/ids.ts). The Message-ID is made of it, so that a mail sent twice, as
   * happens when a server's answer gets lost, can be recognised by whoever receives it.
   */
  readonly id: string
  /** As `parseEmail` gives it. */
  readonly to: string
}

export interface SendOptions {
  /** Ends the attempt, with a temporary error. */
  readonly signal?: AbortSignal
  /** Gets the dialogue with a mail server or a program. */
  readonly trace?: Trace
}

export interface Mailer {
  /** Resolves with the receiving side's words, fit for the log. Rejects with a DeliveryError. */
  send(mail: Mail, options?: SendOptions): Promise<{ readonly reply: string }>
  /** Ends what is under way and takes leave of mail servers. */
  close(): Promise<void>
}

export interface MailerTools {
  readonly from: Mailbox
  readonly now: Clock
  readonly randomBytes: (size: number) => Uint8Array
  /** Shows the operator one line; the line has no newline. */
  readonly writeLine: (line: string) => void
  /** Signs the composed message (dkim.ts). */
  readonly sign?: Signer
}

type Composed = Mail & { readonly message: string }

/** Opens the way. Rejects where a directory cannot be made; a mail server is first asked when there is mail. */
export async function openMailer(route: MailRoute, tools: MailerTools): Promise<Mailer> {
  const { handOver, close = async () => {} } = await opened(route, tools)
  return {
    async send(mail, options = {}) {
      return { reply: await handOver({ ...mail, message: composed(mail, tools) }, options) }
    },
    close,
  }
}

/** Opens the way that the settings tell, signing if they say so. */
export function openConfiguredMailer(
  { from, route, signing }: MailSettings,
  tools: Omit<MailerTools, 'from' | 'sign'>,
): Promise<Mailer> {
  return openMailer(route, { ...tools, from, ...(signing === undefined ? {} : { sign: signing.sign }) })
}

interface Opened {
  readonly handOver: (mail: Composed, options: SendOptions) => Promise<string>
  readonly close?: () => Promise<void>
}

async function opened(route: MailRoute, tools: MailerTools): Promise<Opened> {
  const { from, now, randomBytes, writeLine } = tools
  switch (route.kind) {
    case 'console':
      return {
        async handOver({ to, code, subject }) {
          writeLine(`Mail to ${to}: ${code === undefined ? subject : `sign-in code ${code}`}`)
          return 'shown on the console'
        },
      }
    case 'file': {
      const folder = await openMailFolder(route.directory, { now, letters: () => letters(randomBytes(RANDOM_BYTES)) })
      return { handOver: async ({ message }) => `written to ${await folder.write(message)}` }
    }
    case 'exec':
      return { handOver: (mail, options) => deliverByProgram(route.command, { ...mail, from: from.address }, options) }
    case 'smtp': {
      const client = openSmtpClient(route.settings)
      return {
        async handOver({ to, message }, options) {
          return (await client.deliver({ from: from.address, to, data: message }, options)).reply
        },
        close: () => client.close(),
      }
    }
    default:
      return assertNever(route)
  }
}

function composed(mail: Mail, { from, now, randomBytes, sign = (message) => message }: MailerTools): string {
  const { to, subject, text, html, language, id } = mail
  try {
    if (parseEmail(to) !== to) throw new Error('Cannot compose message: the recipient is no normalised address')
    const messageId = letters(createHash('sha256').update(id).digest()).slice(0, MESSAGE_ID_LETTERS)
    const boundary = letters(randomBytes(RANDOM_BYTES))
    return sign(composeMessage({ from, to, subject, text, html, language, date: now(), messageId, boundary }))
  } catch (error) {
    // The same mail would be refused again.
    const problem = error instanceof Error ? error.message : String(error)
    throw new DeliveryError(problem, { stage: 'compose', temporary: false, cause: error })
  }
}

/** Two letters from `a` to `p` for each byte. Digits could form a run that looks like a code. */
function letters(bytes: Uint8Array): string {
  const half = (bits: number): string => String.fromCharCode(0x61 + bits)
  return Array.from(bytes, (byte) => half(byte >> 4) + half(byte & 15)).join('')
}
