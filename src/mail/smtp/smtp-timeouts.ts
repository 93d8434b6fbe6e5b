/** Timeouts for the steps of a delivery, shorter than those of RFC 5321 section 4.5.3.2: a code lives for minutes. */
import { MINUTE_MS } from '../../base/duration.ts'

/** In milliseconds. */
export const SMTP_TIMEOUTS = {
  /** The TCP connection, with name look-up; and again a TLS handshake. */
  connect: 10_000,
  greeting: 15_000,
  /** From each command to its reply. */
  command: 15_000,
  /** From the first byte of the message to its reply. */
  data: 30_000,
  /** QUIT comes after the mail's outcome is known, so it may be short. */
  quit: 2_000,
  /** All of an attempt, with the wait for a free connection and all servers that are tried. */
  total: MINUTE_MS,
}

export type SmtpTimeouts = Readonly<typeof SMTP_TIMEOUTS>
