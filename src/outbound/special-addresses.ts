/**
 * IP addresses that are not those of a public server (RFC 6890 and the IANA special-purpose registries). An address of a
 * feed or a picture comes from others: without this check they could make the service read what only this machine or its
 * network may reach, such as the credentials that a cloud serves at 169.254.169.254.
 *
 * IPv6 is closed but for 2000::/3, which is all that is assigned for public use (RFC 4291 section 2.4). Forms that carry
 * an IPv4 address are judged by it where they are in use (mapped addresses, NAT64) and closed where they are obsolete
 * (6to4, Teredo, compatible addresses).
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

const SPECIAL_IPV4 = {
  // Azure serves a machine its settings from a public address.
  'a cloud metadata': ['169.254.169.254/32', '168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32'],
  'an unspecified': ['0.0.0.0/8'],
  'a loopback': ['127.0.0.0/8'],
  'a private': ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  'a shared': ['100.64.0.0/10'],
  'a link-local': ['169.254.0.0/16'],
  'a multicast': ['224.0.0.0/4'],
  'a broadcast': ['255.255.255.255/32'],
  'a documentation': ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'],
  'a benchmarking': ['198.18.0.0/15'],
  'a reserved': ['192.0.0.0/24', '192.88.99.0/24', '240.0.0.0/4'],
} as const

const SPECIAL_IPV6 = {
  'a cloud metadata': ['fd00:ec2::254/128', 'fd20:ce::254/128'],
  'an unspecified': ['::/128'],
  'a loopback': ['::1/128'],
  'a unique-local': ['fc00::/7'],
  'a link-local': ['fe80::/10', 'fec0::/10'],
  'a multicast': ['ff00::/8'],
  'a documentation': ['2001:db8::/32', '3fff::/20'],
  'a benchmarking': ['2001:2::/48'],
  'a Teredo': ['2001::/32'],
  'a 6to4': ['2002::/16'],
  'a local NAT64': ['64:ff9b:1::/48'],
  'a reserved': ['2001::/23'],
} as const

type Use = keyof typeof SPECIAL_IPV4 | keyof typeof SPECIAL_IPV6

/** What a CIDR block of IPv4 becomes behind a NAT64 gateway (RFC 6052 section 2.1). */
const NAT64_PREFIX = '64:ff9b::'
const NAT64_BITS = 96

/** In the order above, the narrow blocks first, so that the first match names the address best. */
const USES = listsOf()
const PUBLIC_IPV6 = blockList('ipv6', ['2000::/3', `${NAT64_PREFIX}/${NAT64_BITS}`, '::ffff:0:0/96'])

/** `a loopback`, `a private` …: the use of an address that no public server has; undefined for any other. */
export function specialUse(address: string): Use | undefined {
  const bare = address.replace(/%.*$/s, '') // The zone of a link-local address.
  const family = isIPv4(bare) ? 'ipv4' : isIPv6(bare) ? 'ipv6' : undefined
  if (family === undefined) return 'a reserved'
  const use = USES.find(([, blocks]) => blocks.check(bare, family))?.[0]
  if (use !== undefined || family === 'ipv4') return use
  return PUBLIC_IPV6.check(bare, 'ipv6') ? undefined : 'a reserved'
}

function listsOf(): readonly (readonly [Use, BlockList])[] {
  const ipv4 = (Object.entries(SPECIAL_IPV4) as [Use, readonly string[]][]).map(
    ([use, blocks]) => [use, blockList('ipv4', blocks)] as const,
  )
  const ipv6 = (Object.entries(SPECIAL_IPV6) as [Use, readonly string[]][]).map(
    ([use, blocks]) => [use, blockList('ipv6', blocks)] as const,
  )
  return [...ipv4, ...ipv6]
}

/** A list of IPv4 also matches the mapped forms of its addresses: Node sees to that; those of NAT64 are added here. */
function blockList(family: 'ipv4' | 'ipv6', blocks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const block of blocks) {
    const [address = '', bits = ''] = block.split('/')
    list.addSubnet(address, Number(bits), family)
    if (family === 'ipv4') list.addSubnet(`${NAT64_PREFIX}${address}`, NAT64_BITS + Number(bits), 'ipv6')
  }
  return list
}
