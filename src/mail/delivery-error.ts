/**
 * Why a mail was not delivered, in the terms its queue needs: is another try worth it, and what did the server say.
 *
 * Server texts go to the log, and some servers echo what they were sent. So they are cut to a length and cleaned of
 * the password in the forms it travels in, and of every run of six digits, which could be a code.
 */
import type { Reply } from './replies.ts'

const REPLY_CHARS_MAX = 300

/** Where the attempt stood. The network steps, in their order, then what can go wrong without a network. */
export type Stage =
  | 'connect'
  | 'greeting'
  | 'ehlo'
  | 'starttls'
  | 'tls'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'message'
  | 'quit'
  | 'compose'
  | 'file'

export interface DeliveryErrorParts {
  readonly stage: Stage
  /** Whether the same mail may get through later, with nothing changed in it. */
  readonly temporary: boolean
  /** The server's reply, as `safeReplyText` gives it. */
  readonly reply?: string
  readonly cause?: unknown
}

export class DeliveryError extends Error {
  readonly stage: Stage
  readonly temporary: boolean
  readonly reply: string | undefined

  constructor(message: string, { stage, temporary, reply, cause }: DeliveryErrorParts) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'DeliveryError'
    this.stage = stage
    this.temporary = temporary
    this.reply = reply
  }
}

/** One line of a reply for the log: `550 5.1.1 no such user`. Secrets that it repeats are hidden. */
export function safeReplyText({ code, lines }: Reply, secrets: readonly string[]): string {
  const text = `${code} ${lines.join(' / ')}`
  const hidden = secrets.reduce((shown, secret) => (secret === '' ? shown : shown.replaceAll(secret, '***')), text)
  const clean = hidden.replace(/(?<!\d)\d{6}(?!\d)/g, '***').trim()
  return clean.length > REPLY_CHARS_MAX ? `${clean.slice(0, REPLY_CHARS_MAX)}…` : clean
}
