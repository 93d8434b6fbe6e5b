// also: threads cluster
/** Pushes of RxDB's clients: rows with an assumed state, conflicts, and the checks of the requests that they stand for. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { type Person } from '../support/cast.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, publisher, guest, made } = await startSite()

interface Row {
  readonly assumedMasterState?: unknown
  readonly newDocumentState: unknown
}

const push = (model: string, rows: unknown, by: Person | undefined = publisher): Promise<ApiResponse> =>
  service.call('POST', `/api/v1/sync/${model}/0/push`, { token: by?.token, body: rows })

/** The conflicts that a push returned. */
async function pushed(rows: readonly Row[], { model = 'headline', by = publisher } = {}): Promise<readonly JsonObject[]> {
  service.advance(1000)
  const response = await push(model, rows, by)
  assert.equal(response.status, 200, response.text)
  return response.body as readonly JsonObject[]
}

const make = (model = 'headline', change: object = {}): Promise<JsonObject> => made(model, change)
const idOf = ({ id }: JsonObject): string => String(id)
async function read(id: string, model = 'headline'): Promise<JsonObject | undefined> {
  const response = await service.data('GET', `/${id}`, { model }, { token: admin.token })
  return response.status === 404 ? undefined : (response.at('data') as JsonObject)
}
const stateOf = (document: JsonObject, change: object = {}): object => ({ ...document, _deleted: false, ...change })
const rowOf = (document: JsonObject, change: object): Row => ({
  assumedMasterState: stateOf(document),
  newDocumentState: stateOf(document, change),
})

describe('a push', () => {
  it('creates, replaces and deletes documents, as their requests do', async () => {
    const [changed, deleted] = [await make(), await make()]
    const { id: _, ...body } = changed
    const rows = [
      { newDocumentState: { ...body, id: 'made-offline', title: 'Made', _deleted: false, _rev: '1-x', _meta: { lwt: 1 }, _attachments: {} } },
      rowOf(changed, { title: 'Changed' }),
      rowOf(deleted, { _deleted: true }),
    ]
    assert.deepEqual(await pushed(rows), [])
    const made = await read('made-offline')
    assert.deepEqual([made?.['title'], made?.['_rev'], made?.['_meta'], made?.['_deleted']], ['Made', undefined, undefined, undefined])
    assert.notEqual(made?.['createdAt'], changed['createdAt'])
    const after = await read(idOf(changed))
    assert.deepEqual({ ...after, updatedAt: '' }, { ...changed, title: 'Changed', updatedAt: '' })
    assert.notEqual(after?.['updatedAt'], changed['updatedAt'])
    assert.equal(await read(idOf(deleted)), undefined)
    const { items } = (await service.call('GET', '/api/v1/data?model=headline', { token: guest.token })).at('data') as { items: JsonObject[] }
    assert.ok(items.some(({ id }) => id === 'made-offline'))
  })

  it('that is repeated, since its response was lost, changes nothing', async () => {
    const [changed, deleted] = [await make(), await make()]
    const { id: _, ...body } = changed
    const rows = [
      { newDocumentState: { ...body, id: 'made-once', _deleted: false } },
      rowOf(changed, { title: 'Once' }),
      rowOf(deleted, { _deleted: true }),
    ]
    assert.deepEqual(await pushed(rows), [])
    const before = [await read('made-once'), await read(idOf(changed))]
    assert.deepEqual(await pushed(rows), [])
    assert.deepEqual([await read('made-once'), await read(idOf(changed))], before)
  })
})

describe('a conflict', () => {
  it('gives the stored document, writes nothing of its row, and writes the other rows', async () => {
    const mine = await make()
    await service.data('PATCH', `/${idOf(mine)}`, { model: 'headline' }, { token: admin.token, body: { title: 'Theirs' } })
    const stored = await read(idOf(mine))
    for (const change of [{ title: 'Mine' }, { _deleted: true }]) {
      const other = await make()
      assert.deepEqual(await pushed([rowOf(mine, change), rowOf(other, { title: 'Also' })]), [{ ...stored, _deleted: false }])
      assert.deepEqual(await read(idOf(mine)), stored)
      assert.equal((await read(idOf(other)))?.['title'], 'Also')
    }
    // Without an assumption, the client takes its document for a new one.
    assert.deepEqual(await pushed([{ newDocumentState: stateOf(mine, { title: 'New' }) }]), [{ ...stored, _deleted: false }])
    assert.deepEqual(await pushed([{ assumedMasterState: stateOf(mine, { _deleted: true }), newDocumentState: stateOf(mine) }]), [{ ...stored, _deleted: false }])
    // Both have made the same change.
    assert.deepEqual(await pushed([rowOf(mine, { title: 'Theirs' })]), [])
    assert.deepEqual(await read(idOf(mine)), stored)
  })

  it('with a deletion gives the document as deleted; one that is deleted already is no conflict', async () => {
    const gone = await make()
    await service.data('DELETE', `/${idOf(gone)}`, { model: 'headline' }, { token: admin.token })
    assert.deepEqual(await pushed([rowOf(gone, { title: 'Mine' })]), [{ ...gone, _deleted: true }])
    assert.deepEqual(await pushed([rowOf(gone, { _deleted: true })]), [])
    // A client that knows of the deletion makes it again, under the same id.
    assert.deepEqual(await pushed([{ assumedMasterState: stateOf(gone, { _deleted: true }), newDocumentState: stateOf(gone) }]), [])
    assert.equal((await read(idOf(gone)))?.['title'], gone['title'])
    const history = await service.data('GET', `/${idOf(gone)}/history`, { model: 'headline' }, { token: admin.token })
    assert.deepEqual((history.at('data.items') as JsonObject[]).map(({ kind }) => kind).slice(0, 2), ['updated', 'restored'])
  })

  it('is not what the server adds by itself: members with a default, and copies of references', async () => {
    const topic = await make('topic')
    const { id: _, status: __, ...body } = await make()
    const sent = { ...body, topic: { id: topic['id'] } }
    const row = { newDocumentState: { ...sent, id: 'by-reference', _deleted: false } }
    assert.deepEqual(await pushed([row]), [])
    assert.deepEqual((await read('by-reference'))?.['topic'], topic)
    const next = { assumedMasterState: { ...row.newDocumentState, status: 'active' }, newDocumentState: { ...row.newDocumentState, status: 'draft' } }
    assert.deepEqual(await pushed([next]), [])
    assert.equal((await read('by-reference'))?.['status'], 'draft')
  })
})

describe('a row that is rejected', () => {
  it('rejects the push with its index and the path in the document, and nothing is written', async () => {
    const good = await make()
    const { id: _, ...body } = good
    const rows: [row: unknown, error: RegExp][] = [
      [rowOf(await make(), { title: ' ' }), /^invalidInput: \[1\]\.newDocumentState\.title: expected a text that is not blank/],
      [{ newDocumentState: { ...body, id: 'a/b', _deleted: false } }, /^invalidInput: \[1\]: newDocumentState\.id: expected an id of at most 64 letters/],
      [{ newDocumentState: { ...body, id: 'query', _deleted: false } }, /^invalidInput: \[1\]: newDocumentState\.id: /],
      [{ newDocumentState: { ...body, _deleted: false } }, /^invalidInput: \[1\]: newDocumentState\.id: expected a string, found nothing/],
      [{ newDocumentState: { ...body, id: 'unknown-topic', topic: { id: 'x' }, _deleted: false } }, /^invalidInput: \[1\]\.newDocumentState\.topic: expected the id of a topic/],
      [{ newDocumentState: 7 }, /^invalidInput: \[1\]: newDocumentState: expected an object, found 7/],
      [{ newDocumentState: stateOf(good), assumedMasterState: [] }, /^invalidInput: \[1\]: assumedMasterState: expected an object or none, found an empty array/],
      [null, /^invalidInput: \[1\]: expected an object, found null/],
      [rowOf(good, { title: 'Twice' }), /^invalidInput: Cannot take two rows of one document/],
    ]
    for (const [row, error] of rows) {
      assert.match((await push('headline', [rowOf(good, { title: 'Not yet' }), row])).error, error)
      assert.deepEqual(await read(idOf(good)), good)
    }
    for (const body of [{}, '7', undefined]) assert.match((await push('headline', body)).error, /^invalidInput: Cannot read the request body/)
    assert.deepEqual(await pushed([]), [])
  })
})

// The headline could not leave the trash any more: there was one with its id again.
for (const [what, change] of [['headline', {}], ['incomplete draft', { status: 'draft', title: undefined }]] as const) {
  it(`attack: a push takes the id of a ${what} in the trash`, async () => {
    const { title: _, ...rest } = bodyOf('headline')
    const body = what === 'headline' ? { ...rest, title: 'x' } : { ...rest, ...change }
    const made = await service.data('POST', '', { model: 'headline' }, { token: admin.token, body, isUndescribed: true })
    const id = String(made.at('data.id'))
    const query = { model: 'headline', incomplete: 'true' }
    assert.equal((await service.data('DELETE', `/${id}`, query, { token: admin.token })).status, 204)
    const next = { ...rest, title: 'mine', id, _deleted: false }
    const rows = [{ newDocumentState: next }, ...(what === 'headline' ? [] : [{ newDocumentState: next, assumedMasterState: { ...next, _deleted: true } }])]
    for (const row of rows) assert.deepEqual((await pushed([row])).map(({ id: of, _deleted }) => [of, _deleted]), [[id, true]])
    assert.equal((await service.data('POST', `/${id}/restore`, query, { token: admin.token, isUndescribed: true })).status, 200)
  })
}
