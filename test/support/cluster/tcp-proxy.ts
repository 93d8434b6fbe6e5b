/** A TCP proxy between a client and a server, which can drop what the server says, or cut all connections. */
import { connect, createServer, type Socket } from 'node:net'
import { portFor } from '../../../scripts/tools/listening.ts'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'

export async function startProxy(t: Cleanup, target: string) {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const state = { dropsResponses: false, isAway: false }
  let dropped = Promise.withResolvers<void>()
  const track = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    track(client)
    if (state.isAway) return void client.destroy()
    const upstream = connect(Number(port), hostname)
    track(upstream)
    client.on('data', (bytes) => void upstream.write(bytes)).once('close', () => upstream.destroy())
    upstream.once('close', () => client.destroy())
    upstream.on('data', (bytes) => {
      if (!state.dropsResponses) return void client.write(bytes)
      dropped.resolve()
    })
  })
  const cut = (): void => sockets.forEach((socket) => socket.destroy())
  return {
    url: `http://127.0.0.1:${await portFor(t, server)}`,
    /** Cuts all connections; new ones are made as usual. */
    cut,
    /** Until comeBack(), connections are cut as soon as they are made. */
    goAway(): void {
      state.isAway = true
      cut()
    },
    comeBack(): void {
      state.isAway = false
    },
    /** From now on, the server is asked, and what it says is dropped; resolves when the next bytes were. */
    dropResponses(): Promise<void> {
      state.dropsResponses = true
      dropped = Promise.withResolvers<void>()
      return dropped.promise
    },
    passResponses(): void {
      state.dropsResponses = false
      cut()
    },
  }
}
