/** Bodies in chunks of one byte: six bytes on the wire for each, and much more in a list of buffers. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Attack, Site } from './attack.ts'
import { inParallel, writeAll } from './loopback-client.ts'

const CHUNK = '1\r\n \r\n'
const CHUNKS_OF_WRITE = 500
/** Just under what a body below /auth may have. */
const CHUNKS = 16_000
/** How long the unfinished bodies stay. */
const HOLD_MS = 2_000
/** Each connection is read and refused, all in a second or two: some of the others come behind all of them. */
const BURST = { othersMedianMs: 100 } as const
const LONG_BURST = { othersMedianMs: 500, othersP99Ms: 1_500 } as const

export const tinyChunks: Attack = {
  name: 'tiny-chunks-200',
  tries: '200 connections send 16,000 chunks of one byte each, to three endpoints',
  isQuick: true,
  limits: BURST,
  run: (site) => sendChunks(site, { connections: site.isQuick ? 60 : 200, isSpread: true }),
}

export const tinyChunks88: Attack = {
  name: 'tiny-chunks-88mb',
  tries: '88 MB of chunks of one byte to verify-code, with a heap of 512 MiB',
  limits: LONG_BURST,
  run: (site) => sendChunks(site, { connections: 910, isSpread: false }),
}

/** The same with a Content-Length, each byte in a packet of its own. */
export const tinyPackets: Attack = {
  name: 'tiny-packets',
  tries: '50 connections send bodies in TCP segments of one byte',
  async run(site) {
    const { token } = await site.guest()
    const from = site.newAddress()
    await inParallel(50, async () => {
      const socket = await site.connect(from)
      await writeAll(socket, head(site, 'POST /api/v1/data/query?model=topic', token, 'Content-Length: 60000'))
      for (let i = 0; i < 2_000 && socket.writable; i++) {
        socket.write(' ')
        await new Promise(setImmediate)
      }
      await pause(HOLD_MS)
      socket.resetAndDestroy()
    })
    return { notes: [], faults: [] }
  },
}

async function sendChunks(
  site: Site,
  { connections, isSpread }: { readonly connections: number; readonly isSpread: boolean },
) {
  const guest = await site.guest()
  const addresses = Array.from({ length: 8 }, () => site.newAddress())
  const targets = isSpread
    ? ['POST /api/v1/auth/verify-code', 'POST /api/v1/data/query?model=topic', `PUT ${preferences(guest.id)}`]
    : ['POST /api/v1/auth/verify-code']
  const piece = CHUNK.repeat(CHUNKS_OF_WRITE)
  let cutOff = 0
  const statuses = new Map<string, number>()
  await inParallel(connections, async (i) => {
    const socket = await site.connect(addresses[i % addresses.length] as string)
    let received = ''
    socket.setEncoding('latin1').on('data', (text: string) => void (received = (received + text).slice(0, 100)))
    const target = targets[i % targets.length] as string
    await writeAll(socket, head(site, target, guest.token, 'Transfer-Encoding: chunked'))
    for (let sent = 0; sent < CHUNKS && socket.writable; sent += CHUNKS_OF_WRITE) await writeAll(socket, piece)
    await pause(HOLD_MS)
    if (!socket.writable) cutOff++
    const status = /^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 'none'
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    socket.resetAndDestroy()
  })
  const shown = [...statuses].map(([status, count]) => `${status}×${count}`).join(' ')
  return { notes: [`${cutOff} of ${connections} connections cut off; responses ${shown}`], faults: [] }
}

function head(site: Site, target: string, token: string, framing: string): string {
  return (
    `${target} HTTP/1.1\r\nHost: 127.0.0.1:${site.port}\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\n${framing}\r\n\r\n`
  )
}

function preferences(id: string): string {
  return `/api/v1/data/${id}?model=user_content_preferences`
}
