/** Servers that a test starts beside the service. */
import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { Cleanup } from './temporary-directory.ts'

/** Lets a server listen on a free port of this machine until the test ends, which cuts its connections. Returns the port. */
export async function portFor(t: Cleanup, server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    // Clients of tests go without a word.
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  })
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => void server.close(resolve))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}
