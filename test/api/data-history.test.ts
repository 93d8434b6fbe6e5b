// also: cache-off
/** The past of documents: who may see it, what it shows, and what comes back. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { newPerson } from '../support/cast.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { databaseOf, type ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, publisher, standard, guest, read } = await startSite()

interface By {
  readonly token: string
}
interface Item {
  readonly seq: number
  readonly kind: string
  readonly etag: string | null
  readonly paths: readonly string[]
  readonly actor: { readonly id: string; readonly email: string | null; readonly name: string | null } | null
}

const call = (method: string, path: string, query: object, { token }: By, body?: object, headers: object = {}): Promise<ApiResponse> =>
  service.data(method, path, query as Record<string, string>, { token, ...(body && { body }), headers: headers as Record<string, string> })
const history = async (model: string, id: string, by: By = admin): Promise<Item[]> =>
  (await call('GET', `/${id}/history`, { model }, by)).at('data.items') as unknown as Item[]
const batch = (operations: object[], by: By = admin): Promise<ApiResponse> => call('POST', '/batch', {}, by, { operations })

async function made(model = 'headline', by: By = admin, members: object = {}): Promise<{ id: string; etag: string; document: JsonObject }> {
  const response = await call('POST', '', { model }, by, { ...bodyOf(model), ...members })
  assert.equal(response.status, 201, response.text)
  return { id: String(response.at('data.id')), etag: response.headers.get('etag') ?? '', document: response.at('data') as JsonObject }
}

describe('the history of a document', () => {
  it('tells each change, newest first, by pages, with its actor and the members that changed', async () => {
    const { id, document, etag } = await made()
    service.advance(1000)
    await call('PATCH', `/${id}`, { model: 'headline' }, publisher, { title: 'Second', excerpt: 'New' })
    service.advance(1000)
    await batch([{ operation: 'patch', model: 'headline', id, body: { status: 'archived' } }])
    const [third, second, first] = await history('headline', id)
    assert.deepEqual([third?.kind, third?.paths, third?.actor], ['updated', ['status'], { id: admin.id, email: admin.email, name: null }])
    assert.deepEqual([second?.paths.toSorted(), second?.actor?.id], [['excerpt', 'title'], publisher.id])
    assert.deepEqual([first?.kind, first?.paths, first?.etag], ['created', [], etag])
    assert.equal(third?.etag, (await read('headline', id)).headers.get('etag'))
    const page = await call('GET', `/${id}/history`, { model: 'headline', limit: 2 }, publisher)
    assert.deepEqual([page.at('data.hasMore'), page.at('data.cursor')], [true, String(second?.seq)])
    assert.equal(page.at('data.items.0.actor.email'), null, 'emails are for administrators')
    const rest = await call('GET', `/${id}/history`, { model: 'headline', limit: 2, cursor: String(second?.seq) }, publisher)
    assert.deepEqual([rest.at('data.items.0.seq'), rest.at('data.hasMore'), rest.at('data.cursor')], [first?.seq, false, null])
    const none = await call('GET', `/${id}/history`, { model: 'headline', limit: 0 }, publisher)
    assert.deepEqual(none.at('data'), { items: [], cursor: null, hasMore: false }, 'as a list')
    const version = await call('GET', `/${id}/history/${first?.seq}`, { model: 'headline' }, publisher)
    assert.deepEqual([version.at('data'), version.headers.get('etag')], [document, etag])
  })

  it('puts an earlier version back as a new one, under the present rules and preconditions', async () => {
    const { id, document, etag } = await made()
    service.advance(1000)
    const changed = await call('PUT', `/${id}`, { model: 'headline' }, admin, { ...document, title: 'Second' })
    const [, first] = await history('headline', id)
    const target = { model: 'headline', seq: String(first?.seq) }
    const stale = await call('POST', `/${id}/restore`, target, admin, {}, { 'If-Match': etag })
    assert.equal(stale.status, 412, 'over a newer version')
    service.advance(1000)
    const restored = await call('POST', `/${id}/restore`, target, publisher, {}, { 'If-Match': changed.headers.get('etag') })
    assert.equal(restored.status, 200, restored.text)
    assert.deepEqual({ ...(restored.at('data') as object), updatedAt: '' }, { ...document, updatedAt: '' })
    assert.ok(String(restored.at('data.updatedAt')) > String(changed.at('data.updatedAt')))
    assert.deepEqual((await history('headline', id)).map(({ kind }) => kind), ['restored', 'updated', 'created'])
    assert.deepEqual((await read('headline', id)).at('data'), restored.at('data'))
  })
})

describe('attack: the past of documents', () => {
  it('of a reader or a publisher shows nothing of documents that they may not replace, drafts and their members included', async () => {
    const { id } = await made('headline', admin, { status: 'draft', title: 'Secret plan' })
    const topic = await made('topic')
    const [{ seq } = { seq: 0 }] = await history('headline', id)
    for (const by of [guest, standard]) {
      for (const path of [`/${id}/history`, `/${id}/history/${seq}`]) {
        const answer = await call('GET', path, { model: 'headline' }, by)
        assert.equal(answer.status, 403)
        assert.doesNotMatch(answer.text, /Secret/)
      }
      assert.equal((await call('POST', `/${id}/restore`, { model: 'headline', seq: String(seq) }, by, {})).status, 403)
      assert.equal((await call('GET', '/trash', { model: 'headline' }, by)).status, 403)
    }
    assert.equal((await call('GET', `/${topic.id}/history`, { model: 'topic' }, publisher)).status, 403, 'topics are for administrators')
    assert.equal((await call('GET', `/${id}/history`, { model: 'headline' }, { token: '' })).status, 401)
  })

  it('brings back nothing of personal data, and no version of another document', async () => {
    const topic = await made('topic')
    const { id } = await made()
    const [{ seq } = { seq: 0 }] = await history('headline', id)
    for (const model of ['user', 'user_app_settings', 'user_content_preferences']) {
      for (const by of [admin, standard]) {
        const answers = [
          await call('GET', `/${standard.id}/history`, { model }, by),
          await call('GET', `/${standard.id}/history/1`, { model }, by),
          await call('GET', '/trash', { model }, by),
          await call('POST', `/${standard.id}/restore`, { model }, by, {}),
          await call('DELETE', `/trash/${standard.id}`, { model }, by),
        ]
        for (const { status } of answers) assert.ok(status === 405 || status === 403, `${model} ${status}`)
      }
      const inBatch = await batch([{ operation: 'restore', model, id: standard.id, seq: 1 }])
      assert.equal(inBatch.status, 405, inBatch.text)
      assert.match((await call('GET', '/trash', { model }, admin)).text, new RegExp(`The model ${model} has no history and no trash`))
    }
    const rows: [path: string, model: string, status: number][] = [
      [`/${topic.id}/history/${seq}`, 'topic', 404],
      [`/${id}/history/${seq + 1000}`, 'headline', 404],
      [`/${id}/history/x`, 'headline', 400],
      ['/nowhere/history', 'headline', 404],
      [`/${id}/history`, 'dashboard_summary', 405],
    ]
    for (const [path, model, status] of rows) assert.equal((await call('GET', path, { model }, admin)).status, status, path)
    assert.equal((await call('GET', `/${id}/history`, { model: 'headline', cursor: 'x' }, admin)).status, 400)
    assert.equal((await call('POST', `/${id}/restore`, { model: 'topic', seq: String(seq) }, admin, {})).status, 404)
  })

  it('does not overwrite what another editor has written since: the version is compared in the transaction', async () => {
    const { token } = await service.signIn(admin.email)
    const { id, etag } = await made('headline', { token })
    const [first] = await history('headline', id, { token })
    const target = { model: 'headline', seq: String(first?.seq) }
    // A version that is restored in the same moment is the same document, whose change would not be refused.
    service.advance(1)
    const [patched, restored] = await Promise.all([
      call('PATCH', `/${id}`, { model: 'headline' }, { token }, { title: 'Meanwhile' }, { 'If-Match': etag }),
      call('POST', `/${id}/restore`, target, { token }, {}, { 'If-Match': etag }),
    ])
    assert.deepEqual([patched.status, restored.status].sort(), [200, 412])
  })
})

describe('attack: a batch that restores', () => {
  it('undoes no change that an operation before it has made, whatever versions its condition names', async () => {
    const { token } = await service.signIn(admin.email)
    const by = { token }
    const { id, etag } = await made('headline', by)
    const patch = { operation: 'patch', model: 'headline', id, body: { title: 'Once more' } }
    const undo = (ifMatch: string): object => ({ operation: 'undo', model: 'headline', id, ifMatch })
    const changed = String((await batch([patch], by)).at('data.results.0.etag'))
    assert.equal((await batch([undo(changed)], by)).status, 200)
    const both = await batch([patch, undo(`${etag}, ${changed}`)], by)
    assert.deepEqual([both.status, (await read('headline', id, by)).headers.get('etag')], [412, etag], both.text)
  })
})

describe('documents that a user has changed', () => {
  const by = (changedBy: string, caller: By = publisher, query: object = {}): Promise<ApiResponse> =>
    call('GET', '', { model: 'headline', changedBy, sort: 'createdAt', ...query }, caller)
  const ids = (response: ApiResponse): unknown => (response.at('data.items') as JsonObject[] | undefined)?.map(({ id }) => id)

  it('are listed, counted, queried and exported, with any filter, and drafts that lack something where they are asked for', async () => {
    const [ada, eve] = [await newPerson(service, 'publisher', admin.token), await newPerson(service, 'publisher', admin.token)]
    const [own, changed, other, gone] = [await made('headline', ada), await made(), await made('headline', eve), await made('headline', ada)]
    await call('PATCH', `/${changed.id}`, { model: 'headline' }, ada, { status: 'archived' })
    await call('PATCH', `/${changed.id}`, { model: 'headline' }, eve, { excerpt: 'And another user after that' })
    await call('DELETE', `/${gone.id}`, { model: 'headline' }, ada)
    await made('topic')
    const incomplete = { token: ada.token, body: { title: 'Only a title', status: 'draft' }, isUndescribed: true } as const
    const draft = String((await service.data('POST', '', { model: 'headline' }, incomplete)).at('data.id'))
    assert.deepEqual(ids(await by(ada.id)), [own.id, changed.id])
    assert.deepEqual(ids(await by(`${ada.id},${eve.id}`, admin)), [own.id, changed.id, other.id])
    const unarchived = { model: 'headline', changedBy: ada.id, sort: 'createdAt', count: true, incomplete: true, filter: { status: { $ne: 'archived' } } }
    const counted = await service.data('GET', '', unarchived, { token: publisher.token, isUndescribed: true })
    assert.deepEqual([ids(counted), counted.at('data.total'), counted.at('data.totalIsFloor')], [[own.id, draft], 2, false])
    const body = { changedBy: ada.id, filter: { status: 'archived' } }
    assert.deepEqual(ids(await call('POST', '/query', { model: 'headline' }, publisher, body)), [changed.id])
    assert.equal((await call('POST', '/explain', { model: 'headline' }, publisher, body)).at('data.rowsReturned'), 1)
    const file = await call('POST', '/export', {}, publisher, { model: 'headline', format: 'ndjson', ...body })
    assert.deepEqual([file.text.trim().split('\n').length, file.text.includes(changed.id)], [1, true])
    assert.deepEqual(ids(await by('unknown')), [])
    for (const actor of ['operator', 'service']) assert.deepEqual(ids(await by(actor)), [], 'the log has their rows in no index')
    for (const wrong of ['', ',', `${ada.id},`, Array.from({ length: 21 }, (_, i) => i).join()]) assert.equal((await by(wrong)).status, 400, wrong)
    // The page is remembered by now.
    await by(ada.id)
    assert.equal((await call('DELETE', `/${ada.id}`, { model: 'user' }, admin)).status, 204)
    assert.deepEqual(ids(await by(ada.id)), [], 'the log forgets a deleted account')
  })

  it('attack: readers and guests learn nothing of who changes what, not even by the tag of a remembered page', async () => {
    const tag = (await by(publisher.id)).headers.get('etag') ?? ''
    await by(publisher.id)
    for (const caller of [standard, guest]) {
      for (const headers of [{}, { 'if-none-match': tag }, { 'if-none-match': '*' }]) {
        const query = { model: 'headline', changedBy: publisher.id, sort: 'createdAt' }
        assert.equal((await call('GET', '', query, caller, undefined, headers)).status, 403)
      }
      assert.equal((await call('POST', '/query', { model: 'headline' }, caller, { changedBy: publisher.id })).status, 403)
    }
    assert.equal((await call('GET', '', { model: 'user', changedBy: admin.id }, publisher)).status, 403)
  })
})

describe('the trash', () => {
  it('takes deleted documents out of everything at once, and gives them back as they were', async () => {
    const { id, etag } = await made('headline', publisher, { title: 'Deleted soon' })
    const count = async (): Promise<unknown> => (await call('GET', '', { model: 'headline', count: 'true' }, admin)).at('data.total')
    const before = await count()
    assert.equal((await call('DELETE', `/${id}`, { model: 'headline' }, publisher)).status, 204)
    assert.equal((await read('headline', id)).status, 404)
    assert.equal(await count(), Number(before) - 1)
    assert.deepEqual((await call('GET', '', { model: 'headline', filter: JSON.stringify({ q: 'Deleted soon' }) }, admin)).at('data.items'), [])
    const trash = await call('GET', '/trash', { model: 'headline', limit: 1 }, publisher)
    assert.deepEqual(trash.at('data.items.0.id'), id)
    assert.deepEqual(trash.at('data.items.0.actor'), { id: publisher.id, email: null, name: null })
    assert.equal(trash.at('data.items.0.document.title'), 'Deleted soon')
    const [deletedAt, erasedAt] = ['deletedAt', 'erasedAt'].map((name) => Date.parse(String(trash.at(`data.items.0.${name}`)))) as [number, number]
    assert.equal(erasedAt - deletedAt, 30 * 86_400_000)
    service.advance(1000)
    const restored = await call('POST', `/${id}/restore`, { model: 'headline' }, publisher, {})
    assert.equal(restored.status, 200, restored.text)
    assert.equal(restored.headers.get('etag'), etag)
    assert.equal((await read('headline', id)).headers.get('etag'), etag)
    assert.equal(await count(), before)
    assert.equal((await call('POST', `/${id}/restore`, { model: 'headline' }, publisher, {})).status, 404, 'it is not there any more')
    assert.deepEqual((await history('headline', id)).map(({ kind }) => kind), ['restored', 'deleted', 'created'])
  })

  it('keeps the history of its documents for those who see it, and attack: for no other caller', async () => {
    const { id } = await made('headline', publisher, { title: 'As it began' })
    await call('PATCH', `/${id}`, { model: 'headline' }, admin, { title: 'As it ended' })
    assert.equal((await call('DELETE', `/${id}`, { model: 'headline' }, publisher)).status, 204)
    const told = await call('GET', `/${id}/history`, { model: 'headline' }, publisher)
    const items = told.at('data.items') as readonly { readonly kind: string; readonly seq: number; readonly actor: object; readonly etag: string | null }[]
    assert.deepEqual(items.map(({ kind, actor }) => [kind, actor]), [
      ['deleted', { id: publisher.id, email: null, name: null }],
      ['updated', { id: admin.id, email: null, name: null }],
      ['created', { id: publisher.id, email: null, name: null }],
    ])
    const versions = await Promise.all(items.map(({ seq }) => call('GET', `/${id}/history/${seq}`, { model: 'headline' }, publisher)))
    assert.deepEqual(versions.map((one) => one.at('data.title')), [undefined, 'As it ended', 'As it began'])
    assert.deepEqual(versions.map(({ status }) => status), [404, 200, 200])
    assert.equal((await call('GET', `/${id}/history`, { model: 'headline' }, admin)).at('data.items.0.actor.id'), publisher.id)
    const paths = [`/${id}/history`, `/${id}/history/${items[1]?.seq}`, '/nowhere/history']
    for (const path of paths) {
      for (const [by, status] of [[standard, 403], [guest, 403], [{ token: 'none' }, 401]] as const) {
        assert.equal((await call('GET', path, { model: 'headline' }, by)).status, status, path)
      }
      assert.equal((await call('GET', path, { model: 'topic' }, admin)).status, 404, path)
      assert.equal((await call('GET', path, { model: 'topic' }, publisher)).status, 403, path)
    }
    const narrow = { name: 'deletes', role: 'publisher', models: ['headline'], methods: ['delete'] }
    const token = String((await service.call('POST', '/api/v1/admin/tokens', { token: admin.token, body: narrow })).at('data.token'))
    assert.equal((await call('GET', `/${id}/history`, { model: 'headline' }, { token })).status, 403)
    assert.equal((await call('DELETE', `/trash/${id}`, { model: 'headline' }, standard)).status, 403)
    assert.equal((await call('DELETE', `/trash/${id}`, { model: 'headline' }, publisher)).status, 204)
    for (const path of paths) assert.equal((await call('GET', path, { model: 'headline' }, admin)).status, 404, 'deleted for good')
    for (const [method, path] of [['DELETE', `/trash/${id}`], ['POST', `/${id}/restore`]] as const) {
      assert.equal((await call(method, path, { model: 'headline' }, admin, method === 'POST' ? {} : undefined)).status, 404)
    }
    const events = await service.call('GET', '/api/v1/admin/audit', { token: admin.token })
    assert.match(events.text, /document\.erased[^]*document\.restored/)
  })

  it('a batch takes documents out of it, all or nothing, and undoes changes with their former times', async () => {
    const { token } = await service.signIn(admin.email)
    const by = { token }
    const [a, b] = [await made('headline', by), await made('headline', by)]
    const ids = [a.id, b.id]
    service.advance(1000)
    const archived = await batch(ids.map((id) => ({ operation: 'patch', model: 'headline', id, body: { status: 'archived' } })), by)
    const etags = (archived.at('data.results') as unknown as { etag: string }[]).map(({ etag }) => etag)
    const undo = ids.map((id, i) => ({ operation: 'undo', model: 'headline', id, ifMatch: etags[i] }))
    const undone = await batch(undo, by)
    assert.equal(undone.status, 200, undone.text)
    for (const { id, etag, document } of [a, b]) {
      const now = await read('headline', id, by)
      assert.deepEqual([now.headers.get('etag'), now.at('data')], [etag, document])
    }
    assert.equal((await batch(undo, by)).status, 412, 'the change was undone before')
    for (const ifMatch of [undefined, '*']) {
      assert.equal((await batch([{ operation: 'undo', model: 'headline', id: a.id, ifMatch }], by)).status, 400, 'an undo names its change')
    }

    await batch(ids.map((id) => ({ operation: 'delete', model: 'headline', id })), by)
    const back = ids.map((id) => ({ operation: 'restore', model: 'headline', id }))
    const failed = await batch([...back, { operation: 'restore', model: 'headline', id: 'nowhere' }], by)
    assert.match(failed.text, /operations\[2\]: No headline with the id \\"nowhere\\" is in the trash/)
    assert.equal((await read('headline', a.id, by)).status, 404)
    assert.equal((await batch(back, by)).status, 200)
    assert.equal((await read('headline', a.id, by)).headers.get('etag'), a.etag)
    const reader = await newPerson(service, 'standard', token)
    assert.equal((await batch([{ operation: 'restore', model: 'headline', id: a.id, seq: 1 }], reader)).status, 403)
  })

  it('undoes nothing that the SQL of an operator has changed, and shows the rest of the history', async () => {
    const { id } = await made('headline', admin)
    const changed = await call('PATCH', `/${id}`, { model: 'headline' }, admin, { title: 'Changed' })
    const other = openDatabase(databaseOf(service))
    other.run(`UPDATE headline SET doc = json_set(doc, '$.title', 'By an operator') WHERE id = ?`, id)
    other.close()
    const etag = (await read('headline', id)).headers.get('etag')
    for (const ifMatch of [changed.headers.get('etag'), etag]) {
      const undone = await batch([{ operation: 'undo', model: 'headline', id, ifMatch }], admin)
      assert.equal(undone.status, 409, undone.text)
      assert.match(undone.text, /another program has changed it/)
    }
    assert.equal((await call('GET', `/${id}/history`, { model: 'headline' }, admin)).status, 200)
  })
})
