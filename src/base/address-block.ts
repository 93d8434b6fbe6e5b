/** IP addresses and CIDR blocks of settings, such as `192.0.2.7`, `10.0.0.0/8` and `fd00::/8`. */
import { type BlockList, isIPv4, isIPv6 } from 'node:net'

/** An IPv4 address in the form that IPv6 sockets give it (RFC 4291 section 2.5.5.2). */
export const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** Adds an address or a block to the list. Returns false, and adds nothing, where the text is neither. */
export function addAddressBlock(blocks: BlockList, entry: string): boolean {
  const [text = '', length, ...rest] = entry.split('/')
  const address = MAPPED_IPV4.exec(text)?.[1] ?? text
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) && !address.includes('%') ? 'ipv6' : undefined
  if (family === undefined || rest.length > 0) return false
  if (length === undefined) {
    blocks.addAddress(address, family)
    return true
  }
  // A mapped block such as ::ffff:10.0.0.0/104 would need its length moved by 96; such blocks are not in use.
  if (!/^\d{1,3}$/.test(length) || Number(length) > (family === 'ipv4' ? 32 : 128)) return false
  blocks.addSubnet(address, Number(length), family)
  return true
}
