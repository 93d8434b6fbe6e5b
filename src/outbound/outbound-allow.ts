/** `--outbound-allow`: the hosts and blocks of addresses beyond the public internet that the service may connect to. */
import { BlockList, isIPv4 } from 'node:net'
import { addAddressBlock } from '../base/address-block.ts'
import { splitCommaList } from '../base/comma-list.ts'

export interface OutboundAllow {
  /** As it was written: other threads read it again. */
  readonly list: string
  /** Whether all addresses of a host may be connected to. Takes the host as a URL has it. */
  allowsHost(host: string): boolean
  allowsAddress(address: string): boolean
}

/** Reads a list such as `feeds.intranet.example, 10.0.0.0/8`. Throws an Error that names the first bad entry. */
export function parseOutboundAllow(list: string): OutboundAllow {
  const blocks = new BlockList()
  const hosts = new Set<string>()
  for (const entry of splitCommaList(list)) {
    if (addAddressBlock(blocks, entry.replace(/^\[(.*)\]$/, '$1'))) continue
    const host = hostOf(entry)
    if (host === undefined) {
      throw new Error(
        `expected host names, IP addresses and CIDR blocks such as feeds.intranet.example or 10.0.0.0/8, found "${entry}"`,
      )
    }
    hosts.add(host)
  }
  return {
    list,
    allowsHost: (host) => hosts.has(withoutDot(host)),
    allowsAddress: (address) => blocks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'),
  }
}

/** The name in the form that URLs give it; undefined for a text that is more, or less, than a name. */
function hostOf(entry: string): string | undefined {
  if (/[\s/:@?#*\\]/.test(entry)) return undefined
  const { hostname } = URL.parse(`http://${entry}/`) ?? {}
  return hostname === undefined || hostname === '' ? undefined : withoutDot(hostname)
}

/** `example.org.` is `example.org` (RFC 1034 section 3.1). */
function withoutDot(host: string): string {
  return host.replace(/\.$/, '')
}
