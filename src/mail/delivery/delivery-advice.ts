/**
 * What is wrong with a delivery, and what to do about it: one sentence for the operator.
 *
 * An error says what happened, in the words of the system, of OpenSSL or of the server. Whoever reads it at night wants
 * to know which of their settings it is about. The words of the other side are kept in the sentence, for they may know
 * better than we do.
 */
import { systemReason } from '../../base/system-error.ts'
import type { DeliveryError, DeliveryProblem } from './delivery-error.ts'
import { adviceForReply } from './reply-advice.ts'

/** A certificate may be for hundreds of names. */
const NAMES_CHARS_MAX = 200

/** One sentence without a full stop, and without secrets as the error has none. */
export function adviceFor(error: DeliveryError): string {
  const { stage, problem, code, cause } = error
  if (stage === 'compose') return 'The mail cannot be written: no server was asked, and another try would end the same'
  if (stage === 'file')
    return `The directory of --mail takes no files (${systemReason(cause)}): make room, or give us the right`
  if (stage === 'exec') return adviceForProgram(error)
  // A reply says more than the problem that came with it, but for one that was not asked for.
  if (code !== undefined && problem === undefined) return adviceForReply(error)
  if (problem === 'silent' || problem === 'closed') return adviceForSilence(error, problem)
  if (problem !== undefined) return PROBLEM_ADVICE[problem] ?? UNKNOWN
  const name = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return certificateAdvice(name, error) ?? tlsAdvice(name) ?? connectionAdvice(name, error) ?? UNKNOWN
}

const UNKNOWN = 'The connection to the mail server failed: the message above is all that is known'

const PROBLEM_ADVICE: Readonly<Partial<Record<DeliveryProblem, string>>> = {
  garbled: 'What answers there does not speak SMTP as it should: check host and port in --mail',
  astray:
    'The host in --mail should be this machine, and its name leads to another: give the address, such as 127.0.0.1',
  'no-tls':
    'The server offers no STARTTLS, and mail leaves this machine only encrypted: use smtps:// if it has TLS from the first byte, or, where nobody can listen, --mail-tls starttls-if-offered',
  'no-login':
    'A user is set and the server offers no login: leave the user out for a relay; some servers offer it at port 587 alone, or only inside TLS',
  'no-mechanism':
    'The server offers no way to log in that we speak (SCRAM-SHA-256, CRAM-MD5, PLAIN, LOGIN; with --mail-token-file XOAUTH2): enable one there',
  'login-in-clear':
    'The server takes logins only in clear on this connection: use TLS (--mail-tls starttls or smtps://), or, where nobody can listen, --mail-cleartext-login',
  'odd-login':
    'The login broke off as the message above says: check user and password, and that this is the server you mean',
  'no-token': 'The token to log in with cannot be read: see whether the program that renews --mail-token-file runs',
  'too-large': 'The server does not take a message of this size: make the templates shorter, or raise its limit',
  'no-utf8':
    'The server cannot take addresses or headers beyond ASCII (SMTPUTF8): use another server for such recipients',
}

function adviceForSilence({ stage }: DeliveryError, problem: 'silent' | 'closed'): string {
  if (stage === 'connect') {
    return 'The server does not answer: check host and port in --mail, and firewalls between; many networks close port 25, then use 587'
  }
  if (stage === 'greeting') {
    const what = problem === 'silent' ? 'says nothing' : 'closes the connection without a word'
    return `The server ${what}: if it expects TLS from the first byte, as at port 465, use smtps://; else it may not welcome this machine`
  }
  if (stage === 'tls') return 'The server begins no TLS: smtps:// is for port 465, smtp:// for 587 and 25'
  const what = problem === 'silent' ? 'fell silent' : 'closed the connection'
  return `The server ${what} in the middle: the mail is tried again; if that stays so, see the log of the server`
}

/** OpenSSL's and node's names of what is wrong with a certificate. */
const ISSUER_UNKNOWN = [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

function certificateAdvice(name: string, { issuer = 'nobody', cause }: DeliveryError): string | undefined {
  const by = JSON.stringify(issuer)
  if (ISSUER_UNKNOWN.includes(name)) {
    return `The server's certificate was issued by ${by}, whom this machine does not know: give the certificate of that authority with --mail-ca`
  }
  if (name === 'DEPTH_ZERO_SELF_SIGNED_CERT') {
    return `The server's certificate is issued by itself, ${by}: give it with --mail-ca if it is the right one`
  }
  if (name === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = /.*altnames: (.*)$/s.exec(cause instanceof Error ? cause.message : '')?.[1]
    const found =
      names === undefined
        ? 'another name'
        : JSON.stringify(names.replaceAll('DNS:', '').replace(/\p{C}/gu, '?').slice(0, NAMES_CHARS_MAX))
    return `The server's certificate is for ${found}: use that name in --mail, or give it with --mail-tls-name`
  }
  if (name === 'CERT_HAS_EXPIRED') {
    return `The server's certificate, issued by ${by}, or that of its authority has expired: renew it there, and check the clock here`
  }
  if (name === 'CERT_NOT_YET_VALID') return "The server's certificate is not valid yet: check the clock of this machine"
  return /^(?:CERT_|CRL_|INVALID_|HOSTNAME_|PATH_LENGTH_|UNABLE_TO_|ERROR_IN_CERT)/.test(name)
    ? `The server's certificate, issued by ${by}, was not accepted (${name}): have it issued anew`
    : undefined
}

function tlsAdvice(name: string): string | undefined {
  if (/^(?:ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_UNKNOWN_PROTOCOL)$/.test(name)) {
    return 'What answers there does not speak TLS from the first byte: smtps:// is for port 465, use smtp:// for 587 and 25'
  }
  return /^(?:ERR_SSL_|EPROTO)/.test(name)
    ? `Both sides could not agree on TLS (${name}): the server may know only versions or ciphers that are too old`
    : undefined
}

function connectionAdvice(name: string, { cause }: DeliveryError): string | undefined {
  const place = placeOf(cause)
  switch (name) {
    case 'ENOTFOUND':
    case 'ENODATA':
      return `No name server knows ${place}: check the host in --mail, and DNS on this machine`
    case 'EAI_AGAIN':
      return `No name server answers about ${place}: check DNS and the network of this machine`
    case 'ECONNREFUSED':
      return `Nothing listens at ${place}: check host and port in --mail, and whether the mail server runs`
    case 'ETIMEDOUT':
      return adviceForSilence({ stage: 'connect' } as DeliveryError, 'silent')
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
      return `There is no way from this machine to ${place}: check its network, and firewalls between`
    case 'EACCES':
    case 'EPERM':
      return `This machine forbids connections to ${place}: check its firewall, and what the service may do`
    case 'ECONNRESET':
    case 'EPIPE':
      return 'The server cut the connection off: the mail is tried again; if that stays so, see the log of the server'
    default:
      return undefined
  }
}

/** `"mail.example.org"` or `192.0.2.1:25`, from what node puts into its errors. */
function placeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'the mail server'
  const { hostname, address, port } = cause as Error & { hostname?: string; address?: string; port?: number }
  if (hostname !== undefined) return JSON.stringify(hostname)
  if (address === undefined) return 'the mail server'
  return port === undefined ? address : `${address.includes(':') ? `[${address}]` : address}:${port}`
}

function adviceForProgram({ problem, exitStatus, reply, cause }: DeliveryError): string {
  const words = reply === undefined ? '' : `, saying ${JSON.stringify(reply)}`
  switch (problem) {
    case 'start':
      return `The program in --mail cannot be started (${systemReason(cause)}): check its path and who may execute it`
    case 'slow':
      return `The program in --mail took too long and was ended${words}: see what it waits for`
    case 'noisy':
      return 'The program in --mail printed without end and was ended: it is to print a line or two'
    case 'killed':
      return `The program in --mail was ended by somebody else${words}: see the log of the system, such as for lack of memory`
    case 'status':
      return `${STATUS_ADVICE[exitStatus ?? 0] ?? 'The program in --mail failed: see its own log'}${words}`
    default:
      return 'The service is stopping: the mail waits for its next start'
  }
}

/** For the numbers of sysexits.h. */
const STATUS_ADVICE: Readonly<Record<number, string>> = {
  64: 'The program in --mail does not understand its arguments: check them',
  67: 'The program in --mail does not know the recipient',
  68: "The program in --mail does not find the recipient's mail server, or its own: check its settings",
  69: 'The program in --mail could not deliver: see its own log',
  75: 'The program in --mail asks to be tried again later, which happens by itself',
  77: 'The program in --mail may not do what it should: check its rights and its login',
  78: 'The program in --mail is not set up rightly: check its own settings',
}
