/** The errors of mail servers in one form: which server, at which stage, what went wrong, and the server's own words. */
import { DeliveryError, type ErrorKind, type Stage, safeReplyText } from '../delivery/delivery-error.ts'
import type { Reply } from './smtp-replies.ts'

export interface SmtpServer {
  /** A name or an IP address. */
  readonly host: string
  readonly port: number
}

export interface SmtpErrorDetails {
  readonly stage: Stage
  readonly temporary: boolean
  readonly reply?: Reply
  readonly issuer?: string
  readonly kind?: ErrorKind
  readonly cause?: unknown
}

/** `Cannot deliver mail through "mx.example:25" at rcpt: expected 2xx, got "550 5.1.1 no such user"`. */
export function smtpError(
  { host, port }: SmtpServer,
  message: string,
  { reply, ...details }: SmtpErrorDetails,
  secrets: readonly string[] = [],
): DeliveryError {
  const opening = `Cannot deliver mail through "${host}:${port}" at ${details.stage}: ${message}`
  if (reply === undefined) return new DeliveryError(opening, details)
  const text = safeReplyText(reply, secrets)
  const { code, enhanced } = reply
  return new DeliveryError(`${opening}, got ${JSON.stringify(text)}`, { ...details, reply: text, code, enhanced })
}

/** A socket's error in one clause. A host with several addresses fails with one error for each of them. */
export function describeConnectionError(error: NodeJS.ErrnoException): string {
  const errors = error instanceof AggregateError ? error.errors.slice(0, ADDRESSES_SHOWN_MAX) : [error]
  return `the connection failed (${errors.map(clauseOf).join('; ') || 'an unknown error'})`
}

/** An OpenSSL message has memory addresses; its `reason` is the readable part. Some errors have only a code. */
function clauseOf(error: NodeJS.ErrnoException & { readonly reason?: unknown }): string {
  const { reason, message, code } = error
  return typeof reason === 'string' ? `TLS: ${reason}` : message || code || 'an unknown error'
}

const ADDRESSES_SHOWN_MAX = 4
