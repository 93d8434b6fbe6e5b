// also: cache-off
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newPerson } from '../support/cast.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { startSite } from '../support/service/site.ts'

const HOUR_MS = 3_600_000
const { service, admin, publisher, standard, guest, madeId, apiToken } = await startSite({ tokenHours: '1000' })
const NONE = { active: 0, draft: 0, archived: 0 }

async function overview(token: string): Promise<unknown> {
  const response = await service.call('GET', '/api/v1/dashboard/overview', { token })
  assert.equal(response.status, 200, response.text)
  return response.at('data')
}

describe('the overview', () => {
  it('is for publishers and administrators', async () => {
    for (const { token } of [standard, guest]) {
      const response = await service.call('GET', '/api/v1/dashboard/overview', { token })
      assert.deepEqual([response.status, response.at('error.code')], [403, 'forbidden'])
    }
    assert.equal((await service.call('GET', '/api/v1/dashboard/overview')).status, 401)
  })

  it('counts every status, and the headlines of each hour of 31 days', async () => {
    const first = await madeId('headline', { status: 'active' })
    await madeId('headline', { status: 'draft' })
    await madeId('topic', { status: 'archived' })
    await madeId('source', { status: 'active' })
    service.advance(2 * HOUR_MS)
    await madeId('headline', { status: 'archived' })
    const counts = {
      headline: { active: 1, draft: 1, archived: 1 },
      topic: { ...NONE, archived: 1 },
      source: { ...NONE, active: 1 },
    }
    const [noon, later] = [{ hour: '2026-03-01T12:00:00.000Z', headlines: 2 }, { hour: '2026-03-01T14:00:00.000Z', headlines: 1 }]
    assert.deepEqual(await overview(publisher.token), { counts, hours: [noon, later] })
    await service.data('DELETE', `/${first}`, { model: 'headline' }, { token: admin.token })
    const left = { ...counts, headline: { ...counts.headline, active: 0 } }
    assert.deepEqual(await overview(admin.token), { counts: left, hours: [{ ...noon, headlines: 1 }, later] })
    service.advance(31 * 24 * HOUR_MS - HOUR_MS)
    const { hours } = (await overview(admin.token)) as { hours: readonly unknown[] }
    assert.deepEqual(hours, [later], 'what is older than 31 days is left out')
  })
})

describe('saved views', () => {
  const VIEW = { name: 'Drafts of this week', model: 'headline', query: 'status=draft&updatedAt=week' }
  const call = (method: string, path: string, token: string, body?: object) =>
    service.call(method, `/api/v1/dashboard/views${path}`, { token, ...(body && { body }) })
  const list = async (token: string): Promise<unknown> => (await call('GET', '', token)).at('data.items')
  const save = async (token: string, view: object = VIEW): Promise<string> => {
    const response = await call('POST', '', token, view)
    assert.equal(response.status, 201, response.text)
    return String(response.at('data.id'))
  }

  it('are listed by their names, renamed, changed and deleted, and the audit trail has it', async () => {
    const [b, a] = [await save(admin.token), await save(admin.token, { ...VIEW, name: ' All topics ', model: 'topic', query: '' })]
    const all = { id: a, name: 'All topics', model: 'topic', query: '' }
    assert.deepEqual(await list(admin.token), [all, { id: b, ...VIEW }])
    const renamed = await call('PUT', `/${b}`, admin.token, { ...VIEW, name: 'A' })
    assert.deepEqual([renamed.status, renamed.at('data')], [200, { id: b, ...VIEW, name: 'A' }])
    assert.deepEqual(await list(admin.token), [{ id: b, ...VIEW, name: 'A' }, all])
    for (const id of [a, b]) assert.equal((await call('DELETE', `/${id}`, admin.token)).status, 204)
    for (const method of ['PUT', 'DELETE']) assert.equal((await call(method, `/${a}`, admin.token, method === 'PUT' ? VIEW : undefined)).status, 404)
    assert.deepEqual(await list(admin.token), [])
    const trail = await service.call('GET', '/api/v1/admin/audit?limit=3', { token: admin.token })
    assert.deepEqual((trail.at('data.items') as { event: string }[]).map(({ event }) => event), ['view.removed', 'view.removed', 'view.saved'])
  })

  it('are refused clearly where there are as many as may be, or one is not valid', async () => {
    for (let i = 0; i < 50; i++) await save(publisher.token, { ...VIEW, name: `View ${i}` })
    const full = await call('POST', '', publisher.token, VIEW)
    assert.equal(full.error, 'conflict: Cannot save a view: you have 50, which are as many as a user may have: delete one first')
    for (const { id } of (await list(publisher.token)) as { id: string }[]) await call('DELETE', `/${id}`, publisher.token)
    const most = { ...VIEW, name: 'x'.repeat(80), query: 'q'.repeat(2_000) }
    await call('DELETE', `/${await save(publisher.token, most)}`, publisher.token)
    for (const wrong of [
      ...[{ name: ' ' }, { name: 'x'.repeat(81) }, { name: 'a\nb' }, { name: 'a\u202eb' }, { name: 7 }, { name: undefined }],
      ...[{ model: 'unknown' }, { model: 'constructor' }, { query: 'q'.repeat(2_001) }, { query: null }, { query: 'a\u0000b' }],
    ]) {
      const response = await call('POST', '', publisher.token, { ...VIEW, ...wrong })
      assert.equal(response.status, 400, JSON.stringify(wrong))
    }
  })

  it('attack: neither another user nor an administrator reads, changes or deletes them, and readers and guests have none', async () => {
    const id = await save(publisher.token)
    for (const { token } of [standard, guest]) {
      for (const [method, path] of [['GET', ''], ['POST', ''], ['PUT', `/${id}`], ['DELETE', `/${id}`]] as const) {
        assert.equal((await call(method, path, token, method === 'GET' || method === 'DELETE' ? undefined : VIEW)).status, 403)
      }
    }
    assert.equal((await service.call('GET', '/api/v1/dashboard/views')).status, 401)
    const robot = await apiToken({ role: 'admin' })
    for (const refused of [await call('POST', '', robot, VIEW), await call('DELETE', `/${id}`, robot)]) {
      assert.equal(refused.error, 'forbidden: A token of the API may not do this: sign in')
    }
    assert.deepEqual(await list(admin.token), [])
    const missing = await call('PUT', '/unknown', admin.token, VIEW)
    const changed = await call('PUT', `/${id}`, admin.token, VIEW)
    assert.deepEqual([changed.status, changed.error], [404, missing.error.replace('unknown', id)], 'it tells not even that there is one')
    assert.equal((await call('DELETE', `/${id}`, admin.token)).status, 404)
    assert.deepEqual(await list(publisher.token), [{ id, ...VIEW }])
  })

  it('go with their user', { skip: ONLY_HERE }, async () => {
    const person = await newPerson(service, 'publisher', admin.token)
    const id = await save(person.token)
    await service.data('DELETE', `/${person.id}`, { model: 'user' }, { token: admin.token })
    assert.equal((await call('GET', '', person.token)).status, 401)
    assert.deepEqual(service.app.services.store.accounts.viewsOf(person.id), [], id)
  })
})
