/** Ports of loopback for processes that must be told theirs before they start. */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** Ports that were free a moment ago. Another process can take one before the caller does. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map(async (server) => {
      await once(server.listen(0, '127.0.0.1'), 'listening')
      return (server.address() as AddressInfo).port
    }),
  )
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
