/**
 * The rules for talking to a mail server: pure decisions, apart from the conversation that carries them out.
 *
 * A sign-in code is a password for fifteen minutes, so it leaves this machine only inside TLS with a verified
 * certificate, unless the operator has said otherwise (RFC 8314 rather than opportunistic STARTTLS). The exception is a
 * mail server on this machine: there is no network to listen on, and Postfix as distributions install it has a
 * certificate without a usable name. There STARTTLS is used where offered, its certificate is not checked, and without
 * it the mail goes unencrypted. A password does not: it lives longer than a code, and another process could listen on
 * that port while the mail server is down. It goes unencrypted only with --mail-cleartext-login.
 */
import { isIPv4 } from 'node:net'
import type { Stage } from '../delivery/delivery-error.ts'

/**
 * `implicit`: TLS from the first byte. `starttls`: it must be offered. `starttls-if-offered`: unencrypted where it is not
 * (where it is, it must succeed). `none`: unencrypted, whatever is offered.
 */
export type TlsMode = 'implicit' | 'starttls' | 'starttls-if-offered' | 'none'

/** The mechanisms that we support. */
export type AuthMechanism = 'SCRAM-SHA-256' | 'CRAM-MD5' | 'PLAIN' | 'LOGIN' | 'XOAUTH2'

/** For a password, best first: the last two send the password itself. */
const PASSWORD_MECHANISMS: readonly AuthMechanism[] = ['SCRAM-SHA-256', 'CRAM-MD5', 'PLAIN', 'LOGIN']
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

/**
 * Whether a connection that must stay on this machine has left it. `localhost` is a name, and a name can be made to
 * resolve elsewhere; and only on this machine may a certificate go unchecked.
 */
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
  return known.filter((mechanism) => offered.includes(mechanism) && (maySendSecret || keepsSecret(mechanism)))
}

function keepsSecret(mechanism: AuthMechanism): boolean {
  return mechanism === 'SCRAM-SHA-256' || mechanism === 'CRAM-MD5'
}

/** Whether a rejected AUTH was about the mechanism (RFC 4954 sections 4 and 6), so that another may succeed. */
export function rejectsMechanism(code: number): boolean {
  return code === 504 || code === 534 || code === 538
}

/**
 * Whether the same mail may succeed after this rejection. 4xx always means so (RFC 5321 4.2.1). 5xx is permanent only
 * where the server has decided about this recipient or this message (552 to MAIL is about the announced size, RFC 1870). A 5xx
 * to the connection, the password (535) or the sender's address, and a demand for a password (530) or a better one
 * (534, 538) at any step (RFC 4954 section 6), are about the settings: the operator can correct them while the mail
 * waits.
 */
export function isTemporary(stage: Stage, code: number): boolean {
  if (code < 500) return true
  if (stage === 'mail') return code !== 552
  const concernsMail = stage === 'rcpt' || stage === 'data' || stage === 'message'
  return !concernsMail || AUTH_CODES.includes(code)
}

const AUTH_CODES = [530, 534, 535, 538]
