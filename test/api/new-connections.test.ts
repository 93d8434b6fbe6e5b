/**
 * Very many clients that connect at the same time.
 *
 * The attack: two hundred new connections, each of which requests a page of a hundred headlines. One connection is
 * accepted in each turn of the event loop, and each turn made some of these pages: a new client waited for all of them.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { seedSample } from '../../src/content/seeds/seeding.ts'
import { RawConnection } from '../support/service/http-client.ts'
import { startService } from '../support/service/service.ts'

const GUESTS = 8
/** Fewer than what one caller may have waiting. */
const CONNECTIONS_OF_GUEST = 10
const FLOOD = GUESTS * CONNECTIONS_OF_GUEST
/**
 * A client that gets no processor between its connections lets the service make pages before all of them are there. A
 * service that makes new clients wait does so each time.
 */
const ATTEMPTS_MAX = 5

it('a flood of new connections with requests of long pages leaves a new client its turn', async (t) => {
  // Of one event loop: several go on side by side, as far as the machine lets each of them.
  const service = await startService(t, { threads: '1' })
  await seedSample(service.app.services.store, { flagBaseUrl: 'https://flagcdn.com/h40', now: service.now() })
  const guests = await Promise.all(Array.from({ length: GUESTS }, () => service.guest()))
  const port = Number(new URL(service.url).port)

  const send = async (path: string, token: string): Promise<void> => {
    const connection = await RawConnection.open(port)
    try {
      connection.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`)
      assert.equal((await connection.response()).status, 200)
    } finally {
      connection.destroy()
    }
  }

  /** How many pages of a flood come before the response to a new client. */
  const pagesBefore = async (attempt: number): Promise<number> => {
    let done = 0
    const flood = Array.from({ length: FLOOD }, async (_, i) => {
      // Each another page: the service remembers those that are asked for again.
      const filter = encodeURIComponent(JSON.stringify({ title: { $ne: `${attempt} ${i}` } }))
      const target = `/api/v1/data?model=headline&sort=updatedAt:desc&limit=100&filter=${filter}`
      await send(target, guests[i % GUESTS]?.token ?? '')
      done++
    })
    await send('/healthz', '')
    const before = done
    await Promise.all(flood)
    assert.equal(done, FLOOD)
    return before
  }

  const counts: number[] = []
  do counts.push(await pagesBefore(counts.length))
  while (Math.min(...counts) > FLOOD / 2 && counts.length < ATTEMPTS_MAX)
  const seen = `in ${counts.length} attempts ${counts.join(', ')} of ${FLOOD} pages`
  assert.ok(Math.min(...counts) <= FLOOD / 2, `${seen} came before the response to a new client`)
})
