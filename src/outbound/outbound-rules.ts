/**
 * Where the service may connect to. The address of a host is looked up once, checked, and connected to: a name that means
 * a public server at first and this machine later (DNS rebinding) has no second look-up to answer differently.
 */
import { lookup, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { OutboundAllow } from './outbound-allow.ts'
import { describeNetworkError } from './outbound-advice.ts'
import { OutboundError } from './outbound-error.ts'
import { bareHost, type ProxyChoice } from './outbound-proxy.ts'
import { specialUse } from './special-addresses.ts'

/** Addresses of one host that are tried. */
const ADDRESSES_MAX = 8

export interface OutboundRules {
  readonly allow: OutboundAllow
  readonly proxyFor: ProxyChoice
  /** Certificates of private authorities in PEM, trusted beside Node's own. */
  readonly ca: readonly string[]
}

/** Finds all addresses of a name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

/** By the operating system, whose resolver knows the names of an intranet. libuv gives it half of its threads at most. */
export const systemResolve: Resolve = (host) =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)))
  })

/** The addresses of the URL's host that may be connected to, one at least. Rejects with an OutboundError. */
export async function permittedAddresses(url: URL, { allow }: OutboundRules, resolve: Resolve): Promise<readonly LookupAddress[]> {
  const host = bareHost(url)
  const family = isIP(host)
  const found = family === 0 ? await resolved(host, resolve) : [{ address: host, family }]
  const permitted = found.filter(({ address }) => mayConnect(address, allow) || allow.allowsHost(url.hostname))
  if (permitted.length > 0) return permitted.slice(0, ADDRESSES_MAX)
  throw refused(url, found[0]?.address ?? '')
}

/**
 * Rejects what a proxy must not be asked for: special addresses, and names of the machine of the proxy. Other names the
 * proxy looks up itself, by its own rules. Throws an OutboundError.
 */
export function checkForProxy(url: URL, { allow }: OutboundRules): void {
  if (allow.allowsHost(url.hostname)) return
  const host = bareHost(url)
  // RFC 6761 section 6.3
  if (/(?:^|\.)localhost\.?$/.test(host)) throw refused(url, '127.0.0.1')
  if (isIP(host) !== 0 && !mayConnect(host, allow)) throw refused(url, host)
}

function mayConnect(address: string, allow: OutboundAllow): boolean {
  return specialUse(address) === undefined || allow.allowsAddress(address)
}

async function resolved(host: string, resolve: Resolve): Promise<readonly LookupAddress[]> {
  try {
    const found = await resolve(host)
    if (found.length > 0) return found
  } catch (error) {
    throw new OutboundError('dns', describeNetworkError(error, host), error)
  }
  throw new OutboundError('dns', `DNS has no address for ${JSON.stringify(host)}: check the address`)
}

/** The address that a name has is not shown: it may be one of a private network. */
function refused(url: URL, address: string): OutboundError {
  const host = bareHost(url)
  const verb = isIP(host) === 0 ? 'leads to' : 'is'
  return new OutboundError(
    'refused',
    `${JSON.stringify(host)} ${verb} ${specialUse(address)} address, which the service does not connect to: name the host in --outbound-allow if it may`,
  )
}
