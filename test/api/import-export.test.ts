// also: cache-off executable
/** Imports in pieces over the API: their rules, and hostile files; and a list as a file: its rights, its order and its moment. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { importPiece, PIECE_BYTES_MAX } from '../../src/content/transfer/import-pieces.ts'
import { createRepeats } from '../../src/content/repeatable.ts'
import { topic } from '../../src/models/topic.ts'
import { OPERATOR } from '../../src/store/actor.ts'
import { newPerson } from '../support/cast.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { type ApiResponse, startService, type TestService } from '../support/service/service.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runCheaply } from '../support/service/in-process.ts'

const PATH = '/api/v1/admin/import'
const HEADER = 'name,description,iconUrl,status'
const ROW = 'd,https://images.example/t.png,active'

async function site(t: Cleanup) {
  const service = await startService(t)
  const { token } = await service.admin()
  const send = (rows: string, more: object = {}): Promise<ApiResponse> =>
    service.call('POST', PATH, { token, body: { model: 'topic', format: 'csv', rows, hasHeader: true, ...more } })
  return { service, token, send, names: async () => (await names(service, token)).toSorted() }
}

async function names(service: TestService, token: string): Promise<readonly unknown[]> {
  const { at } = await service.data('GET', '', { model: 'topic', limit: 100 }, { token })
  return (at('data.items') as { readonly name: string }[]).map(({ name }) => name)
}

const counts = ({ at, text, status }: ApiResponse): readonly unknown[] => {
  assert.equal(status, 200, text)
  return [at('data.inserted'), at('data.replaced'), at('data.unchanged'), (at('data.rejected') as unknown[]).length]
}

describe('an import in pieces', () => {
  it('is previewed, checked without a change, and written with its history and audit records', async (t) => {
    const { service, token, send, names } = await site(t)
    const file = `Icon URL,Name,Notes,DESCRIPTION,Status\r\nhttps://images.example/s.png,Space,mine,"Telescopes, and ""more""",active\r\n,Bad,,d,nonsense\r\n`
    const preview = await service.call('POST', `${PATH}/preview`, { token, body: { model: 'topic', format: 'csv', rows: file } })
    assert.equal(preview.status, 200, preview.text)
    const header = preview.at('data.header') as { name: string; column: string }[]
    assert.deepEqual(header.map(({ name, column }) => [name, column]), [
      ['Icon URL', 'iconUrl'], ['Name', 'name'], ['Notes', ''], ['DESCRIPTION', 'description'], ['Status', 'status'],
    ])
    assert.deepEqual((preview.at('data.rows') as string[][])[0], ['https://images.example/s.png', 'Space', 'mine', 'Telescopes, and "more"', 'active'])
    const columns = header.map(({ column }) => column)
    const dry = await send(file, { columns, dryRun: true })
    assert.deepEqual(counts(dry), [1, 0, 0, 1])
    assert.deepEqual(await names(), [], 'a dry run changes nothing')
    const done = await send(file, { columns })
    assert.deepEqual(counts(done), [1, 0, 0, 1])
    const [rejected] = done.at('data.rejected') as { line: number; message: string }[]
    assert.deepEqual([rejected?.line, done.at('data.bytes'), done.at('data.nextLine')], [3, Buffer.byteLength(file), 4])
    assert.match(rejected?.message ?? '', /status: expected one of/)
    const page = await service.data('GET', '', { model: 'topic' }, { token })
    const topic = page.at('data.items[0]') as Record<string, string>
    assert.deepEqual([topic['name'], topic['description']], ['Space', 'Telescopes, and "more"'])
    const history = await service.call('GET', `/api/v1/data/${topic['id']}/history?model=topic`, { token })
    assert.equal(history.at('data.items[0].actor.email'), 'admin@example.org')
    const line = JSON.stringify({ ...topic, name: 'Spaces' })
    assert.deepEqual(counts(await send(`${line}\n${JSON.stringify(topic)}`, { format: 'ndjson', model: 'topic' })), [0, 2, 0, 0])
    // The service may be a process with a time of its own, in which the second row was written.
    const stored = (await service.data('GET', '', { model: 'topic' }, { token })).at('data.items[0]')
    assert.deepEqual(counts(await send(`\n\n${JSON.stringify(stored)}\r\n`, { format: 'ndjson', keep: true })), [0, 0, 1, 0])
    assert.deepEqual(counts(await send(JSON.stringify(stored), { format: 'ndjson', keep: true })), [0, 0, 1, 0])
  })

  it('goes on behind the rows that were complete, with the columns and lines of the file', async (t) => {
    const { send, names } = await site(t)
    const file = Buffer.from(`\uFEFF${HEADER}\n"Ä\nfirst",${ROW}\n\nSecond,${ROW}\nThird,${ROW}`)
    let [offset, line, columns] = [0, 1, undefined as unknown]
    const sizes = [60, 40, 90, 200]
    for (const size of sizes) {
      const isLast = offset + size >= file.length
      let end = Math.min(offset + size, file.length)
      while (end < file.length && ((file[end] ?? 0) & 0xc0) === 0x80) end--
      const rows = file.subarray(offset, end).toString()
      const { at, status, text } = await send(rows, { line, isLast, hasHeader: offset === 0, ...(columns === undefined ? {} : { columns }) })
      assert.equal(status, 200, text)
      ;[offset, line, columns] = [offset + Number(at('data.bytes')), Number(at('data.nextLine')), at('data.columns')]
    }
    assert.deepEqual([offset, line], [file.length, 6])
    assert.deepEqual(await names(), ['Second', 'Third', 'Ä\nfirst'])
  })

  it('is not for a token of one model, and for no model that is not written by its documents alone', async (t) => {
    const { service, token, send, names } = await site(t)
    const narrow = await service.call('POST', '/api/v1/admin/tokens', { token, body: { name: 't', role: 'admin', models: ['topic'] } })
    assert.equal((await service.call('POST', PATH, { token: String(narrow.at('data.token')), body: {} })).status, 403)
    for (const [more, words] of [
      [{ model: 'user' }, /model: expected one of headline, .*, found "user"/],
      [{ model: 'dashboard_summary' }, /model: expected one of/],
      [{ model: '__proto__' }, /model: expected one of/],
      [{ format: 'xlsx' }, /format: expected one of csv, ndjson, found "xlsx"/],
      [{ rows: 7 }, /rows: expected a string, found 7/],
      [{ rows: '\ud800' }, /half of a surrogate pair/],
      [{ dryrun: true }, /Cannot import with "dryrun": expected model, format,/],
      [{ dryRun: 'yes' }, /dryRun: expected true or false/],
      [{ line: 0 }, /line: expected a whole number, 1 or more, found 0/],
      [{ hasHeader: false }, /Cannot import CSV without columns: send hasHeader as true where .*, or send columns$/],
      [{ columns: 'name' }, /columns: expected an array/],
      [{ columns: ['name', 'evil'] }, /topic has no column "evil"/],
      [{ columns: ['name', 'name'] }, /the column "name" is there twice/],
      [{ rows: 'x'.repeat(PIECE_BYTES_MAX + 1) }, /^payloadTooLarge: rows: expected at most 1048576 bytes/],
    ] as const) {
      const response = await send(`${HEADER}\nx,${ROW}`, more)
      assert.ok([400, 413].includes(response.status), response.text)
      assert.match(response.error, words)
    }
    assert.deepEqual(await names(), [])
  })
})

describe('a piece with an Idempotency-Key', () => {
  it('goes on where it has come, in another process too: no row comes twice, and each is counted', { skip: ONLY_HERE }, async (t) => {
    const { service, token, names } = await site(t)
    const { store, sessions } = service.app.services
    const other = await newPerson(service, 'admin', token)
    const by = sessions.require({ headers: { authorization: `Bearer ${other.token}` }, clientAddress: '192.0.2.1', requestId: 'r' }, service.now())
    const setRole = (dashboardRole: string) => store.as(OPERATOR).updateUser(other.id, (stored) => ({ ...stored, dashboardRole }))
    const rows = `${HEADER}\n${Array.from({ length: 9 }, (_, i) => `T${i},${i === 4 ? 'd,bad,active' : ROW}\n`).join('')}`
    const piece = { ...{ model: topic, format: 'csv', rows, columns: undefined, hasHeader: true, isLast: true, line: 1 } as const, keep: false, incomplete: false, asDrafts: false, isDryRun: false }
    let [time, looks] = [service.now(), 0]
    const now = (): number => {
      if (++looks === 8) void setRole('none')
      return (time += 20)
    }
    const run = (repeats = createRepeats({ store, now: service.now }), body: JsonObject = { rows }) =>
      repeats.inParts({ key: 'k', target: 't' }, { caller: { id: other.id }, body }, (progress, keep) => importPiece({ store, now }, piece, by, { progress, keep }))
    const first = await run()
    assert.equal(first.failed?.code, 'forbidden')
    assert.ok(first.inserted > 0 && first.inserted < 8, String(first.inserted))
    await setRole('admin')
    const outcomes = await Promise.allSettled([run(), run()])
    for (const one of outcomes) if (one.status === 'rejected') assert.equal((one.reason as { code: string }).code, 'conflict')
    const whole = await run()
    assert.deepEqual([whole.inserted, whole.rejected.length, whole.failed, whole.bytes], [8, 1, undefined, rows.length])
    assert.deepEqual(await run(), whole)
    assert.deepEqual(await names(), ['T0', 'T1', 'T2', 'T3', 'T5', 'T6', 'T7', 'T8'])
    await assert.rejects(run(undefined, { rows: 'other' }), { code: 'idempotencyKeyReused' })
  })

  it('gets its first response again, and no key stands for a check or for personal data', async (t) => {
    const { service, token, names } = await site(t)
    const send = (more: object): Promise<ApiResponse> =>
      service.call('POST', PATH, { token, headers: { 'Idempotency-Key': '"one"' }, body: { model: 'topic', format: 'csv', hasHeader: true, rows: `${HEADER}\nOnce,${ROW}\n`, ...more } })
    assert.deepEqual(counts(await send({ dryRun: true })), [1, 0, 0, 0])
    const first = await send({})
    assert.deepEqual((await send({})).at('data'), first.at('data'))
    assert.deepEqual(await names(), ['Once'])
    assert.equal((await send({ keep: true })).status, 422)
    assert.equal((await send({ model: 'user_app_settings' })).status, 400)
  })
})

describe('hostile rows of an import', () => {
  it('are rejected with line and reason, or end the import, and nothing else happens', async (t) => {
    const { service, token, send, names } = await site(t)
    const stopped = (response: ApiResponse): unknown => [response.at('data.stopped.line'), response.at('data.stopped.message')]
    assert.deepEqual(stopped(await send(`${HEADER}\nGood,${ROW}\n"never closed,${ROW}\nmore`)), [3, 'a quote is opened and never closed'])
    const giant = await send(`"${'x'.repeat(PIECE_BYTES_MAX - 1)}`, { isLast: false, line: 9 })
    assert.deepEqual(stopped(giant), [9, 'expected at most 1048576 bytes in a row, found more: a quote may never be closed'])
    assert.deepEqual([giant.at('data.bytes'), giant.at('data.nextLine')], [0, 9])
    // What else is wrong with rows is in test/cli/hostile-imports.test.ts.
    const rows = ['null', '{', `{"name":"${'n'.repeat(500_000)}"}`]
    const refused = await send(rows.join('\n'), { format: 'ndjson' })
    assert.deepEqual(counts(refused), [0, 0, 0, rows.length])
    assert.deepEqual((refused.at('data.rejected') as { line: number }[]).map(({ line }) => line), rows.map((_, i) => i + 1))
    assert.ok(refused.text.length < 8_000, 'no message holds what was sent as a whole')
    const names60k = `{${Array.from({ length: 60_000 }, (_, i) => `"a${i}":1`).join()}}`
    const crowded = await send(names60k, { format: 'ndjson' })
    assert.equal(crowded.at('data.rejected[0].message'), 'cannot read it as JSON: more than 100000 names and values')
    assert.deepEqual(await names(), ['Good'])
    const wide = { model: 'topic', format: 'csv', rows: Array.from({ length: 50_000 }, (_, i) => `c${i}`).join(',') }
    const preview = await service.call('POST', `${PATH}/preview`, { token, body: wide })
    assert.equal(preview.error, 'invalidInput: Cannot read line 1: expected at most 200 columns, found more: remove those that are not to be imported')
  })
})
const EXPORT = '/api/v1/data/export'

it('an export has the filter and the order of its list, can be imported again, and is recorded', async (t) => {
  const service = await startService(t)
  const { token, id: admin } = await service.admin()
  const rows = [['b', 'active'], ['=1+1', 'active'], ['a,"\n', 'active'], ['c', 'draft']]
  for (const [name, status] of rows) {
    const body = { name, description: 'd', iconUrl: 'https://images.example/t.png', status }
    assert.equal((await service.data('POST', '', { model: 'topic' }, { token, body })).status, 201)
  }
  const get = (body: object, by = token): Promise<Response> =>
    fetch(service.url + EXPORT, {
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
    fetch(service.url + EXPORT, {
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
