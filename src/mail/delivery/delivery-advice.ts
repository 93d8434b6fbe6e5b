/** What the operator can do about a failed delivery: which setting it is about, with the other side's own words. */
import { certificateAdvice, type CertificateRemedies } from '../../base/certificate-advice.ts'
import { errorCode, systemReason } from '../../base/system-error.ts'
import { RIGHTS_REMEDY } from '../settings/program-rights.ts'
import type { DeliveryError, ErrorKind } from './delivery-error.ts'
import { adviceForRejection } from './rejection-advice.ts'

/** One sentence without a full stop, and without secrets as the error has none. */
export function adviceFor(error: DeliveryError): string {
  const { stage, kind, code, cause } = error
  if (stage === 'compose' && kind === undefined) return 'The mail cannot be composed: no server was asked, and a retry would fail in the same way'
  if (stage === 'file')
    return `The directory of --mail cannot be written to (${systemReason(cause)}): free space, or give us the permission`
  if (stage === 'exec') return adviceForProgram(error)
  // A reply says more than the kind that came with it, except for one that nothing asked for.
  if (code !== undefined && kind === undefined) return adviceForRejection(error)
  if (kind === 'silent' || kind === 'closed') return adviceForSilence(error.stage, kind)
  if (kind !== undefined) return KIND_ADVICE[kind] ?? UNKNOWN
  const name = errorCode(cause)
  return certificateAdvice(cause, error.issuer, MAIL_CERTIFICATE) ?? tlsAdvice(name) ?? connectionAdvice(name, error) ?? UNKNOWN
}

const MAIL_CERTIFICATE: CertificateRemedies = {
  caFlag: '--mail-ca',
  otherName: 'use that name in --mail, or set it with --mail-tls-name',
}

const UNKNOWN = 'The connection to the mail server failed: the message above is all that is known'

const KIND_ADVICE: Readonly<Partial<Record<ErrorKind, string>>> = {
  protocol: 'The host and port do not speak valid SMTP: check host and port in --mail',
  'not-loopback':
    'The host in --mail should be this machine, but its name resolves to another: use an IP address, such as 127.0.0.1',
  'no-tls':
    'The server offers no STARTTLS, and mail leaves this machine only encrypted: use smtps:// if it has TLS from the first byte or, on a network that cannot be tapped, --mail-tls starttls-if-offered',
  'no-auth':
    'A user is set, but the server offers no login: remove the user for a relay; some servers offer it only on port 587, or only inside TLS',
  'no-mechanism':
    'The server offers no login mechanism that we support (SCRAM-SHA-256, PLAIN, LOGIN; with --mail-token-file XOAUTH2): enable one there',
  'cleartext-auth':
    'The server accepts only unencrypted logins on this connection: use TLS (--mail-tls starttls or smtps://) or, on a network that cannot be tapped, --mail-cleartext-login',
  'broken-auth':
    'The login failed as the message above says: check user and password, and that this is the server you mean',
  'no-token':
    'The login token cannot be read: check that the program that renews --mail-token-file is running',
  'not-set-up': 'Set the mail server with --mail, or in the settings of the dashboard, and send the invitation again',
  'too-large': 'The server does not accept a message of this size: make the templates shorter, or raise its limit',
  'no-utf8':
    'The server does not support addresses or headers beyond ASCII (SMTPUTF8): use another server for such recipients',
}

function adviceForSilence(stage: DeliveryError['stage'], kind: 'silent' | 'closed'): string {
  if (stage === 'connect') {
    return 'The server does not answer: check host and port in --mail, and firewalls in between; many networks block port 25, then use 587'
  }
  if (stage === 'greeting') {
    const what = kind === 'silent' ? 'sends no greeting' : 'closes the connection without a greeting'
    return `The server ${what}: if it expects TLS from the first byte, as on port 465, use smtps://; else it may block this machine`
  }
  if (stage === 'tls') return 'The server does not start TLS: smtps:// is for port 465, smtp:// for 587 and 25'
  const what = kind === 'silent' ? 'stopped answering' : 'closed the connection'
  return `The server ${what} mid-session: the service retries by itself; if it persists, see the log of the server`
}

function tlsAdvice(name: string): string | undefined {
  if (/^(?:ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_UNKNOWN_PROTOCOL)$/.test(name)) {
    return 'The server does not speak TLS from the first byte: smtps:// is for port 465, use smtp:// for 587 and 25'
  }
  return /^(?:ERR_SSL_|EPROTO)/.test(name)
    ? `The TLS handshake failed (${name}): the server may support only versions or ciphers that are too old`
    : undefined
}

function connectionAdvice(name: string, { cause }: DeliveryError): string | undefined {
  const host = hostOf(cause)
  switch (name) {
    case 'ENOTFOUND':
    case 'ENODATA':
      return `DNS has no entry for ${host}: check the host in --mail, and DNS on this machine`
    case 'EAI_AGAIN':
      return `No DNS server answers for ${host}: check DNS and the network of this machine`
    case 'ECONNREFUSED':
      return `Nothing listens on ${host}: check host and port in --mail, and that the mail server is running`
    case 'ETIMEDOUT':
      return adviceForSilence('connect', 'silent')
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
      return `There is no route from this machine to ${host}: check its network, and firewalls in between`
    case 'EACCES':
    case 'EPERM':
      return `This machine forbids connections to ${host}: check its firewall, and the permissions of the service`
    case 'ECONNRESET':
    case 'EPIPE':
      return 'The server reset the connection: the service retries by itself; if it persists, see the log of the server'
    default:
      return undefined
  }
}

/** `"mail.example.org"` or `192.0.2.1:25`, from the members of Node's errors. */
function hostOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'the mail server'
  const { hostname, address, port } = cause as Error & { hostname?: string; address?: string; port?: number }
  if (hostname !== undefined) return JSON.stringify(hostname)
  if (address === undefined) return 'the mail server'
  return port === undefined ? address : `${address.includes(':') ? `[${address}]` : address}:${port}`
}

function adviceForProgram({ kind, exitStatus, reply, cause }: DeliveryError): string {
  const output = reply === undefined ? '' : `; it printed ${JSON.stringify(reply)}`
  // postdrop tries again without end, so this failure is mostly one of a slow program.
  if (/postdrop.*(?:permission denied|read-only file system)/i.test(reply ?? ''))
    return `The program in --mail may not write to the queue of Postfix, as under NoNewPrivileges or ProtectSystem: ${RIGHTS_REMEDY}${output}`
  switch (kind) {
    case 'start':
      return `The program in --mail cannot be started (${systemReason(cause)}): check its path and permissions`
    case 'slow':
      return `The program in --mail took too long and was ended: check what it waits for${output}`
    case 'noisy':
      return 'The program in --mail printed too much and was ended: it may print a line or two'
    case 'killed':
      return `The program in --mail was killed by another process: see the system log, for example for lack of memory${output}`
    case 'status':
      return `${STATUS_ADVICE[exitStatus ?? 0] ?? 'The program in --mail failed: see its own log'}${output}`
    default:
      return 'The service is stopping: the mail waits for its next start'
  }
}

/** By the exit statuses of sysexits.h. */
const STATUS_ADVICE: Readonly<Record<number, string>> = {
  64: 'The program in --mail does not understand its arguments: check them',
  67: 'The program in --mail does not know the recipient',
  68: "The program in --mail cannot find the recipient's mail server, or its own: check its configuration",
  69: 'The program in --mail could not deliver: see its own log',
  75: 'The program in --mail asks to try later: the service retries by itself',
  77: 'The program in --mail lacks a permission: check its rights and its login',
  78: 'The program in --mail is not configured correctly: check its configuration',
}
