/**
 * The rules for talking to a mail server. A sign-in code is a password for fifteen minutes, so it leaves this machine
 * only inside TLS with a verified certificate, unless the operator has said otherwise (RFC 8314). The exception is a
 * mail server on this machine, whose certificate has no usable name: there STARTTLS is used where offered, unchecked,
 * and without it the mail goes unencrypted. A password does not, as another process could listen on that port while the
 * mail server is down: it goes unencrypted only with --mail-cleartext-login.
 */
import { isIPv4 } from 'node:net'
import type { Stage } from '../delivery/delivery-error.ts'

/**
 * `implicit`: TLS from the first byte. `starttls`: it must be offered. `starttls-if-offered`: unencrypted where it is
 * not (where it is, it must succeed). `none`: unencrypted, whatever is offered.
 */
export type TlsMode = 'implicit' | 'starttls' | 'starttls-if-offered' | 'none'

export type AuthMechanism = 'SCRAM-SHA-256' | 'PLAIN' | 'LOGIN' | 'XOAUTH2'

/** For a password, best first: the last two send the password itself. */
const PASSWORD_MECHANISMS: readonly AuthMechanism[] = ['SCRAM-SHA-256', 'PLAIN', 'LOGIN']
const TOKEN_MECHANISMS: readonly AuthMechanism[] = ['XOAUTH2']

/** Whether a host name or address can only mean this machine: `localhost`, 127.0.0.0/8, `::1`. */
export function isThisMachine(host: string): boolean {
  const name = host.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}

interface Destination {
  readonly host: string
  /** The IP address that the connection leads to. */
  readonly remoteAddress: string
  readonly mode: TlsMode
  readonly verify: boolean
}

/** Whether a connection that must stay on this machine has left it: `localhost` can be made to resolve elsewhere. */
export function isNotLoopback({ host, remoteAddress, mode, verify }: Destination): boolean {
  const mustBeLocal = isThisMachine(host) || (!verify && mode !== 'none')
  return mustBeLocal && !isThisMachine(remoteAddress)
}

interface AuthOffer {
  /** The parameters of the server's AUTH offer, in capitals. */
  readonly offered: readonly string[]
  readonly hasToken: boolean
  /** Whether the connection is encrypted, or the operator allows the secret to go unencrypted. */
  readonly maySendSecret: boolean
}

/** The mechanisms to log in with, best first. */
export function usableMechanisms({ offered, hasToken, maySendSecret }: AuthOffer): readonly AuthMechanism[] {
  const known = hasToken ? TOKEN_MECHANISMS : PASSWORD_MECHANISMS
  return known.filter((mechanism) => offered.includes(mechanism) && (maySendSecret || mechanism === 'SCRAM-SHA-256'))
}

/** Whether a rejected AUTH was about the mechanism (RFC 4954 sections 4 and 6), so that another may succeed. */
export function rejectsMechanism(code: number): boolean {
  return code === 504 || code === 534 || code === 538
}

/**
 * Whether the same mail may succeed after this rejection. 4xx always means so (RFC 5321 4.2.1). 5xx is permanent only
 * where the server has judged this recipient or this message (552 to MAIL is about the announced size, RFC 1870). Any
 * other 5xx, as for a password (530, 534, 535, 538), is about settings, which can be corrected while the mail waits.
 */
export function isTemporary(stage: Stage, code: number): boolean {
  if (code < 500) return true
  if (stage === 'mail') return code !== 552
  const concernsMail = stage === 'rcpt' || stage === 'data' || stage === 'message'
  return !concernsMail || AUTH_CODES.includes(code)
}

const AUTH_CODES = [530, 534, 535, 538]
