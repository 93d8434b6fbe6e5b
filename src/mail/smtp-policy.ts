/**
 * What we insist on when talking to a mail server: pure decisions, apart from the conversation that carries them out.
 *
 * A sign-in code is a password for fifteen minutes, so it leaves this machine only inside TLS with a verified
 * certificate; a server that does not offer that gets no mail (RFC 8314 rather than opportunistic STARTTLS). The mail
 * server on this very machine is the exception: nobody can listen between, and the usual one there (Postfix as a
 * distribution installs it) has a certificate that names nobody. There STARTTLS is used where offered, its
 * certificate is not judged, and without it the mail, and a password if one is set, goes on in clear.
 */
import { isIPv4 } from 'node:net'
import type { Stage } from './delivery-error.ts'

/** `implicit`: TLS from the first byte. `starttls`: it must be offered. `loopback`: used if offered. */
export type Security = 'implicit' | 'starttls' | 'loopback'

/** The mechanisms we speak, best first. */
export type AuthMechanism = 'PLAIN' | 'LOGIN'

export function securityFor(scheme: 'smtp' | 'smtps', host: string): Security {
  if (scheme === 'smtps') return 'implicit'
  return isThisMachine(host) ? 'loopback' : 'starttls'
}

/** Whether a host name or address can only mean this machine: `localhost`, 127.0.0.0/8, `::1`. */
export function isThisMachine(host: string): boolean {
  const name = host.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}

/** Whether a certificate must be valid for the host. */
export function verifiesCertificate(security: Security): boolean {
  return security !== 'loopback'
}

/** Whether the conversation may go past the greeting: to the password and the mail. */
export function isPrivateEnough(security: Security, isEncrypted: boolean): boolean {
  return isEncrypted || security === 'loopback'
}

/** Picks from what the server's EHLO line lists; undefined where there is none that we speak. */
export function chooseMechanism(offered: readonly string[]): AuthMechanism | undefined {
  return (['PLAIN', 'LOGIN'] as const).find((mechanism) => offered.includes(mechanism))
}

/**
 * Whether a reply that refuses leaves hope for the same mail. 4xx always does (RFC 5321 4.2.1). 5xx ends it only where
 * the server has judged this recipient or this message. A 5xx to the connection, to the password (535) or to the
 * sender's address, and a demand for a password (530) or a better one (534, 538) at any step (RFC 4954 section 6),
 * speak of the settings: the operator can put them right while the mail waits.
 */
export function isTemporary(stage: Stage, code: number): boolean {
  if (code < 500) return true
  const judgesMail = stage === 'rcpt' || stage === 'data' || stage === 'message'
  return !judgesMail || AUTH_CODES.includes(code)
}

const AUTH_CODES = [530, 534, 535, 538]
