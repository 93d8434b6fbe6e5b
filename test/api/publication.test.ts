// also: cache-off
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { HEADLINE, TOPIC } from '../../scripts/tools/data-bodies.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { systemStore } from '../../scripts/tools/stores.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, publisher, standard: reader } = await startSite()

const MINUTE_MS = 60_000
const inMinutes = (minutes: number): string => new Date(service.now() + minutes * MINUTE_MS).toISOString()
const { id: _, createdAt: _c, updatedAt: _u, ...BODY } = HEADLINE
const [PAST, LATER] = ['2026-03-01T11:00:00.000Z', '2030-01-01T00:00:00.000Z']
const DRAFT = { ...BODY, status: 'draft' }

const send = (method: string, id: unknown, body?: JsonObject, token = publisher.token): Promise<ApiResponse> =>
  service.data(method, id === '' ? '' : `/${String(id)}`, { model: 'headline' }, { token, body })

async function made(body: JsonObject): Promise<JsonObject> {
  const response = await send('POST', '', body)
  assert.equal(response.status, 201, response.text)
  return response.at('data') as JsonObject
}
async function changed(method: string, id: unknown, body: JsonObject): Promise<JsonObject> {
  const response = await send(method, id, body)
  assert.equal(response.status, 200, response.text)
  return response.at('data') as JsonObject
}
const found = async (id: unknown): Promise<JsonObject> => (await send('GET', id)).at('data') as JsonObject
const datesOf = ({ status, publishedAt, publishAt, unpublishAt }: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify({ status, publishedAt, publishAt, unpublishAt })) as JsonObject

describe('publishedAt', () => {
  it('is set by the first publishing, and stays', async () => {
    const first = inMinutes(0)
    const { id } = await made({ ...DRAFT })
    assert.deepEqual(datesOf(await found(id)), { status: 'draft' })
    assert.equal((await changed('PATCH', id, { status: 'active' }))['publishedAt'], first)
    service.advance(MINUTE_MS)
    await changed('PATCH', id, { status: 'draft' })
    assert.equal((await changed('PATCH', id, { status: 'active' }))['publishedAt'], first)
    assert.equal((await changed('PUT', id, { ...BODY, title: 'A client that does not know it' }))['publishedAt'], first)
  })

  it('is what its writer says, in UTC; null sets it to the present where it is published', async () => {
    const { id, publishedAt } = await made({ ...BODY, publishedAt: '2025-10-01T10:00:00+02:00' })
    assert.equal(publishedAt, '2025-10-01T08:00:00.000Z')
    assert.equal((await changed('PATCH', id, { publishedAt: null }))['publishedAt'], inMinutes(0))
    assert.deepEqual(datesOf(await changed('PATCH', id, { status: 'draft', publishedAt: null })), { status: 'draft' })
    assert.match((await send('PATCH', id, { publishedAt: 'soon' })).error, /^invalidInput: publishedAt: /)
  })

  it('sorts lists, what was never published last', async () => {
    const all: unknown[] = []
    for (const day of ['03', '01', '02', '02']) {
      all.push((await made({ ...BODY, title: 'sorted', publishedAt: `2024-01-${day}T00:00:00.000Z` }))['id'])
    }
    for (let i = 0; i < 3; i++) all.push((await made({ ...DRAFT, title: 'sorted' }))['id'])
    const [third, first, second, equal, ...drafts] = all
    const sorted = async (sort: string): Promise<readonly unknown[]> => {
      const page = await service.data('GET', '', { model: 'headline', sort, filter: { title: 'sorted' } }, { token: reader.token })
      return (page.at('data.items') as readonly JsonObject[]).map(({ id }) => id)
    }
    assert.deepEqual(await sorted('publishedAt:desc'), [third, second, equal, first, ...drafts])
    assert.deepEqual(await sorted('publishedAt:asc'), [...drafts, first, second, equal, third])
  })
})

describe('the schedule', { skip: ONLY_HERE }, () => {
  const carriedOut = (): Promise<void> => service.app.schedule.run()

  it('publishes and archives at the time, once, whatever the clock does', async () => {
    const [publishAt, unpublishAt] = [inMinutes(10), inMinutes(20)]
    const { id } = await made({ ...DRAFT, publishAt, unpublishAt })
    await carriedOut()
    assert.deepEqual(datesOf(await found(id)), { status: 'draft', publishAt, unpublishAt })
    service.advance(10 * MINUTE_MS)
    await carriedOut()
    assert.deepEqual(datesOf(await found(id)), { status: 'active', publishedAt: publishAt, unpublishAt })
    for (const jump of [-3 * 60 * MINUTE_MS, 4 * 60 * MINUTE_MS]) {
      service.advance(jump)
      await carriedOut()
    }
    assert.deepEqual(datesOf(await found(id)), { status: 'archived', publishedAt: publishAt })
    const history = await service.call('GET', `/api/v1/data/${String(id)}/history?model=headline`, { token: admin.token })
    const kinds = (history.at('data.items') as readonly { kind: string; actor: { id: string } }[]).map(({ kind, actor }) => `${kind} ${actor.id}`)
    assert.deepEqual(kinds, ['updated service', 'updated service', `created ${publisher.id}`])
    const audit = await service.call('GET', `/api/v1/admin/audit?filter=${encodeURIComponent(JSON.stringify({ documentId: id, role: 'service' }))}`, { token: admin.token })
    const scheduled = (audit.at('data.items') as readonly JsonObject[]).map(({ details }) => JSON.stringify(details)).sort()
    assert.deepEqual(scheduled, ['[{"name":"scheduled","value":"publishAt"}]', '[{"name":"scheduled","value":"unpublishAt"}]'])
  })

  it('does what was missed in one commit, in order', async () => {
    const { id } = await made({ ...DRAFT, publishAt: inMinutes(1), unpublishAt: inMinutes(2) })
    service.advance(60 * MINUTE_MS)
    const late = inMinutes(0)
    await carriedOut()
    assert.deepEqual(datesOf(await found(id)), { status: 'archived', publishedAt: late })
  })

  it('keeps the times in a replacement by a client that does not know them, and null takes them away', async () => {
    const publishAt = inMinutes(30)
    const { id } = await made({ ...DRAFT, publishAt })
    assert.equal((await changed('PUT', id, { ...DRAFT, title: 'Typo put right' }))['publishAt'], publishAt)
    assert.equal('publishAt' in (await changed('PUT', id, { ...DRAFT, publishAt: null })), false)
  })

  it('says what could not be published, until it is deleted or has another time', async () => {
    const store = systemStore(service.app.services.store)
    const { concerns } = service.app.schedule
    const ids = await Promise.all([1, 2].map(async () => String((await made({ ...DRAFT, publishAt: inMinutes(1) }))['id'])))
    for (const id of ids) await store.update(headline, id, ({ excerpt: _, ...rest }) => rest)
    service.advance(2 * MINUTE_MS)
    await carriedOut()
    assert.match(concerns().map(({ message }) => message).join(), /was not published at its time, and 1 more: excerpt: /)
    assert.equal((await send('DELETE', ids[0])).status, 204)
    await carriedOut()
    assert.match(concerns().map(({ message }) => message).join(), /was not published at its time: excerpt: /)
    await store.update(headline, String(ids[1]), (stored) => ({ ...stored, publishAt: inMinutes(60) }))
    await carriedOut()
    assert.deepEqual(concerns(), [])
    assert.equal((await send('DELETE', ids[1])).status, 204)
  })

  it('does not publish what comes out of the trash after its time', async () => {
    const { id } = await made({ ...DRAFT, publishAt: inMinutes(5) })
    assert.equal((await send('DELETE', id)).status, 204)
    service.advance(10 * MINUTE_MS)
    const response = await service.call('POST', `/api/v1/data/${String(id)}/restore?model=headline`, { token: publisher.token })
    assert.equal(response.status, 200, response.text)
    await carriedOut()
    assert.deepEqual(datesOf(await found(id)), { status: 'draft' })
  })

  const undo = (id: unknown, etag: string): Promise<ApiResponse> => {
    const operations = [{ operation: 'undo', model: 'headline', id, ifMatch: etag }]
    return service.call('POST', '/api/v1/data/batch', { token: publisher.token, body: { operations } })
  }

  it('goes with an undo of the change that set it, and with an earlier version, as publishedAt of a first publishing does', async () => {
    const { id } = await made({ ...DRAFT })
    const scheduled = await send('PATCH', id, { publishAt: inMinutes(5), unpublishAt: inMinutes(9) })
    assert.equal((await undo(id, scheduled.headers.get('etag') ?? '')).status, 200)
    assert.deepEqual(datesOf(await found(id)), { status: 'draft' })
    const published = await send('PATCH', id, { status: 'active' })
    assert.equal((await undo(id, published.headers.get('etag') ?? '')).status, 200)
    assert.deepEqual(datesOf(await found(id)), { status: 'draft' })
    const history = await service.call('GET', `/api/v1/data/${String(id)}/history?model=headline`, { token: publisher.token })
    const created = (history.at('data.items') as readonly JsonObject[]).at(-1)
    await changed('PATCH', id, { publishAt: inMinutes(5) })
    const restored = await service.call('POST', `/api/v1/data/${String(id)}/restore?model=headline&seq=${String(created?.['seq'])}`, { token: publisher.token })
    assert.equal(restored.status, 200, restored.text)
    service.advance(10 * MINUTE_MS)
    await carriedOut()
    assert.deepEqual(datesOf(await found(id)), { status: 'draft' })
    const first = inMinutes(0)
    assert.equal((await changed('PATCH', id, { status: 'active' }))['publishedAt'], first)
  })

  const wrong: readonly (readonly [name: string, body: JsonObject, message: RegExp])[] = [
    ['a time that is past', { ...DRAFT, publishAt: PAST }, /^invalidInput: publishAt: expected a time after /],
    ['what is published already', { ...BODY, publishAt: LATER }, /^invalidInput: publishAt: expected none unless status is draft/],
    ['an end that is past', { ...BODY, unpublishAt: PAST }, /^invalidInput: unpublishAt: expected a time after /],
    ['an end before the start', { ...DRAFT, publishAt: LATER, unpublishAt: LATER }, /^invalidInput: unpublishAt: expected a time after publishAt/],
    ['an end of an archived one', { ...BODY, status: 'archived', unpublishAt: LATER }, /^invalidInput: unpublishAt: expected none where/],
    ['no time', { ...DRAFT, publishAt: 'tomorrow' }, /^invalidInput: publishAt: expected an ISO 8601 date/],
  ]
  for (const [name, body, message] of wrong) {
    it(`refuses ${name}`, async () => assert.match((await send('POST', '', body)).error, message))
  }

  it('lets no reader write the times, and reads none of another model', async () => {
    const { id } = await made({ ...DRAFT })
    assert.equal((await send('PATCH', id, { publishAt: inMinutes(5) }, reader.token)).status, 403)
    const topic = await service.data('POST', '', { model: 'topic' }, { token: admin.token, body: { ...TOPIC, status: 'draft', publishAt: inMinutes(1) } })
    assert.equal(topic.at('data.publishAt'), inMinutes(1))
    service.advance(2 * MINUTE_MS)
    await carriedOut()
    const stored = await service.data('GET', `/${String(topic.at('data.id'))}`, { model: 'topic' }, { token: admin.token })
    assert.equal(stored.at('data.status'), 'draft')
  })
})

describe('with review on', () => {
  const NEEDS = /^forbidden: .*review is on/
  const set = (review: string | null): Promise<ApiResponse> =>
    service.call('PATCH', '/api/v1/admin/settings', { token: admin.token, body: { review } })
  const handedIn = (id: unknown, value: string | null = LATER): Promise<ApiResponse> => send('PATCH', id, { handedInAt: value })
  const queue = (token: string | undefined = admin.token): Promise<ApiResponse> => service.call('GET', '/api/v1/reviews', { token })
  const giveBack = (id: unknown, body: object, token: string | undefined = admin.token, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    service.call('POST', `/api/v1/data/${String(id)}/return?model=headline`, { token, body, headers })
  const reviewOf = (id: unknown, token: string | undefined = publisher.token): Promise<ApiResponse> =>
    service.call('GET', `/api/v1/data/${String(id)}/review?model=headline`, { token })
  const post = (path: string, body: unknown): Promise<ApiResponse> => service.call('POST', `/api/v1${path}`, { token: publisher.token, body })
  const itemOf = async (id: unknown): Promise<JsonObject | undefined> =>
    ((await queue()).at('data.items') as readonly JsonObject[]).find((one) => one['id'] === id)

  it('attack: no way of a publisher publishes, nor changes or takes away what readers see', async () => {
    const { id: published } = await made({ ...BODY, title: 'Seen by readers' })
    const { id: again } = await made({ ...BODY })
    const { id: archived } = await made({ ...BODY })
    await changed('PATCH', archived, { status: 'archived' })
    const { id: trashed } = await made({ ...BODY, title: 'Deleted while published' })
    await send('DELETE', trashed)
    const history = await service.call('GET', `/api/v1/data/${String(archived)}/history?model=headline`, { token: publisher.token })
    const [last, first] = history.at('data.items') as readonly JsonObject[]
    const { id: draft } = await made({ ...DRAFT })
    const stored = await found(draft)
    assert.equal((await set('on')).status, 200)
    const model = 'headline'
    const attempts: readonly (readonly [string, () => Promise<ApiResponse>])[] = [
      ['create', () => send('POST', '', BODY)],
      ['create without a status', () => send('POST', '', { ...BODY, status: undefined } as unknown as JsonObject)],
      ['create at a time', () => send('POST', '', { ...DRAFT, publishAt: inMinutes(5) })],
      ['replace', () => send('PUT', draft, { ...BODY, status: 'active' })],
      ['patch', () => send('PATCH', draft, { status: 'active' })],
      ['patch with a hand-in', () => send('PATCH', draft, { status: 'active', handedInAt: LATER })],
      ['patch with a time', () => send('PATCH', draft, { publishAt: inMinutes(5) })],
      ['batch', () => post('/data/batch', { operations: [{ operation: 'patch', model, id: draft, body: { status: 'active' } }] })],
      ['batch that creates', () => post('/data/batch', { operations: [{ operation: 'create', model, body: BODY }] })],
      ['batch that deletes', () => post('/data/batch', { operations: [{ operation: 'delete', model, id: published }] })],
      ['push', () => post('/sync/headline/0/push', [{ newDocumentState: { ...stored, status: 'active', _deleted: false }, assumedMasterState: stored }])],
      ['restore out of the trash', () => post(`/data/${String(trashed)}/restore?model=headline`, {})],
      ['delete for good what an administrator may put back', () => send('DELETE', `trash/${String(trashed)}`)],
      ['restore of a version', () => post(`/data/${String(archived)}/restore?model=headline&seq=${String(first?.['seq'])}`, {})],
      ['undo', () => post('/data/batch', { operations: [{ operation: 'undo', model, id: archived, ifMatch: String(last?.['etag']) }] })],
      ['change of a published one', () => send('PATCH', published, { title: 'Unseen' })],
      ['archive', () => send('PATCH', again, { status: 'archived' })],
      ['delete', () => send('DELETE', published)],
      ['create as archived', () => send('POST', '', { ...BODY, status: 'archived' })],
      ['archive a draft, whose copies readers may have saved', () => send('PATCH', draft, { status: 'archived', title: 'Unseen' })],
      ['change of an archived one, which its copies follow', () => send('PATCH', archived, { title: 'Unseen' })],
      ['other copies for those of an archived one', () => service.data('DELETE', `/${String(archived)}`, { model, replaceBy: String(published) }, { token: publisher.token })],
      ['the same in a batch', () => post('/data/batch', { operations: [{ operation: 'delete', model, id: draft, replaceBy: published }] })],
    ]
    for (const [name, attempt] of attempts) {
      const response = await attempt()
      assert.ok(response.status === 403 && NEEDS.test(response.error.replace(/operations\[0\]\.?(?:body\.)?|\[0\]\.?(?:newDocumentState\.?)?/g, '')), `${name}: ${response.text}`)
    }
    assert.equal((await found(draft))['status'], 'draft')
    assert.equal((await found(published))['title'], 'Seen by readers')
    assert.equal((await send('DELETE', archived)).status, 204)
    assert.equal((await post(`/data/${String(archived)}/restore?model=headline`, {})).at('data.status'), 'archived', 'it comes back as it was')
    assert.equal((await changed('PATCH', archived, { status: 'draft', title: 'Second edition' }))['status'], 'draft')
    const imported = await post('/admin/import', { model, format: 'ndjson', rows: JSON.stringify(BODY) })
    assert.equal(imported.status, 403)
    const check = await service.data('POST', '/check', { model, id: draft }, { token: publisher.token, body: { ...BODY, status: 'active' } })
    assert.deepEqual((check.at('data.problems') as readonly JsonObject[]).map(({ code, path }) => [code, path]), [['needsReview', 'status']])
    assert.equal((await send('PATCH', draft, { status: 'active' }, admin.token)).status, 200, 'an administrator publishes')
  })

  it('a draft is handed in at the time of the server, waits in the queue, and leaves it when it is published', async () => {
    const { id } = await made({ ...DRAFT, title: 'Ready' })
    const response = await handedIn(id)
    assert.equal(response.at('data.handedInAt'), inMinutes(0))
    assert.equal(response.at('data.status'), 'draft')
    service.advance(MINUTE_MS)
    assert.equal((await handedIn(id)).at('data.handedInAt'), inMinutes(-1), 'it keeps its place')
    const item = await itemOf(id)
    assert.deepEqual([item?.['title'], item?.['by'], item?.['publishedSeq'], item?.['note']], ['Ready', { id: publisher.id, email: publisher.email, name: null }, null, null])
    assert.equal((await handedIn(id, null)).at('data.handedInAt'), undefined)
    assert.equal(await itemOf(id), undefined)
    await handedIn(id)
    assert.equal((await changed('PUT', id, { ...DRAFT, title: 'Ready now' }))['handedInAt'], inMinutes(0), 'a client that does not know it')
    const { etag } = (await itemOf(id)) as { etag: string }
    const published = await service.data('PATCH', `/${String(id)}`, { model: 'headline' }, { token: admin.token, body: { status: 'active' }, headers: { 'if-match': etag } })
    assert.equal(published.status, 200, published.text)
    assert.equal(published.at('data.handedInAt'), undefined)
    assert.equal(await itemOf(id), undefined)
  })

  it('attack: a change behind the look of the administrator is not published with it', async () => {
    const { id } = await made({ ...DRAFT, title: 'As it was seen' })
    await handedIn(id)
    const { etag } = (await itemOf(id)) as { etag: string }
    await changed('PATCH', id, { title: 'Slipped in' })
    const headers = { 'if-match': etag }
    const publish = await service.data('PATCH', `/${String(id)}`, { model: 'headline' }, { token: admin.token, body: { status: 'active' }, headers })
    assert.equal(publish.status, 412)
    assert.equal((await giveBack(id, { note: 'Not this' }, admin.token, headers)).status, 412)
    assert.equal((await found(id))['status'], 'draft')
  })

  it('goes back with a note that editors read, and is found with it when it is handed in again', async () => {
    const { id } = await made({ ...BODY, status: 'draft', title: 'Half done' })
    await handedIn(id)
    const back = await giveBack(id, { note: '  Name the source  ' })
    assert.equal(back.status, 200, back.text)
    assert.equal(back.at('data.handedInAt'), undefined)
    assert.deepEqual((await reviewOf(id)).at('data'), { isOn: true, note: { text: 'Name the source', at: inMinutes(0) } })
    assert.equal((await giveBack(id, { note: 'Once more' })).status, 409)
    const returnedTo = async (token: string | undefined): Promise<unknown> => (await queue(token)).at('data.returned')
    assert.deepEqual(await returnedTo(publisher.token), [{ model: 'headline', id, title: 'Half done', at: inMinutes(0) }])
    assert.deepEqual(await returnedTo(admin.token), [], 'it is told to the one who handed it in')
    await handedIn(id)
    assert.deepEqual(await returnedTo(publisher.token), [])
    assert.equal(((await itemOf(id))?.['note'] as JsonObject)['text'], 'Name the source')
    for (const note of ['', ' ', 'x'.repeat(2_001), 7, 'a\0b']) assert.equal((await giveBack(id, { note })).status, 400)
    const filter = encodeURIComponent(JSON.stringify({ event: 'document.returned', documentId: id }))
    const trail = await service.call('GET', `/api/v1/admin/audit?filter=${filter}`, { token: admin.token })
    assert.deepEqual(trail.at('data.items[0].details'), [{ name: 'note', value: 'Name the source' }])
  })

  it('tells what was published last of a draft that was published before', async () => {
    const { id } = (await send('POST', '', { ...BODY, title: 'First edition' }, admin.token)).at('data') as JsonObject
    await send('PATCH', id, { status: 'draft' }, admin.token)
    await changed('PATCH', id, { title: 'Second edition' })
    await handedIn(id)
    const seq = (await itemOf(id))?.['publishedSeq']
    const version = await service.call('GET', `/api/v1/data/${String(id)}/history/${String(seq)}?model=headline`, { token: admin.token })
    assert.equal(version.at('data.title'), 'First edition')
  })

  it('an incomplete draft is not handed in, and a scheduled one is not changed unseen', async () => {
    const body = { title: 'Only a title', status: 'draft' }
    const incomplete = await service.data('POST', '', { model: 'headline' }, { token: publisher.token, body, isUndescribed: true })
    const query = { model: 'headline', incomplete: true }
    const early = await service.data('PATCH', `/${String(incomplete.at('data.id'))}`, query, { token: publisher.token, body: { handedInAt: LATER } })
    assert.match(early.error, /^invalidInput: handedInAt: /)
    const { id } = await made({ ...DRAFT })
    assert.equal((await send('PATCH', id, { publishAt: inMinutes(5) }, admin.token)).status, 200)
    assert.match((await send('PATCH', id, { title: 'Unseen' })).error, NEEDS)
    assert.equal((await send('PATCH', id, { title: 'Seen later', publishAt: null })).status, 200)
  })

  it('attack: what a publisher has scheduled before is handed in at its time', { skip: ONLY_HERE }, async () => {
    await set('off')
    const publishAt = inMinutes(5)
    const { id } = await made({ ...DRAFT, publishAt, title: 'Ahead of review' })
    const { id: seen } = await made({ ...DRAFT, publishAt, title: 'Seen by an administrator' })
    const { id: returned } = await made({ ...DRAFT, publishAt, handedInAt: LATER })
    const asPublisher = await service.call('POST', '/api/v1/admin/tokens', { token: admin.token, body: { name: 'schedule', role: 'publisher' } })
    const { id: byToken } = await made({ ...DRAFT, title: 'By a token that is narrowed to a publisher' })
    const token = String(asPublisher.at('data.token'))
    // Of many records, the one of the last version decides.
    for (let n = 0; n < 21; n++) assert.equal((await send('PATCH', byToken, { excerpt: `Draft ${n}.` }, token)).status, 200)
    assert.equal((await send('PATCH', byToken, { publishAt }, token)).status, 200)
    const { id: ownTime } = await made({ ...DRAFT })
    assert.equal((await send('PATCH', ownTime, { publishAt }, admin.token)).status, 200)
    await set('on')
    await send('PATCH', seen, { excerpt: 'Read twice.' }, admin.token)
    assert.equal((await giveBack(returned, { note: 'Not at all' })).at('data.publishAt'), undefined)
    service.advance(6 * MINUTE_MS)
    await service.app.schedule.run()
    assert.deepEqual(datesOf(await found(id)), { status: 'draft' })
    assert.deepEqual((await itemOf(id))?.['by'], { id: 'service', email: null, name: null })
    for (const one of [seen, ownTime]) assert.equal((await found(one))['status'], 'active')
    assert.equal((await found(byToken))['status'], 'draft')
    assert.equal((await found(returned))['status'], 'draft')
  })

  it('attack: readers, guests and strangers see no queue and no note, and publishers give nothing back', async () => {
    const { id } = await made({ ...DRAFT })
    await handedIn(id)
    await giveBack(id, { note: 'Between us' })
    await handedIn(id)
    const guest = await service.guest()
    for (const token of [reader.token, guest.token]) {
      assert.equal((await queue(token)).status, 403)
      assert.equal((await reviewOf(id, token)).status, 403)
      assert.equal((await handedIn(id)).status, 200)
      assert.equal((await send('PATCH', id, { handedInAt: null }, token)).status, 403)
      assert.ok(!(await send('GET', id, undefined, token)).text.includes('Between us'))
    }
    assert.equal((await service.call('GET', '/api/v1/reviews')).status, 401)
    assert.equal((await service.call('GET', `/api/v1/data/${String(id)}/review?model=headline`)).status, 401)
    for (const token of [publisher.token, reader.token, guest.token]) assert.equal((await giveBack(id, { note: 'x' }, token)).status, 403)
    assert.equal((await queue(publisher.token)).status, 200)
    assert.ok(!(await queue(publisher.token)).text.includes('@'), 'e-mail addresses are for administrators')
    assert.equal((await service.call('GET', `/api/v1/data/${String(id)}/review?model=topic`, { token: admin.token })).status, 400)
  })

  it('ends with the setting', async () => {
    assert.equal((await set(null)).status, 200)
    const { id } = await made({ ...BODY })
    assert.equal((await changed('PATCH', id, { title: 'Changed at once' }))['title'], 'Changed at once')
    assert.equal((await queue()).at('data.isOn'), false)
    assert.equal((await send('DELETE', id)).status, 204)
  })
})
