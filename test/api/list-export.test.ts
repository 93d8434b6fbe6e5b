// also: cache-off executable
/** A list as a file: its rights, its order, its moment, and what spreadsheets would run. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { newPerson } from '../support/cast.ts'
import { runCheaply } from '../support/service/in-process.ts'
import { startService, type ApiResponse } from '../support/service/service.ts'

const PATH = '/api/v1/data/export'

it('an export has the filter and the order of its list, can be imported again, and is recorded', async (t) => {
  const service = await startService(t)
  const { token, id: admin } = await service.admin()
  const rows = [['b', 'active'], ['=1+1', 'active'], ['a,"\n', 'active'], ['c', 'draft']]
  for (const [name, status] of rows) {
    const body = { name, description: 'd', iconUrl: 'https://images.example/t.png', status }
    assert.equal((await service.data('POST', '', { model: 'topic' }, { token, body })).status, 201)
  }
  const get = (body: object, by = token): Promise<Response> =>
    fetch(service.url + PATH, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${by}` },
      body: JSON.stringify({ model: 'topic', filter: { status: 'active' }, sort: 'name:desc', ...body }),
    })
  const lines = await get({ format: 'ndjson' })
  assert.equal(lines.headers.get('content-disposition'), 'attachment; filename="topic.ndjson"')
  const documents = (await lines.text()).trimEnd().split('\n').map((line) => JSON.parse(line) as { name: string })
  assert.deepEqual(documents.map(({ name }) => name), ['b', 'a,"\n', '=1+1'])
  const csv = await (await get({ format: 'csv' })).text()
  assert.match(csv, /^id,name,description,/)
  assert.ok(csv.includes(",'=1+1,") && csv.includes(',"a,""\n",'), csv)
  const again = await service.call('POST', '/api/v1/admin/import', { token, body: { model: 'topic', format: 'csv', rows: csv, hasHeader: true, keep: true } })
  assert.deepEqual([again.at('data.unchanged'), again.at('data.rejected')], [3, []])
  assert.equal(await (await get({ format: 'ndjson', filter: { status: 'nothing' } })).text(), '')
  assert.match(await (await get({ format: 'ndjson', filter: null, sort: null, search: 'c' })).text(), /^\{"id":"\w+","name":"c"[^\n]*\n$/)
  assert.deepEqual(readdirSync(join(service.directory, 'data')).filter((name) => name.includes('export')), [])
  const trail = await service.call('GET', '/api/v1/admin/audit', { token })
  const [record] = trail.at('data.items') as Record<string, unknown>[]
  assert.deepEqual([record?.['event'], record?.['actor'], record?.['model']], ['documents.exported', admin, 'topic'])

  const publisher = await newPerson(service, 'publisher', token)
  assert.equal((await get({ format: 'csv', model: 'headline', sort: null, filter: null }, publisher.token)).status, 200)
  const guest = await newPerson(service, 'guest', token)
  const narrow = await service.call('POST', '/api/v1/admin/tokens', { token, body: { name: 't', role: 'publisher', models: ['topic'] } })
  for (const [by, body, status] of [
    [publisher.token, { model: 'user' }, 403],
    [publisher.token, { model: 'user_content_preferences' }, 403],
    [guest.token, {}, 403],
    [String(narrow.at('data.token')), {}, 403],
    ['', {}, 401],
    [token, { model: 'audit' }, 400],
    [token, { model: 'dashboard_summary' }, 400],
    [token, { format: 'xlsx' }, 400],
    [token, { filter: { $where: '1' } }, 400],
    [token, { sort: ':::' }, 400],
  ] as const) {
    assert.equal((await get({ format: 'csv', ...body }, by)).status, status, JSON.stringify(body))
  }
})

it('what a user has changed is exported whole, by API and command, where a list says that it is a part', async (t) => {
  const service = await startService(t)
  const { token, id } = await service.admin()
  const rows = (from: number, count: number): string =>
    Array.from({ length: count }, (_, i) => `${JSON.stringify({ name: `Topic ${from + i}`, description: 'd', iconUrl: 'https://images.example/t.png', status: 'active' })}\n`).join('')
  const add = (from: number, count: number): Promise<ApiResponse> =>
    service.call('POST', '/api/v1/admin/import', { token, body: { model: 'topic', format: 'ndjson', rows: rows(from, count) } })
  const list = async (query: object): Promise<ApiResponse> => service.data('GET', '', { model: 'topic', changedBy: id, limit: 1, ...query }, { token })
  const exported = (format: string): Promise<Response> =>
    fetch(service.url + PATH, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ model: 'topic', format, changedBy: `${id},another`, sort: 'name' }),
    })
  const command = () => runCheaply(['export', '--model', 'topic', '--changed-by', id, '--data-dir', join(service.directory, 'data')])
  assert.equal((await add(0, 1_000)).at('data.inserted'), 1_000)
  assert.deepEqual([(await list({})).at('data.isPartial'), (await list({ count: true })).at('data.totalIsFloor')], [undefined, false])
  assert.equal((await add(1_000, 300)).at('data.inserted'), 300)
  for (const query of [{}, { count: true }, { sort: 'name' }, { limit: 0 }]) assert.equal((await list(query)).at('data.isPartial'), true, JSON.stringify(query))
  assert.equal((await list({ count: true })).at('data.totalIsFloor'), true)
  assert.equal((await service.call('POST', '/api/v1/data/query?model=topic', { token, body: { changedBy: id } })).at('data.isPartial'), true)
  const lines = (await (await exported('ndjson')).text()).trimEnd().split('\n')
  assert.equal(new Set(lines).size, 1_300)
  assert.equal((await (await exported('csv')).text()).trimEnd().split('\r\n').length, 1_301)
  const printed = await command()
  assert.deepEqual([printed.code, new Set(printed.stdout.trimEnd().split('\n')).size, printed.stderr], [0, 1_300, ''])
})
