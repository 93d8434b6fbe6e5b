// also: threads
/**
 * Attacks on the offline protocol: a stranger, a guest and a publisher push where they may not write, with assumed states
 * and checkpoints of their own making, and more than fits.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { ENDPOINTS } from '../../src/endpoints/endpoints.ts'
import { type Person } from '../support/cast.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { startService, type ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, publisher, standard, guest, stored: read, made: make } = await startSite()

const push = (model: string, rows: unknown, by: Pick<Person, 'token'> | undefined): Promise<ApiResponse> =>
  service.call('POST', `/api/v1/sync/${model}/0/push`, { token: by?.token, body: rows })

describe('pushes into models', () => {
  it('that the caller may not write are rejected, also those that would change nothing', async () => {
    const documents = { headline: await make('headline'), topic: await make('topic'), source: await make('source') }
    const attackers: [by: Person | undefined, models: readonly (keyof typeof documents)[], status: number][] = [
      [undefined, ['headline', 'topic', 'source'], 401],
      [guest, ['headline', 'topic', 'source'], 403],
      [standard, ['headline', 'topic', 'source'], 403],
      [publisher, ['topic', 'source'], 403],
    ]
    for (const [by, models, status] of attackers) {
      for (const model of models) {
        const stored = documents[model]
        const rows = [
          { assumedMasterState: stored, newDocumentState: { ...stored, status: 'archived' } },
          { assumedMasterState: stored, newDocumentState: { ...stored, _deleted: true } },
          { assumedMasterState: { ...stored, status: 'draft' }, newDocumentState: { ...stored, _deleted: true } },
          { assumedMasterState: stored, newDocumentState: stored },
          { newDocumentState: { ...stored, id: 'forged' } },
          { newDocumentState: { id: 'nowhere', _deleted: true } },
        ]
        for (const row of rows) {
          const response = await push(model, [row], by)
          assert.equal(response.status, status, JSON.stringify(row).slice(0, 200))
          assert.equal(response.text.includes('"archived"') || response.text.startsWith('['), false)
        }
        assert.deepEqual(await read(model, String(stored['id'])), stored)
        assert.equal((await service.data('GET', '/forged', { model }, { token: admin.token })).status, 404)
      }
    }
  })
})

describe('settings and preferences of another user', () => {
  it('are neither read, changed nor deleted by a push, not even by an administrator', async () => {
    for (const model of ['user_app_settings', 'user_content_preferences']) {
      const victim = await read(model, standard.id)
      for (const by of [guest, publisher, admin]) {
        for (const row of [
          { assumedMasterState: victim, newDocumentState: { ...victim, _deleted: true } },
          { assumedMasterState: victim, newDocumentState: victim },
          { newDocumentState: { id: standard.id } },
          { newDocumentState: { id: standard.id, _deleted: true } },
        ]) {
          const response = await push(model, [row], by)
          assert.match(response.error, /^forbidden: \[0\]: Cannot push the user_\w+ "\w+": only the own one is synced/)
        }
      }
      assert.deepEqual(await read(model, standard.id), victim)
      // A row of the own one does not carry another row with it.
      const own = await read(model, guest.id)
      const rows = [
        { assumedMasterState: own, newDocumentState: { ...own, _deleted: true } },
        { assumedMasterState: victim, newDocumentState: { ...victim, _deleted: true } },
      ]
      assert.equal((await push(model, rows, guest)).status, 403)
      assert.deepEqual(await read(model, guest.id), own)
    }
  })

  it('keep the limits of the role, whatever state is assumed', async () => {
    const own = await read('user_content_preferences', guest.id)
    const source = await make('source')
    const followedSources = Array.from({ length: 60 }, () => source)
    const response = await push('user_content_preferences', [{ assumedMasterState: own, newDocumentState: { ...own, followedSources } }], guest)
    assert.equal(response.status, 403, response.text)
    const forged = { ...own, followedSources }
    assert.deepEqual((await push('user_content_preferences', [{ assumedMasterState: forged, newDocumentState: forged }], guest)).body, [{ ...own, _deleted: false }])
    assert.deepEqual(await read('user_content_preferences', guest.id), own)
  })
})

describe('a new document', () => {
  it('has no id that is a path of the API, where no request could reach it', async () => {
    const names = new Set(ENDPOINTS.flatMap(({ path }) => /^\/api\/v1\/data\/([a-z]+)/.exec(path)?.[1] ?? []))
    assert.ok(names.has('trash') && names.has('duplicates'))
    for (const id of names) {
      const response = await push('topic', [{ newDocumentState: { ...bodyOf('topic'), id } }], admin)
      assert.equal(response.at('error.message'), `[0]: newDocumentState.id: expected an id that is no path of the API, found "${id}"`)
    }
  })
})

describe('a forged assumption', () => {
  it('is a conflict unless it is what is stored, and names of members do no harm', async () => {
    const stored = await make('headline')
    const id = String(stored['id'])
    const forged = [
      '{"id":"ID"}',
      '{"id":"ID","_deleted":true}',
      '{"id":"ID","__proto__":{"title":"x"},"constructor":1}',
      `{"id":"ID","title":${'['.repeat(190)}${']'.repeat(190)}}`,
      JSON.stringify({ ...stored, id: 'another' }),
      JSON.stringify({ ...stored, extra: null }),
      JSON.stringify({ ...stored, topic: { id: 'nowhere' } }),
    ]
    for (const state of forged) {
      const next = JSON.stringify({ ...stored, title: 'Forged' })
      const body = `[{"assumedMasterState":${state.replace('ID', id)},"newDocumentState":${next}}]`
      const response = await push('headline', body, publisher)
      assert.deepEqual(response.body, [{ ...stored, _deleted: false }], `${state}: ${response.text}`)
    }
    assert.deepEqual(await read('headline', id), stored)
    assert.equal(({} as Record<string, unknown>)['title'], undefined)
  })
})

describe('a push that is too large', () => {
  it('is rejected at one row past the limit, at one byte past the body, and where its documents are long', async () => {
    const row = (i: number): object => ({ newDocumentState: { id: `gone-${i}`, _deleted: true } })
    const rows = Array.from({ length: 201 }, (_, i) => row(i))
    assert.equal((await push('headline', rows.slice(1), publisher)).status, 200)
    assert.match((await push('headline', rows, publisher)).error, /^invalidInput: Cannot take 201 rows: expected at most 200 in one push: set a smaller batchSize/)
    assert.equal((await push('headline', `[${' '.repeat(2 * 1024 * 1024)}]`, publisher)).status, 413)
    assert.equal((await push('user_app_settings', `[${' '.repeat(256 * 1024)}]`, guest)).status, 413)
    const documents: JsonObject[] = []
    for (let i = 0; i < 3; i++) {
      const body = { ...bodyOf('headline'), excerpt: 'x'.repeat(800_000) }
      documents.push((await service.data('POST', '', { model: 'headline' }, { token: admin.token, body })).at('data') as JsonObject)
    }
    const small = documents.map(({ id }) => ({ newDocumentState: { id: String(id), _deleted: true } }))
    assert.match((await push('headline', small, publisher)).error, /^payloadTooLarge: /)
    const page = await service.call('GET', '/api/v1/sync/headline/0/pull?lwt=0&id=&limit=2', { token: guest.token, isUndescribed: true })
    assert.equal(page.status, 200)
  })
})

describe('rows of a push', () => {
  it('count as so many requests', async (t) => {
    const limited = await startService(t, { rateLimits: 'on', dataPerUser: '30' })
    const person = await limited.guest()
    const rows = Array.from({ length: 25 }, () => ({ newDocumentState: { id: person.id, _deleted: true } }))
    const send = (body: unknown): Promise<ApiResponse> =>
      limited.call('POST', '/api/v1/sync/user_app_settings/0/push', { token: person.token, body })
    // Two rows of one document are rejected, and cost what they would have.
    assert.equal((await send(rows)).status, 400)
    assert.equal((await send(rows)).status, 429)
  })
})
