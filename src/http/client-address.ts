/**
 * The address of a client, for limits and for the log.
 *
 * Any client can write X-Forwarded-For. Each proxy appends the address it saw, so the entries are true from the right
 * for as long as trusted proxies have written them: the client is the first address, from the right, that is not one of
 * them.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { addAddressBlock, MAPPED_IPV4 } from '../base/address-block.ts'
import { splitCommaList } from '../base/comma-list.ts'

/** Bounds the walk through a header that names only trusted proxies. */
const HOPS_MAX = 32

export interface TrustedProxies {
  /** Takes an address as clientAddress() writes them. */
  isTrusted(address: string): boolean
  /** The text that it was read from. */
  readonly list: string
}

export const NO_PROXIES: TrustedProxies = { isTrusted: () => false, list: '' }

/**
 * Reads a comma-separated list of addresses and CIDR blocks: `10.0.0.0/8, ::1, 192.0.2.7`.
 * Throws an Error that names the first bad entry.
 */
export function parseProxies(list: string): TrustedProxies {
  const entries = splitCommaList(list)
  if (entries.length === 0) return NO_PROXIES
  const blocks = new BlockList()
  for (const entry of entries) {
    if (!addAddressBlock(blocks, entry)) {
      throw new Error(`expected IP addresses and CIDR blocks such as 10.0.0.0/8, found "${entry}"`)
    }
  }
  return { isTrusted: (address) => blocks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'), list }
}

/**
 * The other end of a Unix socket. The mode of its file admits only a proxy of this machine, which is trusted; clients
 * without X-Forwarded-For count under this name.
 */
export const UNIX_PEER = 'unix'

/**
 * The client's address. `peer` is the other end of the socket, `forwardedFor` the header X-Forwarded-For, several of
 * them joined by commas. An entry that is no address ends the walk at the proxy that forwarded it.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  proxies: TrustedProxies,
): string {
  let client = peer === UNIX_PEER ? UNIX_PEER : (parseAddress(peer ?? '') ?? UNKNOWN_ADDRESS)
  if (forwardedFor === undefined || client === UNKNOWN_ADDRESS) return client
  let end = forwardedFor.length
  for (let hop = 0; hop < HOPS_MAX && end > 0 && (client === UNIX_PEER || proxies.isTrusted(client)); hop++) {
    const comma = forwardedFor.lastIndexOf(',', end - 1)
    const address = parseAddress(forwardedFor.slice(comma + 1, end))
    if (address === undefined) return client
    client = address
    end = Math.max(comma, 0)
  }
  return client
}

/** Whether an address, as clientAddress() writes it, is one of this machine alone (RFC 6890 section 2.2). */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'))
}

/** The key to count requests by: an IPv4 address itself, of an IPv6 address its /64, which is what one customer gets. */
export function limitKey(address: string): string {
  return isIPv6(address) ? prefixOf(address, 4) : address
}

/**
 * The key to count networks by, where one client of many addresses must not pass for many: the /24 of an IPv4 address, and
 * of an IPv6 address the /48, which a rented server may have.
 */
export function networkKey(address: string): string {
  if (isIPv6(address)) return prefixOf(address, 3)
  return isIPv4(address) ? `${address.replace(/\.\d+$/, '')}.0/24` : address
}

function prefixOf(address: string, count: number): string {
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  // An embedded IPv4 part (`64:ff9b::192.0.2.1`) stands for two groups; its text is never in the first four.
  const written = before.length + after.length + (address.includes('.') ? 1 : 0)
  const groups = [...before, ...Array<string>(tail === undefined ? 0 : 8 - written).fill('0'), ...after]
  return `${groups
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/${count * 16}`
}

/** The socket of a client that has disconnected has no address. */
const UNKNOWN_ADDRESS = 'unknown'

/** Reads an address with the port or brackets that proxies add (`192.0.2.1:443`, `[2001:db8::1]:443`). */
function parseAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  const bare = text.trim()
  const inner = /^\[([^\]]+)\](?::\d+)?$/.exec(bare)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(bare)?.[1] ?? bare
  const address = inner.replace(/%.*$/s, '') // The zone of a link-local address says nothing about the client.
  const mapped = MAPPED_IPV4.exec(address)?.[1]
  if (mapped !== undefined && isIPv4(mapped)) return mapped
  return isIPv4(address) || isIPv6(address) ? address.toLowerCase() : undefined
}
