// also: cache-off
/** POST /api/v1/data/query: the list whose parameters do not fit a URL. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seedSample } from '../../src/content/seeds/seeding.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService()
await seedSample(service.app.services.store, { flagBaseUrl: 'https://flags.example', now: service.now() })
const guest = await service.guest()

describe('POST /api/v1/data/query', () => {
  const send = (body: unknown, model = 'headline'): Promise<ApiResponse> =>
    service.data('POST', '/query', { model }, { token: guest.token, body })

  it('responds as the GET with the same parameters does, page after page', async () => {
    const filter = { status: 'active', 'source.language.code': { $in: ['en', 'de', 'is'] } }
    let cursor: string | undefined
    for (let page = 0; page < 3; page++) {
      const query = { sort: 'updatedAt:desc,title:asc', limit: 7, ...(cursor === undefined ? {} : { cursor }) }
      const [posted, got] = await Promise.all([
        send({ filter, ...query }),
        service.data('GET', '', { model: 'headline', filter, ...query }, { token: guest.token }),
      ])
      assert.equal(posted.status, 200)
      assert.equal(posted.at('data.items[6].id') !== undefined, true)
      assert.deepEqual(posted.at('data'), got.at('data'))
      cursor = String(got.at('data.cursor'))
    }
  })

  it('takes a filter that no request line could carry', async () => {
    const ids = Array.from({ length: 1000 }, (_, i) => `${'f'.repeat(40)}${i}`)
    const response = await send({ filter: { 'topic.id': { $nin: ids } }, limit: 3 })
    assert.equal(response.status, 200)
    assert.equal((response.at('data.items') as unknown[]).length, 3)
  })

  for (const [name, body, status, message] of [
    ['a filter that is no object', { filter: 'status' }, 400, /Cannot read filter/],
    ['a filter past 64 KiB', { filter: { title: 'x'.repeat(65_537) } }, 400, /64 KiB|65536/],
    ['a sort that is no text', { sort: ['name'] }, 400, /Cannot read sort: expected a string, found an array/],
    ['a cursor that is no text', { cursor: 7 }, 400, /Cannot read cursor: expected a string, found 7/],
  ] as const) {
    it(`refuses ${name}`, async () => {
      const response = await send(body)
      assert.equal(response.status, status, response.text)
      assert.match(response.error, message)
    })
  }

  it('requires a token, a model and the right to list, in this order and before the body', async () => {
    assert.equal((await service.data('POST', '/query', { model: 'nothing' }, { body: '{' })).status, 401)
    assert.equal((await send('{', 'nothing')).status, 400)
    assert.equal((await send('{', 'user')).status, 403)
  })
})
