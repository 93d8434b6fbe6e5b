/**
 * Why a mail was not delivered, in the terms its queue needs: is another try worth it, and what did the server say.
 *
 * Server texts go to the log, and some servers echo what they were sent. So they are cut to a length and cleaned of
 * the password in the forms it travels in, and of every run of six digits, which could be a code.
 */
import type { Reply } from '../smtp/smtp-replies.ts'

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
  | 'exec'

/** Gets the dialogue with a server while it goes on: one call for one line, with every secret masked already. */
export type Trace = (line: { readonly from: 'client' | 'server' | 'note'; readonly text: string }) => void

/** What went wrong where neither a reply nor an error of the system says it. */
export type DeliveryProblem =
  // With a mail server:
  | 'silent' // nothing came within its time
  | 'closed' // it closed the connection
  | 'garbled' // what it sent is no SMTP
  | 'astray' // the name of this machine leads elsewhere
  | 'no-tls'
  | 'no-login' // it offers no AUTH at all
  | 'no-mechanism' // it offers none that we speak
  | 'login-in-clear' // it offers only such as would tell the password to listeners
  | 'odd-login' // the steps of the mechanism do not fit together
  | 'no-token'
  | 'too-large'
  | 'no-utf8'
  // With a program:
  | 'start'
  | 'status'
  | 'killed'
  | 'slow'
  | 'noisy'

export interface DeliveryErrorParts {
  readonly stage: Stage
  /** Whether the same mail may get through later, with nothing changed in it. */
  readonly temporary: boolean
  /** The server's reply, as `safeReplyText` gives it. */
  readonly reply?: string | undefined
  /** The code of that reply, 200 to 599. */
  readonly code?: number | undefined
  /** Its enhanced status code (RFC 3463), such as `4.7.1`, where it has one. */
  readonly enhanced?: string | undefined
  /** Who signed a certificate that was not accepted: `CN=Example CA, O=Example`. */
  readonly issuer?: string | undefined
  readonly problem?: DeliveryProblem | undefined
  /** The exit status of a program that took the mail. */
  readonly exitStatus?: number | undefined
  /** What the system or OpenSSL said, with its `code`: ENOTFOUND, ECONNREFUSED, SELF_SIGNED_CERT_IN_CHAIN … */
  readonly cause?: unknown
}

export class DeliveryError extends Error {
  readonly stage: Stage
  readonly temporary: boolean
  readonly reply: string | undefined
  readonly code: number | undefined
  readonly enhanced: string | undefined
  readonly issuer: string | undefined
  readonly problem: DeliveryProblem | undefined
  readonly exitStatus: number | undefined

  constructor(message: string, parts: DeliveryErrorParts) {
    const { stage, temporary, reply, code, enhanced, issuer, problem, exitStatus, cause } = parts
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'DeliveryError'
    this.stage = stage
    this.temporary = temporary
    this.reply = reply
    this.code = code
    this.enhanced = enhanced
    this.issuer = issuer
    this.problem = problem
    this.exitStatus = exitStatus
  }
}

/** One line of a reply for the log: `550 5.1.1 no such user`. Secrets that it repeats are hidden. */
export function safeReplyText({ code, lines }: Reply, secrets: readonly string[]): string {
  return safeText(`${code} ${lines.join(' / ')}`, secrets)
}

/** A text from a server, cut to a length, without secrets and codes. */
export function safeText(text: string, secrets: readonly string[]): string {
  const hidden = secrets.reduce((shown, secret) => (secret === '' ? shown : shown.replaceAll(secret, '***')), text)
  const clean = hidden.replace(/(?<!\d)\d{6}(?!\d)/g, '***').trim()
  return clean.length > REPLY_CHARS_MAX ? `${clean.slice(0, REPLY_CHARS_MAX)}…` : clean
}
