/** What a program said to the network, as `strace -f -e trace=%network` writes it down. */

const DNS_PORT = 53
/** `sin_port=htons(25), sin_addr=inet_addr("192.0.2.1")`, and the same of version 6 with a flow between the two. */
const ADDRESS = /sin6?_port=htons\((\d+)\)[^}]*?inet_(?:addr\(|pton\(AF_INET6, )"([^"]+)"/g
const CALL = /^(?:\d+ +)?(\w+)\(/

export interface Contact {
  /** The system call. */
  readonly call: string
  readonly address: string
  readonly port: number
}

/** Every address of IP in the trace, whether requested, received or bound. */
export function contactsIn(trace: string): readonly Contact[] {
  return trace.split('\n').flatMap((line) => {
    const call = CALL.exec(line)?.[1] ?? 'resumed'
    return [...line.matchAll(ADDRESS)].map(([, port, address = '']) => ({ call, address, port: Number(port) }))
  })
}

/** Contacts beyond this machine, and questions to a resolver, also to one on this machine: it would ask others. */
export function foreignContacts(trace: string): readonly Contact[] {
  return contactsIn(trace).filter(({ address, port }) => !isLoopback(address) || port === DNS_PORT)
}

function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address) || address === '::1'
}
