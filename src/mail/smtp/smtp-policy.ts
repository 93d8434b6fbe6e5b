/**
 * What we insist on when talking to a mail server: pure decisions, apart from the conversation that carries them out.
 *
 * A sign-in code is a password for fifteen minutes, so it leaves this machine only inside TLS with a verified
 * certificate, unless the operator has said otherwise (RFC 8314 rather than opportunistic STARTTLS). The mail server
 * on this very machine is the exception: nobody can listen between, and the usual one there (Postfix as a
 * distribution installs it) has a certificate that names nobody. There STARTTLS is used where offered, its
 * certificate is not judged, and without it the mail goes on in clear. A password does not: it is good for longer than
 * a code, and whatever listens at that port while the mail server is down would be told it. It goes unencrypted only
 * where the operator says so, here as anywhere.
 */
import { isIPv4 } from 'node:net'
import type { Stage } from '../delivery/delivery-error.ts'

/**
 * `implicit`: TLS from the first byte. `starttls`: it must be offered. `starttls-if-offered`: in clear where it is not
 * (where it is, it must succeed). `none`: in clear, whatever is offered.
 */
export type TlsMode = 'implicit' | 'starttls' | 'starttls-if-offered' | 'none'

/** The mechanisms we speak. */
export type AuthMechanism = 'SCRAM-SHA-256' | 'CRAM-MD5' | 'PLAIN' | 'LOGIN' | 'XOAUTH2'

/** Those for a password, the one that tells a listener least first. The last two tell the password itself. */
const PASSWORD_MECHANISMS: readonly AuthMechanism[] = ['SCRAM-SHA-256', 'CRAM-MD5', 'PLAIN', 'LOGIN']
const TOKEN_MECHANISMS: readonly AuthMechanism[] = ['XOAUTH2']

/** Whether a host name or address can only mean this machine: `localhost`, 127.0.0.0/8, `::1`. */
export function isThisMachine(host: string): boolean {
  const name = host.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}

export interface Destination {
  readonly host: string
  /** The IP address that the connection leads to. */
  readonly address: string
  readonly mode: TlsMode
  readonly verify: boolean
}

/**
 * Whether a connection that should stay on this machine leads away from it. `localhost` is a name, and a name can be
 * made to lead elsewhere; and a certificate may go unjudged nowhere else than here.
 */
export function leadsAstray({ host, address, mode, verify }: Destination): boolean {
  const shouldStayHere = isThisMachine(host) || (!verify && mode !== 'none')
  return shouldStayHere && !isThisMachine(address)
}

export interface AuthSituation {
  /** The parameters of the server's AUTH offer, in capitals. */
  readonly offered: readonly string[]
  readonly hasToken: boolean
  /** Whether the connection is encrypted, or the operator does not mind. */
  readonly mayTellPassword: boolean
}

/** The mechanisms to log in by, best first; empty where there is none that we may use. */
export function usableMechanisms({ offered, hasToken, mayTellPassword }: AuthSituation): readonly AuthMechanism[] {
  const known = hasToken ? TOKEN_MECHANISMS : PASSWORD_MECHANISMS
  return known.filter((mechanism) => offered.includes(mechanism) && (mayTellPassword || keepsSecret(mechanism)))
}

function keepsSecret(mechanism: AuthMechanism): boolean {
  return mechanism === 'SCRAM-SHA-256' || mechanism === 'CRAM-MD5'
}

/** Whether a refused AUTH was about the mechanism (RFC 4954 sections 4 and 6), so that another may still do. */
export function refusesMechanism(code: number): boolean {
  return code === 504 || code === 534 || code === 538
}

/**
 * Whether a reply that refuses leaves hope for the same mail. 4xx always does (RFC 5321 4.2.1). 5xx ends it only where
 * the server has judged this recipient or this message (552 to MAIL is about the announced size, RFC 1870). A 5xx to
 * the connection, to the password (535) or to the sender's address, and a demand for a password (530) or a better one
 * (534, 538) at any step (RFC 4954 section 6), speak of the settings: the operator can put them right while the mail
 * waits.
 */
export function isTemporary(stage: Stage, code: number): boolean {
  if (code < 500) return true
  if (stage === 'mail') return code !== 552
  const judgesMail = stage === 'rcpt' || stage === 'data' || stage === 'message'
  return !judgesMail || AUTH_CODES.includes(code)
}

const AUTH_CODES = [530, 534, 535, 538]
