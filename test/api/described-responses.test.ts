/** A canary of the check that responses of the tests go through: it finds one that is not described. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertDescribed } from '../support/schema/described-responses.ts'

it('a response that does not fit the description of the API fails its test', () => {
  const dates = { createdAt: '2026-03-01T08:00:00.000Z', updatedAt: '2026-03-01T08:00:00.000Z' }
  const language = { id: '66f000000000000000000201', code: 'is', name: 'Icelandic', nativeName: 'Íslenska', ...dates, status: 'active' }
  const metadata = { requestId: 'r', timestamp: '2026-03-01T12:00:00.000Z' }
  const type = 'application/json; charset=utf-8'
  const named = { 'content-type': type, 'x-request-id': 'r', 'x-dateline-instance': 'i', etag: '"1"' }
  const check = (data: object, headers: Record<string, string> = named, status = 200): void => {
    const path = '/api/v1/data/66f000000000000000000201?model=language'
    assertDescribed({ method: 'GET', path, status, headers: new Headers(headers), text: JSON.stringify({ data, metadata }) })
  }
  check(language)
  const { nativeName: _, ...lacking } = language
  const { etag: _tag, ...untagged } = named
  assert.throws(() => check(lacking), /expected nativeName/)
  assert.throws(() => check({ ...language, name: 7 }), /expected string, found 7/)
  assert.throws(() => check(language, untagged), /header ETag/)
  assert.throws(() => check(language, { ...named, 'retry-after': '3' }), /has no header retry-after/)
  assert.throws(() => check(language, named, 418), /has no status 418/)
})
