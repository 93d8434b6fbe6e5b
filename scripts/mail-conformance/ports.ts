/** Ports of this machine: free ones, and whether a server listens. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

/** Free ports of 127.0.0.1. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  const ports: number[] = []
  for (const server of servers) {
    if (!server.listening) await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('expected a TCP address')
    ports.push(address.port)
  }
  for (const server of servers) {
    server.close()
    await once(server, 'close')
  }
  return ports
}

/** Reads the kernel's table: a test connection would appear in the server's log. */
export function isListening(port: number): boolean {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .some((line) => {
      const [, address, , state] = line.trim().split(/\s+/)
      return address === local && state === '0A'
    })
}
