/**
 * How long each step of a delivery may take. A sign-in code is worth something for minutes, so these are shorter than
 * what RFC 5321 section 4.5.3.2 allows a queue that tries for days; a step that takes longer is tried again.
 */
import { MINUTE_MS } from '../../base/duration.ts'

/** In milliseconds. */
export interface SmtpTimeouts {
  /** The TCP connection, with name look-up; and again a TLS handshake. */
  readonly connect: number
  readonly greeting: number
  /** From each command to its reply. */
  readonly command: number
  /** From the first byte of the message to its reply. */
  readonly data: number
  /** The farewell. It comes after the mail's fate is known, so it may be short. */
  readonly quit: number
  /** All of an attempt together, with the wait for a free connection and all servers that are tried. */
  readonly total: number
}

export const SMTP_TIMEOUTS: SmtpTimeouts = {
  connect: 10_000,
  greeting: 15_000,
  command: 15_000,
  data: 30_000,
  quit: 2_000,
  total: MINUTE_MS,
}
