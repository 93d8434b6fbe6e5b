// also: threads
/**
 * A client without a session can send bodies to three paths, and verifying a code has no limit that counts requests.
 *
 * The attack: documents of two megabytes, each of which takes a good part of a second to read, one after the other.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startSuiteService } from '../../support/service/suite-service.ts'

const BYTES_MAX = 16 * 1024
const service = await startSuiteService()

/** A body of exactly so many bytes. */
const sized = (bytes: number, members: string): string => {
  const [start, end] = [`{${members},"x":"`, '"}']
  return start + 'x'.repeat(bytes - start.length - end.length) + end
}

const BODIES: [path: string, members: string, status: number][] = [
  ['request-code', '"email":"stranger@example.org"', 202],
  ['verify-code', '"email":"stranger@example.org","code":"000000"', 400],
  ['anonymous', '"a":1', 200],
]

describe('a body of a client without a session', () => {
  for (const [path, members, status] of BODIES) {
    const post = async (bytes: number): Promise<[number, unknown]> => {
      const body = sized(bytes, members)
      const response = await service.call('POST', `/api/v1/auth/${path}`, { body })
      return [response.status, response.at('error.code')]
    }

    it(`to ${path} is read up to 16 KiB, and one byte more is too many`, async () => {
      assert.equal((await post(BYTES_MAX))[0], status)
      assert.deepEqual(await post(BYTES_MAX + 1), [413, 'payloadTooLarge'])
      assert.deepEqual(await post(2 * 1024 * 1024), [413, 'payloadTooLarge'])
    })

    it(`to ${path} is cut off there as well where it announces no length`, async () => {
      const pieces = [sized(BYTES_MAX, members), ...Array.from({ length: 200 }, () => 'x'.repeat(10_000))]
      const response = await fetch(`${service.url}/api/v1/auth/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: new Blob(pieces).stream(),
        duplex: 'half',
      } as RequestInit)
      assert.equal(response.status, 413)
    })
  }

  it('is of two megabytes where it is a document', async () => {
    const { token } = await service.admin()
    const body = JSON.stringify({ name: 'A', description: 'x'.repeat(2_000_000), iconUrl: 'https://example.org/a' })
    assert.equal((await service.data('POST', '', { model: 'topic' }, { token, body })).status, 201)
  })
})
