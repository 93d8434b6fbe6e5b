// also: cache-off cluster
/** Ids that every object of JavaScript has as members: new documents get none, and those of before work as others do. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { HEADLINE, TOPIC } from '../../scripts/tools/data-bodies.ts'
import { type ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__defineGetter__']
const { service, admin, publisher, guest } = await startSite()
const call = (method: string, path: string, query: Record<string, string>, body?: unknown, by = admin): Promise<ApiResponse> =>
  service.data(method, path, query, { token: by.token, ...(body !== undefined && { body }) })
const WANTED = /id: expected an id that is not the name of a member of Object\.prototype, found "/

it('attack: no import and no push makes a document with such an id, and no request finds one', async () => {
  for (const id of NAMES) {
    const rows = `${JSON.stringify({ ...TOPIC, id })}\n`
    for (const dryRun of [true, false]) {
      const imported = await service.call('POST', '/api/v1/admin/import', { token: admin.token, body: { model: 'topic', format: 'ndjson', rows, dryRun } })
      assert.match(String(imported.at('data.rejected[0].message')), WANTED)
    }
    const push = await service.call('POST', '/api/v1/sync/topic/0/push', { token: admin.token, body: [{ newDocumentState: { ...TOPIC, id } }] })
    assert.equal(push.status, 400, push.text)
    assert.match(push.text, /newDocumentState\.id: expected an id that is not the name of a member of Object\.prototype/)
    for (const [method, path, body] of [
      ['GET', '', undefined], ['PUT', '', TOPIC], ['PATCH', '', { name: 'x' }], ['DELETE', '', undefined],
      ['GET', '/history', undefined], ['GET', '/history/1', undefined], ['POST', '/restore', {}],
    ] as const) {
      assert.equal((await call(method, `/${id}${path}`, { model: 'topic' }, body)).status, 404, `${method} ${id}${path}`)
    }
    const embedded = await call('POST', '', { model: 'headline' }, { ...HEADLINE, topic: { id } })
    assert.equal(embedded.status, 400, embedded.text)
    assert.deepEqual((await call('POST', '/usage', { model: 'topic' }, { ids: [id] })).at('data.used'), [])
  }
})

it('attack: a copy that is embedded under such an id, and bodies that send one, change nothing but their document', async () => {
  for (const id of NAMES) {
    const made = await call('POST', '', { model: 'headline' }, { ...HEADLINE, id, topic: { ...HEADLINE.topic, id } }, publisher)
    assert.equal(made.status, 201, made.text)
    assert.notEqual(made.at('data.id'), id)
    const own = String(made.at('data.id'))
    const patched = await call('PATCH', `/${own}`, { model: 'headline' }, { title: 'Changed' }, publisher)
    assert.deepEqual([patched.status, patched.at('data.topic.id')], [200, id])
    const listed = await call('GET', '', { model: 'headline', filter: JSON.stringify({ 'topic.id': id }) }, undefined, guest)
    assert.deepEqual((listed.at('data.items') as { id: string }[]).map((one) => one.id), [own])
    assert.equal((await call('GET', `/${own}/history`, { model: 'headline' }, undefined, publisher)).at('data.items.0.kind'), 'updated')
    assert.equal((await call('GET', `/${own}/history`, { model: 'headline' }, undefined, guest)).status, 403)
    assert.equal((await call('DELETE', `/${own}`, { model: 'headline' }, undefined, publisher)).status, 204)
  }
  assert.deepEqual([({} as { polluted?: unknown }).polluted, Object.keys(Object.prototype)], [undefined, []])
})
