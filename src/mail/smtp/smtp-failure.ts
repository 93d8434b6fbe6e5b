/** The one form of what went wrong with a mail server: which server, at which step, what, and in which words of its. */
import { DeliveryError, type DeliveryProblem, type Stage, safeReplyText } from '../delivery/delivery-error.ts'
import type { Reply } from './smtp-replies.ts'

export interface SmtpServer {
  /** A name or an IP address. */
  readonly host: string
  readonly port: number
}

export interface SmtpFailure {
  readonly stage: Stage
  readonly temporary: boolean
  readonly reply?: Reply
  readonly issuer?: string
  readonly problem?: DeliveryProblem
  readonly cause?: unknown
}

/** `Cannot deliver mail through "mx.example:25" at rcpt: expected 2xx, got "550 5.1.1 no such user"`. */
export function smtpFailure(
  { host, port }: SmtpServer,
  problem: string,
  { reply, ...parts }: SmtpFailure,
  secrets: readonly string[] = [],
): DeliveryError {
  const opening = `Cannot deliver mail through "${host}:${port}" at ${parts.stage}: ${problem}`
  if (reply === undefined) return new DeliveryError(opening, parts)
  const text = safeReplyText(reply, secrets)
  const { code, enhanced } = reply
  return new DeliveryError(`${opening}, got ${JSON.stringify(text)}`, {
    ...parts,
    reply: text,
    code,
    ...(enhanced === undefined ? {} : { enhanced }),
  })
}

/** What a socket's error says in one clause. A server with several addresses fails with one error for each of them. */
export function connectionProblem(error: NodeJS.ErrnoException): string {
  const parts = error instanceof AggregateError ? error.errors.slice(0, ADDRESSES_SHOWN_MAX) : [error]
  const texts = parts.map(clauseOf)
  return `the connection failed (${texts.join('; ') || 'an unknown error'})`
}

/**
 * Texts of the system and of OpenSSL name hosts and reasons, never content. OpenSSL's message is a line of its error
 * queue, with an address in memory, a place in its sources and a line break; its `reason` is the part for people. Some
 * errors have a code only.
 */
function clauseOf(error: NodeJS.ErrnoException & { readonly reason?: unknown }): string {
  const { reason, message, code } = error
  return typeof reason === 'string' ? `TLS: ${reason}` : message || code || 'an unknown error'
}

/** The error that tells most: an address family that this machine lacks explains nothing about the server. */
export function tellingError(error: Error): Error {
  if (!(error instanceof AggregateError)) return error
  const errors: NodeJS.ErrnoException[] = error.errors
  return errors.find(({ code }) => code !== undefined && !NO_ROUTE.includes(code)) ?? errors[0] ?? error
}

const ADDRESSES_SHOWN_MAX = 4
const NO_ROUTE = ['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']
