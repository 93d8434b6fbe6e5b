/**
 * A TCP proxy between a node and an etcd server that can do to the bytes what networks do to them. Connections stay as
 * they are where a fault begins, so that a peer finds out by itself.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * `drop`: from the next append on, requests arrive and responses do not, until the connection is cut. `cut`: nothing arrives on either side.
 * `delay`: requests, responses and the news of a watch arrive `ms` later.
 */
export type LinkFault = { readonly kind: 'drop' } | { readonly kind: 'cut' } | { readonly kind: 'delay'; readonly ms: number }

/** An entry of the log is longer; what else a node sends is shorter, but for some records of nodes. */
const APPEND_BYTES_MIN = 512

export async function openFaultyProxy(url: string) {
  const { hostname: host, port } = new URL(url)
  const sockets = new Set<Socket>()
  let fault: LinkFault | undefined
  let isDropping = false
  const keep = (socket: Socket): void => {
    sockets.add(socket.setNoDelay(true))
    socket.on('error', () => {}).on('close', () => void sockets.delete(socket))
  }
  const server = createServer((near) => {
    const far = connect({ host, port: Number(port) })
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      keep(socket)
      socket.on('close', () => other.destroy())
    }
    near.on('data', ({ length }: Buffer) => (isDropping ||= fault?.kind === 'drop' && length >= APPEND_BYTES_MIN))
    near.on('data', passTo(far, () => fault?.kind !== 'cut'))
    far.on('data', passTo(near, () => fault?.kind !== 'cut' && !isDropping))
  })
  /** Bytes are sent in their order, also where the delay changes meanwhile or a timer is late: TCP knows no other. */
  const passTo = (socket: Socket, arrives: () => boolean): ((bytes: Buffer) => void) => {
    const waiting: { readonly bytes: Buffer; readonly due: number }[] = []
    const send = (): void => {
      for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
        const wait = first.due - performance.now()
        if (wait > 0) return void setTimeout(send, wait)
        socket.write(first.bytes)
        waiting.shift()
      }
    }
    return (bytes) => {
      if (!arrives()) return
      waiting.push({ bytes, due: performance.now() + (fault?.kind === 'delay' ? fault.ms : 0) })
      if (waiting.length === 1) send()
    }
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Undefined heals the link: connections that missed bytes are cut, as their streams cannot go on. */
    set(next: LinkFault | undefined): void {
      const hasGap = fault?.kind === 'cut' || isDropping
      fault = next
      isDropping = false
      if (hasGap) for (const socket of sockets) socket.destroy()
    },
    close(): void {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

export type FaultyProxy = Awaited<ReturnType<typeof openFaultyProxy>>
