/**
 * Merge patches as an attack: a small body that makes work of a long document, and many small bodies that build a document
 * which none could send at once. And names that would reach the prototype of the object that is merged into.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TOPIC } from '../../scripts/tools/data-bodies.ts'
import { startService, type ApiResponse, type TestService } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, guest, madeId } = await startSite()

const patch = (by: { token: string }, model: string, id: string, body: unknown, on: TestService = service): Promise<ApiResponse> =>
  on.data('PATCH', `/${id}`, { model }, { token: by.token, body })

describe('a document that grows patch by patch', () => {
  it('gets no longer than a body', async () => {
    const id = await madeId('topic', { a: 'x'.repeat(1_500_000) })
    const grown = await patch(admin, 'topic', id, { b: 'x'.repeat(700_000) })
    assert.equal(grown.status, 413, grown.text.slice(0, 300))
    assert.match(grown.error, /^payloadTooLarge: Cannot patch the document: expected at most 2097152 bytes in the result, found 2\d+$/)
    assert.equal((await patch(admin, 'topic', id, { b: 'x'.repeat(500_000) })).status, 200)
  })

  it('gets no more names and values than a body', async () => {
    const id = await madeId('topic', { a: Array(60_000).fill(0) })
    assert.match((await patch(admin, 'topic', id, { b: Array(60_000).fill(0) })).error, /at most 100000 names and values in the result/)
    assert.equal((await patch(admin, 'topic', id, { a: Array(60_000).fill(1) })).status, 200)
  })

  it('gets no deeper than a body', async () => {
    const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })
    const id = await madeId('topic', nested(150))
    const atLevel = (levels: number, inner: object): object => (levels === 0 ? inner : { a: atLevel(levels - 1, inner) })
    assert.match((await patch(admin, 'topic', id, atLevel(100, { b: nested(120) }))).error, /of more than 200 levels/)
    assert.equal((await patch(admin, 'topic', id, atLevel(100, { b: nested(90) }))).status, 200)
  })

  it('of a guest gets no longer than the body of a guest', async () => {
    const model = 'user_content_preferences'
    const topics = (n: number): object[] => Array.from({ length: n }, () => ({ ...TOPIC, description: 'x'.repeat(60_000) }))
    assert.equal((await patch(guest, model, guest.id, { followedTopics: topics(3) })).status, 200)
    assert.equal((await patch(guest, model, guest.id, { savedFilters: [{ id: '1', name: 'a', topics: topics(3), sources: [], countries: [] }] })).status, 413)
    assert.equal((await patch(guest, model, guest.id, { followedTopics: [] })).status, 200)
  })
})

it('a small patch of a long document counts for the limit of its caller as the document does', async (t) => {
  const limited = await startService(t, { rateLimits: 'on', dataPerUser: '40' })
  const person = await limited.guest()
  const model = 'user_content_preferences'
  const long = { followedTopics: [{ ...TOPIC, description: 'x'.repeat(200_000) }] }
  assert.equal((await patch(person, model, person.id, long, limited)).status, 200)
  const statuses: number[] = []
  for (let i = 0; i < 12; i++) statuses.push((await patch(person, model, person.id, {}, limited)).status)
  // Each counts as four requests.
  assert.deepEqual([statuses[0], statuses.at(-1)], [200, 429])
})

it('names of the prototype are rejected at every depth, and change no object of the service', async () => {
  const id = await madeId('topic', {})
  for (const body of ['{"__proto__":{"isOwned":true}}', '{"x":{"__proto__":{"isOwned":true}}}', '{"x":[{"__proto__":1}]}', '{"__proto__":null}']) {
    const response = await patch(admin, 'topic', id, body)
    assert.match(response.error, /^invalidInput: (x.*)?cannot store a member named "__proto__"/)
  }
  assert.equal((await patch(admin, 'topic', id, '{"x":{"constructor":{"prototype":{"isOwned":true}}}}')).status, 200)
  assert.equal(({} as { isOwned?: true }).isOwned, undefined)
})

it('a patch reads nothing that its caller may not: a reference of a guest names a record that every guest may read', async () => {
  const response = await patch(guest, 'user_content_preferences', guest.id, { followedTopics: [{ id: admin.id }] })
  assert.match(response.error, /^invalidInput: followedTopics\[0\]: expected the id of a topic/)
})
