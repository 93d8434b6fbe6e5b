import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newCast } from '../support/cast.ts'
import { bodyOf } from '../support/service/data-bodies.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const HOUR_MS = 3_600_000
const service = await startSuiteService({ tokenHours: '1000' })
const { admin, publisher, standard, guest } = await newCast(service)
const NONE = { active: 0, draft: 0, archived: 0 }

async function overview(token: string): Promise<unknown> {
  const response = await service.call('GET', '/api/v1/dashboard/overview', { token })
  assert.equal(response.status, 200, response.text)
  return response.at('data')
}

async function create(model: string, status: string): Promise<string> {
  const response = await service.data('POST', '', { model }, { token: admin.token, body: { ...bodyOf(model), status } })
  assert.equal(response.status, 201, response.text)
  return String(response.at('data.id'))
}

describe('the overview', () => {
  it('is for publishers and administrators', async () => {
    for (const { token } of [standard, guest]) {
      const response = await service.call('GET', '/api/v1/dashboard/overview', { token })
      assert.deepEqual([response.status, response.at('error.code')], [403, 'forbidden'])
    }
    assert.equal((await service.call('GET', '/api/v1/dashboard/overview')).status, 401)
  })

  it('begins with nothing', async () => {
    assert.deepEqual(await overview(publisher.token), {
      counts: { headline: NONE, topic: NONE, source: NONE },
      hours: [],
    })
  })

  it('counts every status, and the headlines of each hour of 31 days', async () => {
    const first = await create('headline', 'active')
    await create('headline', 'draft')
    await create('topic', 'archived')
    await create('source', 'active')
    service.advance(2 * HOUR_MS)
    await create('headline', 'archived')
    const counts = {
      headline: { active: 1, draft: 1, archived: 1 },
      topic: { ...NONE, archived: 1 },
      source: { ...NONE, active: 1 },
    }
    const [noon, later] = ['2026-03-01T12:00:00.000Z', '2026-03-01T14:00:00.000Z']
    const hours = [
      { hour: noon, headlines: 2 },
      { hour: later, headlines: 1 },
    ]
    assert.deepEqual(await overview(publisher.token), { counts, hours })
    await service.data('DELETE', `/${first}`, { model: 'headline' }, { token: admin.token })
    assert.deepEqual(await overview(admin.token), {
      counts: { ...counts, headline: { ...counts.headline, active: 0 } },
      hours: [
        { hour: noon, headlines: 1 },
        { hour: later, headlines: 1 },
      ],
    })
    service.advance(31 * 24 * HOUR_MS - HOUR_MS)
    const { hours: left } = (await overview(admin.token)) as { hours: readonly unknown[] }
    assert.deepEqual(left, [{ hour: later, headlines: 1 }], 'what is older than 31 days is left out')
  })
})
