/**
 * The `--mail` setting: where mail goes.
 *
 *     console:                                        to stderr of the service, for trying things out
 *     file:DIR                                        one .eml file per mail into a directory
 *     exec:COMMAND                                    to a program, on its standard input (split-command.ts)
 *     smtp://[user[:password]@]host[:port][,host…]    to a mail server; port 587 with a user (RFC 6409), else 25
 *     smtps://…                                       the same with TLS from the first byte; port 465 (RFC 8314)
 *
 * The text may contain a password. So messages quote only the scheme, and the port where it is a number.
 */
import { isIP, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { splitCommand } from './split-command.ts'

export type MailTarget =
  | { readonly kind: 'console' }
  | { readonly kind: 'file'; readonly directory: string }
  | { readonly kind: 'exec'; readonly program: string; readonly args: readonly string[] }
  | ServerTarget

export interface ServerTarget {
  readonly kind: 'smtp'
  /** TLS from the first byte. */
  readonly isImplicit: boolean
  /** Tried in turn; at least one. */
  readonly servers: readonly { readonly host: string; readonly port: number }[]
  readonly user?: string
  /** A function, so that printing a Config does not show the password. */
  readonly password?: () => string
}

const EXPECTED = 'console:, file:DIR, exec:COMMAND, smtp://[user[:password]@]host[:port][,host…] or smtps://…'
const HOST_CHARS_MAX = 253
const HOSTS_MAX = 8
export const LOGIN_CHARS_MAX = 1_000

/** Parses the setting. Throws an Error with one sentence that says what was expected and found. */
export function parseMailTarget(text: string): MailTarget {
  const setting = text.trim()
  if (setting === 'console:' || setting === 'console') return { kind: 'console' }
  const host = bareHost(setting)
  if (host !== undefined) throw new Error(`expected ${EXPECTED}, found the name of a host: write ${host}, with user@ before the host where it wants a login`)
  const scheme = /^([a-z][a-z0-9+.-]{0,19}):/i.exec(setting)?.[1]?.toLowerCase()
  if (scheme === 'file') return { kind: 'file', directory: parseDirectory(setting.slice('file:'.length)) }
  if (scheme === 'exec') return parseProgram(setting.slice('exec:'.length))
  if (scheme === 'smtp' || scheme === 'smtps') return parseServers(scheme, setting.slice(scheme.length + 1))
  const found = setting === '' ? 'nothing' : scheme === undefined ? 'a text without a scheme' : `"${scheme}:…"`
  throw new Error(`expected ${EXPECTED}, found ${found}`)
}

/** The address that is meant by the name of a host alone, which may have a port. */
function bareHost(text: string): string | undefined {
  const [, name = '', port] = /^([^\s:/@]+\.[a-z]{2,})(?::(\d{1,5}))?$/i.exec(text) ?? []
  const host = parseMailHost(name)
  if (host === undefined) return undefined
  return port === undefined || port === '465' ? `smtps://${host}` : `smtp://${host}:${port}`
}

/** The setting for display: without the login, and of a command only the program. */
export function maskMailTarget(text: string): string {
  const setting = text.trim()
  if (/^exec:/i.test(setting)) return setting.replace(/^(exec:[ \t]*[^ \t'"]*).*$/is, '$1 …')
  return setting.replace(/^([^/]*:\/\/).*@/s, '$1***@')
}

/** A host name or IP address in lower case, ASCII, without brackets; undefined for other texts. */
export function parseMailHost(text: string): string | undefined {
  const bracketed = /^\[(.*)\]$/.exec(text)?.[1]
  if (bracketed !== undefined) return isIPv6(bracketed) ? bracketed.toLowerCase() : undefined
  if (isIP(text) !== 0) return text
  const host = /[^\0-\x7f]/.test(text) ? domainToASCII(text) : text.toLowerCase()
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$/.test(host) && host.length <= HOST_CHARS_MAX ? host : undefined
}

function parseDirectory(path: string): string {
  if (path.trim() === '' || path.includes('\0')) {
    throw new Error('expected the path of a directory after file:, found none')
  }
  // In a URL, `file://mails/x` is a path on the host `mails`, and `file:///srv/mails` an absolute path.
  if (/^\/\/(?!\/)/.test(path)) {
    throw new Error('expected file:DIR or file:///DIR, found the name of a host')
  }
  return path.replace(/^\/\/\//, '/')
}

function parseProgram(command: string): MailTarget {
  const [program, ...args] = splitCommand(command)
  return { kind: 'exec', program, args }
}

/** What follows the scheme: `//`, then userinfo up to the last `@`, then hosts with ports. */
const SERVERS = /^\/\/(?:([^/?#]*)@)?([^@/?#]+)\/?$/
const SERVER = /^(\[[^\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/

function parseServers(scheme: 'smtp' | 'smtps', rest: string): MailTarget {
  const form = `expected ${scheme}://[user[:password]@]host[:port][,host…], with characters other than letters and digits in
    user and password percent-encoded, found another form`.replace(/\s+/g, ' ')
  const [whole, userinfo, hosts = ''] = SERVERS.exec(rest) ?? []
  if (whole === undefined) throw new Error(form)
  // In `smtp://a:b@one,c:d@two`, everything before the last `@` would be the login, and be sent to the second host only.
  if (userinfo !== undefined && /@.*,/s.test(userinfo)) {
    throw new Error('expected one login, before the first host, found "@" and "," before the last "@"')
  }
  const texts = hosts.split(',')
  if (texts.length > HOSTS_MAX) throw new Error(`expected at most ${HOSTS_MAX} hosts, found ${texts.length}`)
  const servers = texts.map((text) => {
    const [isServer, hostText = '', portText] = SERVER.exec(text) ?? []
    if (isServer === undefined) throw new Error(form)
    const host = parseMailHost(hostText)
    if (host === undefined) throw new Error('expected the name or the IP address of a host, found something else')
    const port = portText === undefined ? defaultPort(scheme, userinfo !== undefined) : Number(portText)
    if (port < 1 || port > 65_535) throw new Error(`expected a port from 1 to 65535, found ${port}`)
    return { host, port }
  })
  const target = { kind: 'smtp', isImplicit: scheme === 'smtps', servers } as const
  if (userinfo === undefined) return target
  const colon = userinfo.indexOf(':')
  const user = decoded(colon < 0 ? userinfo : userinfo.slice(0, colon))
  const password = colon < 0 ? undefined : decoded(userinfo.slice(colon + 1))
  if (user === undefined || (colon >= 0 && password === undefined)) {
    throw new Error('expected user or user:password, percent-encoded, before the "@", found another form')
  }
  return { ...target, user, ...(password === undefined ? {} : { password: () => password }) }
}

function defaultPort(scheme: 'smtp' | 'smtps', hasLogin: boolean): number {
  if (scheme === 'smtps') return 465
  return hasLogin ? 587 : 25
}

/** SASL separates user and password by NUL (RFC 4616) and allows no other control characters. */
function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text)
    return isLoginText(plain) ? plain : undefined
  } catch {
    return undefined
  }
}

/** Whether a user name or a password can be sent to a server. */
export function isLoginText(text: string): boolean {
  return text !== '' && text.length <= LOGIN_CHARS_MAX && !/\p{Cc}/u.test(text)
}
