// also: cache-off
/**
 * Incomplete drafts: a draft needs nothing but its model. Clients decode strictly and would stop at one, so whatever does
 * not ask for them with `incomplete=true` must not meet one: each read is tried here.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { HEADLINE } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, publisher, standard, guest } = await startSite()

const ALL = { incomplete: 'true' }
const { id: _, createdAt: _c, updatedAt: _u, ...BODY } = HEADLINE
const ONLY_TITLE = { title: 'Written in haste', status: 'draft' }

interface Options {
  readonly token?: string
  readonly model?: string
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

const send = (method: string, target: string, body?: unknown, { token = publisher.token, model = 'headline', query = {}, headers }: Options = {}): Promise<ApiResponse> =>
  service.data(method, target, { model, ...query }, { token, body, ...(headers === undefined ? {} : { headers }) })
const wide = (method: string, target: string, body?: unknown, options: Options = {}): Promise<ApiResponse> =>
  send(method, target, body, { ...options, query: { ...ALL, ...options.query } })

async function made(body: JsonObject = ONLY_TITLE): Promise<string> {
  const response = await send('POST', '', body)
  assert.equal(response.status, 201, response.text)
  return String(response.at('data.id'))
}
const idsOf = (response: ApiResponse): readonly unknown[] => (response.at('data.items') as readonly JsonObject[]).map(({ id }) => id)

describe('an incomplete draft', () => {
  it('needs nothing but its model; what is set must be valid', async () => {
    const response = await send('POST', '', { status: 'draft' })
    assert.equal(response.status, 201, response.text)
    const { id, createdAt, updatedAt, ...rest } = response.at('data') as JsonObject
    assert.deepEqual(rest, { status: 'draft', type: 'headline' })
    const wrong: readonly (readonly [body: JsonObject, message: RegExp])[] = [
      [{ ...ONLY_TITLE, title: 7 }, /^invalidInput: title: expected a string/],
      [{ ...ONLY_TITLE, topic: { name: 'no id' } }, /^invalidInput: topic\./],
      [{ ...ONLY_TITLE, topic: { id: 'unknown' } }, /^invalidInput: topic: expected the id of a topic/],
      [{ ...ONLY_TITLE, publishAt: '2030-01-01T00:00:00.000Z' }, /^invalidInput: excerpt: /],
      [{ ...ONLY_TITLE, status: 'active' }, /^invalidInput: excerpt: /],
      [{ title: 'no status is active' }, /^invalidInput: excerpt: /],
    ]
    for (const [body, message] of wrong) assert.match((await send('POST', '', body)).error, message)
    assert.deepEqual(Object.keys((await send('POST', '', { ...ONLY_TITLE, title: ' ', topic: null })).at('data') as JsonObject), [
      ...['id', 'createdAt', 'updatedAt', 'status', 'type'],
    ])
  })

  it('is nowhere for requests that do not ask for it', async () => {
    const id = await made()
    const other = await made({ ...BODY, status: 'draft', title: 'Complete' })
    for (const { token } of [publisher, admin]) {
      const since = String((await service.call('GET', '/api/v1/changes?since=now', { token })).at('data.next'))
      await wide('PATCH', `/${id}`, { excerpt: 'More.' })
      for (const query of [{}, { filter: { status: 'draft' } }, { filter: { q: 'haste' } }, { sort: 'updatedAt:desc' }, { filter: { id } }, { filter: { _id: { $in: [id] } } }]) {
        assert.equal(idsOf(await send('GET', '', undefined, { token, query: { limit: 100, ...query } })).includes(id), false)
      }
      const count = await send('GET', '', undefined, { token, query: { filter: { title: 'Written in haste' }, count: true } })
      assert.equal(count.at('data.total'), 0)
      for (const method of ['GET', 'DELETE']) assert.equal((await send(method, `/${id}`, undefined, { token })).status, 404)
      assert.equal((await send('PUT', `/${id}`, BODY, { token })).status, 404)
      assert.equal((await send('PATCH', `/${id}`, { status: 'active' }, { token })).status, 404)
      assert.equal((await send('GET', `/${id}/history`, undefined, { token })).status, 404)
      assert.equal((await send('POST', `/${id}/restore`, undefined, { token })).status, 404)
      const batch = await send('POST', '/batch', { operations: [{ operation: 'patch', model: 'headline', id, body: {} }] }, { token })
      assert.equal(batch.status, 404)
      const changes = await service.call('GET', `/api/v1/changes?since=${since}`, { token })
      assert.deepEqual((changes.at('data.items') as readonly JsonObject[]).filter((one) => one['id'] === id), [])
      const pull = await service.call('GET', '/api/v1/sync/headline/0/pull?lwt=0&id=&limit=100', { token, isUndescribed: true })
      assert.equal(pull.text.includes(id), false)
      const model = 'headline_incomplete'
      assert.equal((await send('GET', '', undefined, { token, model })).status, 400)
      const push = [{ newDocumentState: { ...ONLY_TITLE, id } }]
      const pushed = await service.call('POST', '/api/v1/sync/headline/0/push', { token, body: push, isUndescribed: true })
      assert.equal(pushed.status, 400)
    }
    assert.equal((await send('GET', `/${other}`)).status, 200)
    const overview = await service.call('GET', '/api/v1/dashboard/overview', { token: admin.token })
    assert.equal(overview.text.includes(id), false)
  })

  it('is nowhere for readers, and a publisher sees none of what administrators write', async () => {
    const id = await made()
    for (const { token } of [standard, guest]) {
      for (const target of ['', `/${id}`, '/trash', `/${id}/history`]) {
        assert.equal((await wide('GET', target, undefined, { token })).status, 403, target)
      }
      assert.equal((await wide('POST', '/query', {}, { token, query: {} })).status, 200)
      assert.equal((await send('POST', '/query', { incomplete: true }, { token })).status, 403)
      assert.equal((await send('POST', '', ONLY_TITLE, { token })).status, 403)
    }
    const topic = await send('POST', '', { status: 'draft', name: 'Half' }, { token: admin.token, model: 'topic' })
    assert.equal(topic.status, 201, topic.text)
    const target = `/${String(topic.at('data.id'))}`
    // A page that an administrator has read must not be found by a publisher.
    for (let i = 0; i < 3; i++) {
      for (const path of [target, '']) {
        assert.equal((await wide('GET', path, undefined, { token: admin.token, model: 'topic' })).status, 200)
        assert.equal((await wide('GET', path, undefined, { token: publisher.token, model: 'topic' })).status, 403)
      }
    }
    const reference = await send('POST', '', { ...BODY, topic: { id: topic.at('data.id') } })
    assert.match(reference.error, /topic: expected the id of a topic/)
  })

  it('becomes complete, is published, and can lose a member again while it is a draft', async () => {
    const id = await made()
    const etag = String((await wide('GET', `/${id}`)).headers.get('etag'))
    assert.equal((await wide('PATCH', `/${id}`, { status: 'active' })).error.startsWith('invalidInput: excerpt: '), true)
    const first = await wide('PUT', `/${id}`, { ...BODY, status: 'draft' }, { headers: { 'if-match': etag } })
    assert.equal(first.status, 200, first.text)
    assert.equal((await wide('PATCH', `/${id}`, {}, { headers: { 'if-match': etag } })).status, 412)
    assert.equal((await send('GET', `/${id}`)).at('data.title'), BODY.title)
    // Without the parameter it stays whole.
    assert.match((await send('PATCH', `/${id}`, { excerpt: null })).error, /^invalidInput: excerpt: /)
    assert.equal((await wide('PATCH', `/${id}`, { excerpt: null })).status, 200)
    assert.equal((await send('GET', `/${id}`)).status, 404)
    assert.equal((await wide('PATCH', `/${id}`, { excerpt: 'Back', status: 'active' })).status, 200)
    assert.equal((await send('GET', `/${id}`)).at('data.status'), 'active')
    assert.match((await wide('PATCH', `/${id}`, { excerpt: null })).error, /^invalidInput: excerpt: /)
    const kinds = (response: ApiResponse): readonly unknown[] => (response.at('data.items') as readonly JsonObject[]).map(({ kind }) => kind)
    assert.deepEqual(kinds(await wide('GET', `/${id}/history`)), ['updated', 'updated', 'updated', 'created'])
    assert.equal((await send('GET', `/${id}/history`)).text.includes('haste'), false)
    assert.equal((await send('GET', '/trash')).text.includes(id), false)
    assert.equal((await wide('GET', '/trash')).text.includes(id), false)
  })

  it('goes to the trash and comes back, by its own and in a batch; erased, nothing is left', async () => {
    const id = await made()
    assert.equal((await wide('DELETE', `/${id}`)).status, 204)
    assert.equal((await send('GET', '/trash')).text.includes(id), false)
    assert.equal((await wide('GET', '/trash')).text.includes(id), true)
    assert.equal((await send('POST', `/${id}/restore`)).status, 404)
    assert.equal((await wide('POST', `/${id}/restore`)).at('data.title'), ONLY_TITLE.title)
    const operations = [
      { operation: 'patch', model: 'headline', id, body: { title: 'Twice' } },
      { operation: 'create', model: 'headline', body: ONLY_TITLE },
    ]
    const batch = await wide('POST', '/batch', { operations })
    assert.equal(batch.status, 200, batch.text)
    const undo = { operations: [{ operation: 'undo', model: 'headline', id, ifMatch: batch.at('data.results[0].etag') }] }
    assert.equal((await wide('POST', '/batch', undo)).at('data.results[0].document.title'), ONLY_TITLE.title)
    assert.equal((await wide('DELETE', `/${id}`)).status, 204)
    assert.equal((await wide('DELETE', `/trash/${id}`)).status, 204)
    assert.equal((await wide('POST', `/${id}/restore`)).status, 404)
  })

  it('is replaced by no other document when it is deleted, as none holds copies of it', async () => {
    const id = await made()
    const replaceBy = HEADLINE.id
    const message = /replaceBy: expected none for an incomplete headline/
    const alone = await wide('DELETE', `/${id}`, undefined, { query: { replaceBy } })
    assert.deepEqual([alone.status, message.test(alone.error)], [400, true], alone.text)
    const operations = [{ operation: 'delete', model: 'headline', id, replaceBy }]
    const batch = await wide('POST', '/batch', { operations })
    assert.deepEqual([batch.status, message.test(batch.error)], [400, true], batch.text)
    assert.equal((await wide('GET', `/${id}`)).status, 200)
  })

  it('is checked as a whole: what is missing is a list', async () => {
    const id = await made()
    const check = await wide('POST', '/check', ONLY_TITLE, { query: { id } })
    const problems = check.at('data.problems') as readonly { path: string; code: string }[]
    assert.deepEqual(problems.map(({ path, code }) => `${path} ${code}`), ['excerpt', 'url', 'imageUrl', 'source', 'eventCountry', 'topic'].map((path) => `${path} required`))
  })

  it('is imported and exported where that is asked for, and exported by those who may write its model', async () => {
    const rows = `${JSON.stringify({ id: 'imported', name: 'Half', status: 'draft' })}\n`
    const file = { model: 'topic', format: 'ndjson', rows }
    const imported = async (more: object): Promise<readonly unknown[]> => {
      const response = await service.call('POST', '/api/v1/admin/import', { token: admin.token, body: { ...file, ...more } })
      return [response.at('data.inserted'), response.at('data.replaced'), (response.at('data.rejected') as readonly JsonObject[]).map(({ message }) => message).join()]
    }
    const exported = async (token: string, more: object): Promise<{ readonly status: number; readonly text: string }> => {
      const body = JSON.stringify({ model: 'topic', format: 'ndjson', sort: 'name', filter: { name: { $in: ['Half', 'Whole'] } }, ...more })
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
      const response = await fetch(`${service.url}/api/v1/data/export`, { method: 'POST', headers, body })
      return { status: response.status, text: await response.text() }
    }
    const [inserted, replaced, message] = await imported({})
    assert.deepEqual([inserted, replaced], [0, 0])
    assert.match(String(message), /: to keep it as a draft, import incomplete drafts as well$/)
    const whole = `${JSON.stringify({ id: 'imported', name: 'Whole', description: 'd', iconUrl: 'https://images.example/t.png', status: 'draft' })}\n`
    assert.deepEqual(await imported({ incomplete: true, dryRun: true, rows: rows + whole }), [1, 1, ''])
    assert.deepEqual(await imported({ incomplete: true }), [1, 0, ''])
    assert.equal((await exported(admin.token, {})).text, '')
    assert.match((await exported(admin.token, { incomplete: true })).text, /"id":"imported","name":"Half"/)
    assert.match(String((await imported({ rows: whole }))[2]), /is that of an incomplete draft/)
    assert.deepEqual(await imported({ incomplete: true, rows: whole }), [0, 1, ''])
    assert.match((await exported(publisher.token, {})).text, /"name":"Whole"/)
    // A list of titles: no row has a status.
    const titles = { model: 'headline', format: 'csv', hasHeader: true, rows: 'title\n"Ferry, again"\nPort\n' }
    assert.match(String((await imported(titles))[2]), /: to keep it as a draft, import incomplete drafts as well$/)
    assert.deepEqual(await imported({ ...titles, incomplete: true }), [2, 0, ''])
    const drafts = { model: 'headline', filter: { title: { $in: ['Ferry, again', 'Port'] } }, incomplete: true }
    assert.equal((await exported(admin.token, { ...drafts, sort: 'title' })).text.match(/"status":"draft"/g)?.length, 2)
    // A publisher may list topics, and write none.
    for (const { token } of [publisher, standard, guest]) assert.equal((await exported(token, { incomplete: true })).status, 403)
    assert.equal((await exported(publisher.token, { model: 'headline', incomplete: 'yes' })).status, 400)
  })
})
