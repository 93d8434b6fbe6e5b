/**
 * Rejects requests that a foreign web page makes a browser send to this machine.
 *
 * Every page that is open in a browser can reach a service on a loopback address. Such a page can resolve its own name
 * to 127.0.0.1 (DNS rebinding), and the browser then treats our responses as the page's own. The page cannot change the
 * `Host` that the browser sends, so that is checked against the names of this service. And a page can send forms and
 * plain texts without a preflight, so a request that changes something must come from a page that may read the response,
 * from a page of this service, or from no page at all.
 */
import type { IncomingMessage } from 'node:http'
import { isIPv4 } from 'node:net'
import { splitCommaList } from '../base/comma-list.ts'
import { describe, fail } from '../base/failure.ts'

export interface ForeignPageRules {
  /** Whether only this machine can reach the service. Otherwise hosts are checked only where some are allowed. */
  readonly isLoopback: boolean
  /** The name of the listening address in the settings. */
  readonly boundName: string | undefined
  /** Further host names of this service, in lower case and without ports. */
  readonly allowedHosts: readonly string[]
  /** Whether a name is that of this service in other settings. Hosts are not checked because of it alone. */
  readonly isOwnHost?: ((name: string) => boolean) | undefined
  /** Whether pages of the origin may read the responses. */
  readonly isAllowedOrigin: (origin: string) => boolean
}

/** Throws misdirectedRequest for a foreign host, and forbidden for a page that may not write. */
export type ForeignPageGuard = (request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>) => void

export const NO_GUARD: ForeignPageGuard = () => {}

/** Reads a comma-separated list of host names and addresses. Throws an Error that names the first bad entry. */
export function parseHosts(list: string): readonly string[] {
  const hosts = splitCommaList(list.toLowerCase())
  for (const host of hosts) {
    if (hostName(host) !== host) {
      throw new Error(`expected a host name such as news.example.org, without a port, found "${host}"`)
    }
  }
  return hosts
}

export function foreignPageGuard(rules: ForeignPageRules): ForeignPageGuard {
  const { isLoopback, boundName = 'localhost', allowedHosts, isOwnHost = () => false, isAllowedOrigin } = rules
  if (!isLoopback && allowedHosts.length === 0) return NO_GUARD
  const allowed = new Set(['localhost', '[::1]', boundName.toLowerCase(), ...allowedHosts])
  const isOwn = (authority: string): boolean => {
    const name = hostName(authority)
    return name !== undefined && (allowed.has(name) || (isIPv4(name) && name.startsWith('127.')) || isOwnHost(name))
  }
  let known = 'localhost' // Almost every request has the host of the one before.
  return ({ method, url = '', headers }) => {
    const { host, origin } = headers
    // HTTP/1.0 may come without one; a browser never does.
    if (host !== undefined && host !== known) {
      if (!isOwn(host)) throw misdirected(host)
      known = host
    }
    // In the absolute form the target says which host is meant, whatever Host says (RFC 9112 section 3.2.2).
    const target = url.startsWith('/') ? undefined : ABSOLUTE_FORM.exec(url)?.[1]
    if (target !== undefined && !isOwn(target)) throw misdirected(target)
    if (origin === undefined || isSafe(method) || isAllowedOrigin(origin) || isSameOrigin(origin, host)) return
    // A proxy may have changed the Host; the browser itself says that page and target are one (Fetch Metadata).
    if (headers['sec-fetch-site'] === 'same-origin') return
    throw fail(
      'forbidden',
      `Cannot ${method ?? ''} for a page of ${describe(origin)}: only the origins of --cors-origins may change anything`,
    )
  }
}

/** The name or address of an authority in lower case, without its port; undefined for any other text. */
export function hostName(authority: string): string | undefined {
  const [, name, port] = HOST.exec(authority.toLowerCase()) ?? []
  return port !== undefined && Number(port) > PORT_MAX ? undefined : name
}

const PORT_MAX = 65_535

/** A name, an IPv4 address or an IPv6 address in brackets, and perhaps a port (RFC 9110 section 7.2). */
const HOST = /^([a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/
const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i

/** RFC 9110 section 9.2.1, without TRACE, which no route has. */
function isSafe(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  const rest = /^https?:\/\/(.+)$/.exec(origin)?.[1]
  return rest !== undefined && rest === host?.toLowerCase()
}

function misdirected(host: string): Error {
  return fail(
    'misdirectedRequest',
    `Cannot serve the host ${describe(host)}: expected localhost, an address of this machine, or a name of --allowed-hosts`,
  )
}
