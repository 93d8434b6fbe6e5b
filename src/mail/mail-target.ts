/**
 * The `--mail` setting: where mail goes.
 *
 *     console:                                   to the operator's terminal, for trying things out
 *     file:DIR                                   one .eml file per mail into a directory
 *     smtp://[user:password@]host[:port]         to a mail server; port 587 with a user (RFC 6409), else 25
 *     smtps://[user:password@]host[:port]        the same with TLS from the first byte; port 465 (RFC 8314)
 *
 * The text may hold a password, and a password that is not percent-encoded makes it ambiguous which part that is. So
 * no message here quotes more of it than the scheme, and the port where it is a number.
 */
import { isIP, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { assertNever } from '../base/failure.ts'
import type { Login } from './smtp-auth.ts'
import { type Security, securityFor } from './smtp-policy.ts'

export type MailTarget =
  | { readonly kind: 'console' }
  | { readonly kind: 'file'; readonly directory: string }
  | {
      readonly kind: 'smtp'
      readonly host: string
      readonly port: number
      readonly security: Security
      readonly login?: Login
    }

const WANTED = 'console:, file:DIR, smtp://[user:password@]host[:port] or smtps://…'
const HOST_CHARS_MAX = 253
const LOGIN_CHARS_MAX = 1_000

/** Reads the setting. Throws an Error with one sentence that names what was found and what is wanted. */
export function parseMailTarget(text: string): MailTarget {
  const setting = text.trim()
  if (setting === 'console:' || setting === 'console') return { kind: 'console' }
  const scheme = /^([a-z][a-z0-9+.-]{0,19}):/i.exec(setting)?.[1]?.toLowerCase()
  if (scheme === 'file') return { kind: 'file', directory: directoryIn(setting.slice('file:'.length)) }
  if (scheme === 'smtp' || scheme === 'smtps') return serverIn(scheme, setting.slice(scheme.length + 1))
  const found = setting === '' ? 'nothing' : scheme === undefined ? 'a text without a scheme' : `"${scheme}:…"`
  throw new Error(`Cannot read mail setting: expected ${WANTED}, got ${found}`)
}

/** The target in one line for people, without the password. */
export function describeMailTarget(target: MailTarget): string {
  switch (target.kind) {
    case 'console':
      return 'mail is printed on the console'
    case 'file':
      return `mail is written to files in ${JSON.stringify(target.directory)}`
    case 'smtp': {
      const host = isIPv6(target.host) ? `[${target.host}]` : target.host
      const as = target.login === undefined ? '' : ` as ${JSON.stringify(target.login.user)}`
      return `mail goes through ${host}:${target.port}${as}, ${SECURITY_WORDS[target.security]}`
    }
    default:
      return assertNever(target)
  }
}

const SECURITY_WORDS: Readonly<Record<Security, string>> = {
  implicit: 'over TLS',
  starttls: 'over STARTTLS',
  loopback: 'on this machine',
}

function directoryIn(path: string): string {
  if (path.trim() === '' || path.includes('\0')) {
    throw new Error('Cannot read mail setting "file:": expected the path of a directory after the colon, got none')
  }
  // `file://mails/x` would be a path on a host named mails; `file:///srv/mails` is how URLs write an absolute path.
  if (/^\/\/(?!\/)/.test(path)) {
    throw new Error('Cannot read mail setting "file://…": expected file:DIR or file:///DIR, got the name of a host')
  }
  return path.replace(/^\/\/\//, '/')
}

/** What follows the scheme: `//`, then userinfo up to the last `@`, host, port. */
const SERVER = /^\/\/(?:([^/?#]*)@)?(\[[^\]@]*\]|[^:@/?#[\]]+)(?::(\d{1,5}))?\/?$/

function serverIn(scheme: 'smtp' | 'smtps', rest: string): MailTarget {
  const wrong = (problem: string): Error => new Error(`Cannot read mail setting "${scheme}://…": ${problem}`)
  const match = SERVER.exec(rest)
  if (match === null) {
    throw wrong(
      `expected ${scheme}://[user:password@]host[:port], with other signs than letters and digits in user and
      password percent-encoded, got another form`.replace(/\s+/g, ' '),
    )
  }
  const [, userinfo, hostText = '', portText] = match
  const host = hostIn(hostText)
  if (host === undefined) throw wrong('expected the name or the IP address of a host, got something else')
  const port = portText === undefined ? defaultPort(scheme, userinfo !== undefined) : Number(portText)
  if (port < 1 || port > 65_535) throw wrong(`expected a port from 1 to 65535, got ${port}`)
  const server = { kind: 'smtp', host, port, security: securityFor(scheme, host) } as const
  if (userinfo === undefined) return server
  const login = loginIn(userinfo)
  if (login === undefined) throw wrong('expected user:password, both percent-encoded, before the "@", got another form')
  return { ...server, login }
}

function defaultPort(scheme: 'smtp' | 'smtps', hasLogin: boolean): number {
  if (scheme === 'smtps') return 465
  return hasLogin ? 587 : 25
}

function hostIn(text: string): string | undefined {
  const bracketed = /^\[(.*)\]$/.exec(text)?.[1]
  if (bracketed !== undefined) return isIPv6(bracketed) ? bracketed.toLowerCase() : undefined
  if (isIP(text) !== 0) return text
  const host = /[^\0-\x7f]/.test(text) ? domainToASCII(text) : text.toLowerCase()
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$/.test(host) && host.length <= HOST_CHARS_MAX ? host : undefined
}

function loginIn(userinfo: string): Login | undefined {
  const colon = userinfo.indexOf(':')
  if (colon < 0) return undefined
  const user = decoded(userinfo.slice(0, colon))
  const password = decoded(userinfo.slice(colon + 1))
  return user === undefined || password === undefined ? undefined : { user, password }
}

/** SASL separates user and password by NUL (RFC 4616) and knows no other control characters either. */
function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text)
    return plain === '' || plain.length > LOGIN_CHARS_MAX || /\p{Cc}/u.test(plain) ? undefined : plain
  } catch {
    return undefined
  }
}
