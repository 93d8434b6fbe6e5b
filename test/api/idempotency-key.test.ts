// also: cluster
/** Requests with an Idempotency-Key: repeated, changed, at the same time, after a restart, and as an attack. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openDatabase } from '../../src/store/db/database.ts'
import { newPerson, type Person } from '../support/cast.ts'
import { HEADLINE, TOPIC } from '../../scripts/tools/data-bodies.ts'
import { databaseOf, type ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, publisher, guest } = await startSite()
const other = await newPerson(service, 'admin', admin.token)

let keys = 0
const newKey = (): string => `"key ${++keys}"`
const create = (key: string, body: unknown, { by = admin, model = 'topic' }: { by?: Person; model?: string } = {}): Promise<ApiResponse> =>
  service.data('POST', '', { model }, { token: by.token, body, headers: { 'Idempotency-Key': key } })
const batch = (key: string, operations: unknown, by = admin): Promise<ApiResponse> =>
  service.data('POST', '/batch', {}, { token: by.token, body: { operations }, headers: { 'Idempotency-Key': key } })
const named = async (name: string): Promise<number> => {
  const list = await service.data('GET', '', { model: 'topic', filter: { name } }, { token: admin.token })
  return (list.at('data.items') as unknown[]).length
}
const kept = (what = 'count(*)', where = '', ...values: string[]): number => {
  const database = openDatabase(databaseOf(service), { readOnly: true })
  try {
    return Number(database.get(`SELECT ${what} AS n FROM first_response ${where}`, ...values)?.['n'])
  } finally {
    database.close()
  }
}

describe('a request that is repeated with its key', () => {
  it('gets the first response again, and does its work once', async () => {
    const [key, body] = [newKey(), { ...TOPIC, name: 'Once' }]
    const first = await create(key, body)
    assert.equal(first.status, 201, first.text)
    service.advance(60_000)
    // What the first one has made may have changed meanwhile.
    const id = String(first.at('data.id'))
    await service.data('PATCH', `/${id}`, { model: 'topic' }, { token: admin.token, body: { description: 'changed' } })
    const second = await create(key, body)
    assert.deepEqual([second.status, second.at('data'), second.headers.get('etag')], [201, first.at('data'), first.headers.get('etag')])
    assert.notEqual(second.at('metadata.requestId'), first.at('metadata.requestId'))
    assert.equal(await named('Once'), 1)
  })

  it('is done once by many at the same time: the others are told to wait', async () => {
    const [key, body] = [newKey(), { ...TOPIC, name: 'Racing' }]
    const all = await Promise.all(Array.from({ length: 8 }, () => create(key, body)))
    const statuses = all.map(({ status }) => status)
    assert.ok(statuses.includes(201) && statuses.every((status) => status === 201 || status === 409), statuses.join())
    for (const one of all) if (one.status === 409) assert.ok(one.headers.has('retry-after'), one.text)
    assert.equal(await named('Racing'), 1)
    assert.equal((await create(key, body)).status, 201)
  })

  it('is the same request with its members in another order', async () => {
    const [key, body] = [newKey(), { ...TOPIC, name: 'Ordered', more: [{ a: 1, b: { c: 2, d: 3 } }] }]
    const turned = { more: [{ b: { d: 3, c: 2 }, a: 1 }], ...Object.fromEntries(Object.entries(TOPIC).reverse()), name: 'Ordered' }
    const [first, second] = [await create(key, body), await create(key, turned)]
    assert.deepEqual([first.status, second.status, second.at('data')], [201, 201, first.at('data')])
    assert.equal((await create(key, { ...body, more: [{ a: 1, b: { c: 2, d: 4 } }] })).status, 422)
    assert.equal((await create(key, { ...body, more: [[{ a: 1, b: { c: 2, d: 3 } }]] })).status, 422)
  })

  it('and is another request gets 422', async () => {
    const [key, body] = [newKey(), { ...TOPIC, name: 'First' }]
    assert.equal((await create(key, body)).status, 201)
    for (const response of [
      await create(key, { ...body, name: 'Second' }),
      await create(key, { ...HEADLINE }, { model: 'headline' }),
      await batch(key, [{ operation: 'create', model: 'topic', body }]),
    ]) {
      assert.equal(response.status, 422)
      assert.match(response.error, /^idempotencyKeyReused: Cannot use this Idempotency-Key/)
    }
    assert.equal(await named('Second'), 0)
  })

  it('may be sent again where it failed: nothing of it was kept', async () => {
    const key = newKey()
    assert.equal((await create(key, { ...TOPIC, name: 7 })).status, 400)
    const missing = [{ operation: 'create', model: 'topic', body: { ...TOPIC, name: 'Undone' } }, { operation: 'delete', model: 'topic', id: 'x' }]
    assert.equal((await batch(key, missing)).status, 404)
    assert.equal((await create(key, { ...TOPIC, name: 'Mended' })).status, 201)
    assert.deepEqual([await named('Undone'), await named('Mended')], [0, 1])
  })
})

describe('attack: a key', () => {
  it('of another user gives nothing of theirs', async () => {
    const [key, body] = [newKey(), { ...HEADLINE, title: 'Mine' }]
    const mine = await create(key, body, { by: publisher, model: 'headline' })
    const theirs = await create(key, body, { by: other, model: 'headline' })
    assert.deepEqual([mine.status, theirs.status], [201, 201])
    assert.notEqual(mine.at('data.id'), theirs.at('data.id'))
    assert.equal((await create(key, body, { by: guest, model: 'headline' })).status, 403)
  })

  it('of a session gives nothing to a token that may not read', async () => {
    const made = await service.call('POST', '/api/v1/admin/tokens', { token: admin.token, body: { name: 'writes', role: 'admin', methods: ['create'] } })
    const writing = { ...admin, token: String(made.at('data.token')) }
    const [key, operations] = [newKey(), [{ operation: 'create', model: 'topic', body: { ...TOPIC, name: 'Seen by its maker' } }]]
    assert.equal((await batch(key, operations)).status, 200)
    const repeated = await batch(key, operations, writing)
    assert.deepEqual([repeated.status, repeated.at('error.code')], [422, 'idempotencyKeyReused'])
    const own = newKey()
    const [first, again] = [await batch(own, operations, writing), await batch(own, operations, writing)]
    assert.deepEqual([first.status, again.at('data')], [200, first.at('data')])
    assert.equal(first.at('data.items.0.data.name'), undefined)
  })

  it('of an editor who is one no longer gives nothing', async () => {
    const person = await newPerson(service, 'publisher', admin.token)
    const [key, body] = [newKey(), { ...HEADLINE, title: 'Then' }]
    assert.equal((await create(key, body, { by: person, model: 'headline' })).status, 201)
    const [keyOfBatch, operations] = [newKey(), [{ operation: 'create', model: 'headline', body }]]
    assert.equal((await batch(keyOfBatch, operations, person)).status, 200)
    await service.data('PATCH', `/${person.id}`, { model: 'user' }, { token: admin.token, body: { dashboardRole: 'none' } })
    assert.equal((await create(key, body, { by: person, model: 'headline' })).status, 403)
    assert.equal((await batch(keyOfBatch, operations, person)).status, 403)
  })

  it('keeps neither tokens nor personal data', async () => {
    const before = kept()
    const headers = { 'Idempotency-Key': newKey() }
    for (const path of ['anonymous', 'refresh-token']) {
      const { token } = await service.guest()
      assert.equal((await service.call('POST', `/api/v1/auth/${path}`, { token, headers })).status, 200)
    }
    const { token, id } = await service.guest()
    await service.data('DELETE', `/${id}`, { model: 'user_app_settings' }, { token })
    const settings = await service.data('GET', `/${admin.id}`, { model: 'user_app_settings' }, { token: admin.token })
    const sent = { token, headers, body: settings.at('data') }
    assert.equal((await service.data('POST', '', { model: 'user_app_settings' }, sent)).status, 201)
    const invited = { token: admin.token, headers, body: { email: 'invited@example.org' } }
    assert.equal((await service.data('POST', '', { model: 'user' }, invited)).status, 201)
    const personal = await batch(newKey(), [{ operation: 'patch', model: 'user', id, body: {} }])
    assert.match(personal.error, /^badRequest: Cannot take an Idempotency-Key: expected a batch of content/)
    assert.equal(kept(), before)
  })

  it('that is none is a 400 that does nothing', async () => {
    for (const key of ['""', '"a', 'a"b"', `"${'x'.repeat(256)}"`, '"a", "b"', '"\u00e4"']) {
      assert.match((await create(key, { ...TOPIC, name: 'Bad key' })).error, /^badRequest: Cannot read the header Idempotency-Key/)
    }
    assert.equal(await named('Bad key'), 0)
    assert.equal((await create(`"${'x'.repeat(255)}"`, TOPIC)).status, 201)
    assert.equal((await create('8e03978e-40d5-43e8-bc93-6894a57f9324', TOPIC)).status, 201)
  })

  it('after key fills no disk: the oldest responses of a user are forgotten', async () => {
    const long = { ...TOPIC, description: 'x'.repeat(1_500_000) }
    const first = await create('"long 0"', long, { by: other })
    for (let i = 1; i <= 6; i++) assert.equal((await create(`"long ${i}"`, long, { by: other })).status, 201)
    const bytes = kept('sum(bytes)', 'WHERE user_id = ?', other.id)
    assert.ok(bytes <= 8 * 1024 * 1024 && bytes > 4 * 1024 * 1024, String(bytes))
    assert.notEqual((await create('"long 0"', long, { by: other })).at('data.id'), first.at('data.id'))
    await service.data('DELETE', `/${String(first.at('data.id'))}`, { model: 'topic' }, { token: admin.token })
  })
})
