/** Large bodies that never end. All of them together have a cap, of which administrators and publishers keep a part. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { dataPath, inParallel, statusCounts, writeAll, type TimedResponse } from './loopback-client.ts'

const BODY_BYTES = 1_900_000
const PIECE = Buffer.alloc(64 * 1024, ' ')
const HOLD_MS = 3_000

export const bodiesInFlight: Attack = {
  name: 'bodies-in-flight',
  tries: '16 users send 100 bodies of 1.9 MB that never end, while editors write',
  // 190 MB are sent at once.
  limits: { growthMib: 150, othersP99Ms: 600, othersMedianMs: 60 },
  async run(site) {
    const addresses = Array.from({ length: 16 }, () => site.newAddress())
    const statuses: Pick<TimedResponse, 'status' | 'text'>[] = []
    const withoutRetryAfter: string[] = []
    const flood = inParallel(100, async (i) => {
      const { id, token } = site.reader()
      const socket = await site.connect(addresses[i % addresses.length] as string)
      let received = ''
      socket.setEncoding('latin1').on('data', (text: string) => void (received += text))
      await writeAll(
        socket,
        `PUT /api/v1/data/${id}?model=user_content_preferences HTTP/1.1\r\nHost: 127.0.0.1:${site.port}\r\n` +
          `Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${BODY_BYTES + 1}\r\n\r\n`,
      )
      for (let sent = 0; sent < BODY_BYTES && socket.writable; sent += PIECE.length) {
        await writeAll(socket, PIECE.subarray(0, Math.min(PIECE.length, BODY_BYTES - sent)))
      }
      await pause(HOLD_MS)
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0)
      statuses.push({ status, text: 'waiting' })
      if (status === 503 && !/^retry-after: \d+/im.test(received)) withoutRetryAfter.push(received)
      socket.resetAndDestroy()
    })
    await pause(1_000)
    const writes: TimedResponse[] = []
    for (let i = 0; i < 10; i++) {
      const { token } = i % 2 === 0 ? site.administrator : site.publisher
      const [sample] = site.headlineIds
      const path = dataPath({ model: 'headline' }, `/${sample}`)
      const { text, headers } = await site.send({ path, token })
      const body = (JSON.parse(text) as { data: object }).data
      writes.push(
        await site.send({ method: 'PUT', path, token, body, headers: { 'If-Match': String(headers['etag']) } }),
      )
    }
    await flood
    const refused = writes.filter(({ status }) => status !== 200)
    return {
      notes: [`bodies: ${statusCounts(statuses)}; editors' writes: ${statusCounts(writes)}`],
      faults: [
        ...(refused.length === 0 ? [] : [`editors could not write: ${statusCounts(refused)}`]),
        ...(withoutRetryAfter.length === 0 ? [] : [`${withoutRetryAfter.length} times 503 without Retry-After`]),
      ],
    }
  },
}
