// also: cache-off
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { decodeDashboardSummary, decodeEnvelope } from '../support/service/client-codec.ts'
import { bodyOf, SUMMARY_ID } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, publisher } = await startSite()
const MODEL = { model: 'dashboard_summary' }
const read = (id: string, token = publisher.token): Promise<ApiResponse> => service.data('GET', `/${id}`, MODEL, { token })

async function counts(): Promise<readonly number[]> {
  const { headlineCount, topicCount, sourceCount } = decodeEnvelope((await read(SUMMARY_ID)).body, decodeDashboardSummary).data
  return [headlineCount, topicCount, sourceCount]
}

describe('the summary', () => {
  it('begins with nothing', async () => assert.deepEqual(await counts(), [0, 0, 0]))

  it('has its id under both names, and exists under no other', async () => {
    for (const id of [SUMMARY_ID, 'dashboard_summary']) {
      const response = await read(id)
      assert.deepEqual([response.status, response.at('data.id')], [200, SUMMARY_ID])
    }
    for (const id of ['6643b1b7a4a4e6e1a8e7b1c2', SUMMARY_ID.toUpperCase(), 'Dashboard_summary', 'x', admin.id]) {
      assert.equal((await read(id)).status, 404, id)
      assert.equal((await read(id, admin.token)).status, 404, id)
    }
  })

  it('counts what is active, right after every write', async () => {
    const models = ['headline', 'topic', 'source']
    for (const [place, model] of models.entries()) {
      const save = async (method: string, body: JsonObject): Promise<JsonObject> => {
        const target = method === 'POST' ? '' : `/${String(body['id'])}`
        const sent = method === 'DELETE' ? {} : { body }
        const response = await service.data(method, target, { model }, { token: admin.token, ...sent })
        assert.ok(response.status < 300, response.text)
        return (response.at('data') ?? {}) as JsonObject
      }
      const count = async (): Promise<number> => (await counts())[place] ?? -1
      const others = (await counts()).filter((_, i) => i !== place)
      const base = await count()
      const one = await save('POST', bodyOf(model))
      assert.equal(await count(), base + 1, 'created active')
      const two = await save('POST', { ...bodyOf(model), status: 'draft' })
      assert.equal(await count(), base + 1, 'created as a draft')
      for (const [status, more] of [['active', 1], ['active', 1], ['archived', 0], ['draft', 0]] as const) {
        await save('PUT', { ...two, status, extra: more })
        assert.equal(await count(), base + 1 + more, status)
      }
      for (const [gone, left] of [[two, 1], [one, 0]] as const) {
        await save('DELETE', gone)
        assert.equal(await count(), base + left)
      }
      assert.equal((await service.data('POST', '', { model }, { token: admin.token, body: {} })).status, 400)
      assert.equal(await count(), base, 'a refused body')
      await save('POST', bodyOf(model))
      assert.deepEqual((await counts()).filter((_, i) => i !== place), others, 'the other models')
    }
    assert.deepEqual(await counts(), [1, 1, 1])
  })
})
