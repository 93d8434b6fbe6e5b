/**
 * Why a mail was not delivered, in the terms that the outbox needs: whether to retry, and what the server said. Some
 * servers echo what they were sent, so the password and every run of six digits, which could be a code, are masked.
 */
import type { Reply } from '../smtp/smtp-replies.ts'

const REPLY_CHARS_MAX = 300

/** Where the attempt failed. The network steps, in their order, then what needs no network. */
export type Stage =
  | ('connect' | 'greeting' | 'ehlo' | 'starttls' | 'tls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'message' | 'quit')
  | ('compose' | 'file' | 'exec')

/** Gets the dialogue with a server line by line while it runs, with every secret masked. */
export type Trace = (line: { readonly from: 'client' | 'server' | 'note'; readonly text: string }) => void

export interface SendOptions {
  /** Aborts the attempt, with a temporary error. */
  readonly signal?: AbortSignal
  /** Gets the dialogue with a mail server or a program. */
  readonly trace?: Trace
}

/** What went wrong where neither a reply nor an error of the system says it. */
export type ErrorKind =
  // With a mail server:
  | 'silent' // it did not answer in time
  | 'closed' // it closed the connection
  | 'protocol' // what it sent is not SMTP
  | 'not-loopback' // a name of this machine resolves elsewhere
  | 'no-tls'
  | 'no-auth' // it does not offer AUTH
  | 'no-mechanism' // it offers no mechanism that we support
  | 'cleartext-auth' // it offers only mechanisms that would send the password unencrypted
  | 'broken-auth' // it broke the rules of the mechanism
  | 'no-token'
  | 'too-large'
  | 'no-utf8'
  // With none:
  | 'not-set-up'
  // With a program:
  | 'start'
  | 'status'
  | 'killed'
  | 'slow'
  | 'noisy'

export interface DeliveryErrorDetails {
  readonly stage: Stage
  /** Whether the same mail may succeed later, unchanged. */
  readonly temporary: boolean
  /** The server's reply, as `safeReplyText` gives it. */
  readonly reply?: string | undefined
  /** The code of that reply, 200 to 599. */
  readonly code?: number | undefined
  /** Its enhanced status code (RFC 3463), such as `4.7.1`, where it has one. */
  readonly enhanced?: string | undefined
  /** The issuer of a certificate that was rejected: `CN=Example CA, O=Example`. */
  readonly issuer?: string | undefined
  readonly kind?: ErrorKind | undefined
  /** The exit status of a program. */
  readonly exitStatus?: number | undefined
  /** The error of the system or of OpenSSL, with its `code`: ENOTFOUND, ECONNREFUSED, SELF_SIGNED_CERT_IN_CHAIN … */
  readonly cause?: unknown
}

export interface DeliveryError extends Omit<DeliveryErrorDetails, 'cause'> {}

export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'

  constructor(message: string, { cause, ...details }: DeliveryErrorDetails) {
    super(message, cause === undefined ? undefined : { cause })
    Object.assign(this, details)
  }
}

/** A reply in one line for the log, with secrets masked: `550 5.1.1 no such user`. */
export function safeReplyText({ code, lines }: Reply, secrets: readonly string[]): string {
  return safeText(`${code} ${lines.join(' / ')}`, secrets)
}

/** A text from a server, cut to a length, with secrets and codes masked. */
export function safeText(text: string, secrets: readonly string[]): string {
  const masked = secrets.reduce((shown, secret) => (secret === '' ? shown : shown.replaceAll(secret, '***')), text)
  const clean = masked.replace(/(?<!\d)\d{6}(?!\d)/g, '***').trim()
  return clean.length > REPLY_CHARS_MAX ? `${clean.slice(0, REPLY_CHARS_MAX)}…` : clean
}
