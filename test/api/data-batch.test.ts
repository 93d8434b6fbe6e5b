// also: cache-off
/** Batches: many operations in one transaction, all or nothing, each as the request of its own would be. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { bodyOf, HEADLINE, PREFERENCES, REMOTE_CONFIG_ID, TOPIC } from '../../scripts/tools/data-bodies.ts'
import { startService, type ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, publisher, standard, guest, read } = await startSite()

const batch = (operations: unknown, by: { token: string | undefined } = admin): Promise<ApiResponse> =>
  service.data('POST', '/batch', {}, { token: by.token, body: { operations } })

async function made(model = 'topic'): Promise<{ id: string; etag: string; document: JsonObject }> {
  const response = await service.data('POST', '', { model }, { token: admin.token, body: bodyOf(model) })
  assert.equal(response.status, 201, response.text)
  return { id: String(response.at('data.id')), etag: response.headers.get('etag') ?? '', document: response.at('data') as JsonObject }
}

describe('a batch', () => {
  it('does everything, of any models, and gives each result in order', async () => {
    const [a, b, c, config] = [await made(), await made(), await made('headline'), await read('remote_config', REMOTE_CONFIG_ID)]
    // Copies of a topic that this batch changes would follow it.
    const d = await made()
    service.advance(1000)
    const appStatus = { latestAppVersion: '2.0.0' }
    const response = await batch([
      { operation: 'create', model: 'headline', body: { ...HEADLINE, title: 'Made', topic: { id: d.id } } },
      { operation: 'replace', model: 'topic', id: a.id, body: { ...a.document, name: 'Replaced' }, ifMatch: a.etag },
      { operation: 'patch', model: 'topic', id: b.id, body: { name: 'Patched' } },
      { operation: 'patch', model: 'topic', id: b.id, body: { description: 'twice' } },
      { operation: 'delete', model: 'headline', id: c.id, ifMatch: '*' },
      { operation: 'patch', model: 'user', id: standard.id, body: { appRole: 'premiumUser' } },
      { operation: 'patch', model: 'remote_config', id: REMOTE_CONFIG_ID, body: { appStatus }, ifMatch: config.headers.get('etag') },
    ])
    assert.equal(response.status, 200, response.text)
    const results = response.at('data.results') as { status: number; etag?: string; document?: JsonObject }[]
    assert.deepEqual(results.map(({ status }) => status), [201, 200, 200, 200, 204, 200, 200])
    assert.deepEqual(results[4], { status: 204 })
    assert.equal((await read('headline', c.id)).status, 404)
    for (const [i, model] of [[0, 'headline'], [1, 'topic'], [3, 'topic'], [5, 'user'], [6, 'remote_config']] as const) {
      const stored = await read(model, results[i]?.document?.['id'])
      assert.deepEqual([stored.at('data'), stored.headers.get('etag')], [results[i]?.document, results[i]?.etag], model)
    }
    assert.deepEqual(results[0]?.document?.['topic'], d.document)
    assert.deepEqual([results[3]?.document?.['name'], results[3]?.document?.['description']], ['Patched', 'twice'])
  })

  it('does nothing where one operation fails, and says which', async () => {
    const [a, b] = [await made(), await made()]
    const first = { operation: 'patch', model: 'topic', id: a.id, body: { name: 'Changed' } }
    const rows: [operation: object, error: string][] = [
      [{ operation: 'patch', model: 'topic', id: 'nowhere', body: {} }, 'notFound: operations[2]: No topic has the id "nowhere"'],
      [{ operation: 'delete', model: 'topic', id: 'nowhere' }, 'notFound: operations[2]: No topic has the id "nowhere"'],
      [{ operation: 'create', model: 'topic', body: { ...TOPIC, name: 7 } }, 'invalidInput: operations[2].body.name: expected a string, found 7'],
      [{ operation: 'create', model: 'headline', body: { ...HEADLINE, topic: { id: 'x' } } }, 'invalidInput: operations[2].body.topic: expected the id of a topic, found "x", which no topic has'],
      [{ operation: 'create', model: 'remote_config', body: bodyOf('remote_config') }, `conflict: operations[2]: A remote_config with the id "${REMOTE_CONFIG_ID}" exists already`],
      [{ operation: 'delete', model: 'dashboard_summary', id: 'x' }, 'methodNotAllowed: operations[2]: Cannot remove a dashboard_summary: the model does not support it'],
      [{ operation: 'patch', model: 'user', id: admin.id, body: { dashboardRole: 'none' } }, 'forbidden: operations[2]: The last administrator cannot be demoted here: give another user the role first'],
    ]
    for (const [operation, error] of rows) {
      const response = await batch([first, { operation: 'delete', model: 'topic', id: b.id }, operation])
      assert.equal(response.error, error)
      assert.deepEqual((await read('topic', a.id)).at('data'), a.document)
      assert.equal((await read('topic', b.id)).status, 200)
    }
    const stale = await batch([first, { operation: 'delete', model: 'topic', id: b.id, ifMatch: a.etag }, { ...first, ifMatch: '"x"' }])
    assert.match(stale.error, /^preconditionFailed: operations\[[12]\]: Cannot meet If-Match/)
    assert.deepEqual((await read('topic', a.id)).at('data'), a.document)
    const problem = (await batch([first, first, rows[2]?.[0]])).at('error.problems') as { path: string; code: string }[]
    assert.deepEqual([problem[0]?.path, problem[0]?.code], ['operations[2].body.name', 'notText'])
  })

  it('takes up to 200 operations that say what they are', async () => {
    const one = { operation: 'create', model: 'topic', body: TOPIC }
    assert.equal((await batch(Array(200).fill(one))).status, 200)
    for (const [operations, error] of [
      [Array(201).fill(one), 'operations: expected an array of 1 to 200 operations, found 201 of them'],
      [[], 'operations: expected an array of 1 to 200 operations, found 0 of them'],
      [{}, 'operations: expected an array of 1 to 200 operations, found an object'],
      [[one, 7], 'operations[1]: expected an object, found 7'],
      [[{ ...one, operation: 'remove' }], 'operations[0]: operation: expected one of create, replace, patch, delete, restore, undo, found "remove"'],
      [[{ ...one, id: 'x' }], 'operations[0]: id: expected none, as the server gives it, found "x"'],
      [[{ ...one, ifNoneMatch: '*' }], 'operations[0]: expected no members but operation, model, id, body, ifMatch, seq, replaceBy, found "ifNoneMatch"'],
      [[{ operation: 'delete', model: 'topic' }], 'operations[0]: id: expected the id of a document, found nothing'],
      [[{ operation: 'patch', model: 'topic', id: 'x' }], 'operations[0]: body: expected an object, found nothing'],
      [[{ operation: 'delete', model: 'user', id: 'x' }], 'operations[0]: a user cannot be part of a batch that would delete it: send that request alone'],
    ]) {
      assert.equal((await batch(operations)).error, `invalidInput: ${String(error)}`)
    }
    assert.match((await batch([{ operation: 'delete', model: 'topic', id: 'x', ifMatch: 'x' }])).error, /^badRequest: operations\[0\]: Cannot read the header If-Match/)
  })
})

describe('attack: a batch', () => {
  it('of a stranger, a guest or a publisher does only what each operation allows them', async () => {
    const topic = await made()
    const settings = (id: string): object => ({ operation: 'patch', model: 'user_app_settings', id, body: { displaySettings: { baseTheme: 'dark' } } })
    const change = { operation: 'patch', model: 'topic', id: topic.id, body: { name: 'hacked' } }
    assert.equal((await batch([change], { token: undefined })).status, 401)
    assert.equal((await batch([settings(guest.id)], guest)).status, 200)
    for (const [by, operation] of [
      [guest, change],
      [standard, change],
      [publisher, change],
      [guest, settings(standard.id)],
      [publisher, settings(admin.id)],
      [guest, { operation: 'create', model: 'headline', body: HEADLINE }],
      [guest, { operation: 'delete', model: 'topic', id: topic.id }],
      [guest, { operation: 'delete', model: 'user_app_settings', id: standard.id }],
    ] as const) {
      const response = await batch([settings(by.id), operation], by)
      assert.match(response.error, /^forbidden: operations\[1\]: Only /)
    }
    const role = await batch([{ operation: 'patch', model: 'user', id: guest.id, body: { dashboardRole: 'admin', appRole: 'premiumUser' } }], guest)
    assert.deepEqual([role.at('data.results[0].document.dashboardRole'), role.at('data.results[0].document.appRole')], ['none', 'guestUser'])
    assert.deepEqual((await read('topic', topic.id)).at('data'), topic.document)
  })

  // A guest with 100 KB blocked the service for a second, and a user with 1.6 MB made it write a response of 320 MB.
  it('cannot make much of the document that an operation before has written', async () => {
    const model = 'user_content_preferences'
    const id = guest.id
    const saved = (chars: number): object => ({ savedHeadlines: [{ ...HEADLINE, id: 'h', excerpt: 'x'.repeat(chars) }] })
    const patches = (count: number, body: object = {}): object[] => Array(count).fill({ operation: 'patch', model, id, body })
    const before = (await read(model, id)).at('data')
    for (const first of [
      [{ operation: 'replace', model, id, body: { ...PREFERENCES, id, ...saved(150_000) } }],
      patches(1, saved(150_000)),
      [{ operation: 'delete', model, id }, { operation: 'create', model, body: { ...PREFERENCES, ...saved(150_000) } }],
    ]) {
      const at = first.length + 1
      const refused = await batch([...first, ...patches(199 - at)], guest)
      assert.match(refused.error, new RegExp(`^payloadTooLarge: operations\\[${at}\\]: Cannot take a batch of this size`))
      assert.deepEqual((await read(model, id)).at('data'), before)
    }
    assert.equal((await batch([...patches(1, saved(150_000)), ...patches(1)], guest)).status, 200)
  })

  it('counts as many requests as it has operations', async (t) => {
    const limited = await startService(t, { rateLimits: 'on', dataPerUser: '30' })
    const person = await limited.guest()
    const operations = Array(10).fill({ operation: 'patch', model: 'user_app_settings', id: person.id, body: {} })
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) statuses.push((await limited.data('POST', '/batch', {}, { token: person.token, body: { operations } })).status)
    assert.deepEqual(statuses, [200, 200, 200, 429])
  })
})
