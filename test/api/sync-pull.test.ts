// also: executable threads
/** Pulls of RxDB's clients: the first copy, what changed since, checkpoints that mean nothing any more, and the same as events. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { newPerson, type Person } from '../support/cast.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'
import { type EventReader, openEvents } from '../support/service/event-reader.ts'

const { service, admin, publisher, standard, guest, madeId: make, patch, remove, stored: read } = await startSite({ hideInactive: 'on' })
interface Checkpoint {
  readonly id: string
  readonly lwt: number
}
const START: Checkpoint = { id: '', lwt: 0 }

interface Pulled {
  readonly documents: readonly JsonObject[]
  readonly checkpoint: Checkpoint
}

const pullRaw = (path: string, query: string, by: Person | undefined = guest): Promise<ApiResponse> =>
  service.call('GET', `/api/v1/sync/${path}/pull?${query}`, { token: by?.token, isUndescribed: true })

async function pull(model: string, { id, lwt }: Checkpoint = START, { by = guest, limit = 100 } = {}): Promise<Pulled> {
  const response = await pullRaw(`${model}/0`, `lwt=${lwt}&id=${id}&limit=${limit}`, by)
  assert.equal(response.status, 200, response.text)
  return response.body as Pulled
}

/** As the client does it: until a page is short. */
async function pullAll(model: string, from: Checkpoint = START, { by = guest, limit = 2 } = {}) {
  const documents = new Map<string, JsonObject>()
  for (let checkpoint = from, pages = 1; ; pages++) {
    const page = await pull(model, checkpoint, { by, limit })
    for (const document of page.documents) documents.set(String(document['id']), document)
    // It keeps no checkpoint of an empty page.
    if (page.documents.length > 0) checkpoint = page.checkpoint
    if (page.documents.length < limit) return { documents, checkpoint, pages }
  }
}

describe('a pull', () => {
  it('copies all documents of a model page by page, in the order of ids, then has nothing more', async () => {
    for (let i = 0; i < 5; i++) await make('topic', { name: `Topic ${i}` })
    const { documents, checkpoint, pages } = await pullAll('topic')
    assert.deepEqual([documents.size, pages], [5, 3])
    assert.deepEqual([...documents.keys()], [...documents.keys()].sort())
    for (const [id, document] of documents) assert.deepEqual(document, { ...(await read('topic', id)), _deleted: false })
    assert.deepEqual((await pull('topic', checkpoint)).documents, [])
    // A page that is full is not the last one, even where nothing follows.
    assert.equal((await pullAll('topic', START, { limit: 5 })).pages, 2)
  })

  it('goes on with what changed: each document once as it is now, and tombstones', async () => {
    const [kept, gone] = [await make('topic'), await make('topic')]
    const { checkpoint } = await pullAll('topic')
    const made = await make('topic', { name: 'Made later' })
    for (const name of ['One', 'Two']) assert.equal((await patch('topic', kept, { name })).status, 200)
    assert.equal((await remove('topic', gone)).status, 204)
    const { documents } = await pull('topic', checkpoint)
    assert.deepEqual(
      documents.map((one) => [one['id'], one['name'], one['_deleted']]),
      [[made, 'Made later', false], [kept, 'Two', false], [gone, '-', true]],
    )
    // A client may require each member that the model has.
    assert.deepEqual(Object.keys(documents[2] as object), [...Object.keys((await read('topic', kept)) as object), '_deleted'])
  })

  it('sees what is written while the copy is under way', async () => {
    const ids = [await make('country'), await make('country'), await make('country')].sort()
    const first = await pull('country', START, { limit: 2 })
    await patch('country', String(ids[0]), { name: 'Renamed' })
    await remove('country', String(ids[2]))
    const { documents } = await pullAll('country', first.checkpoint)
    assert.equal(documents.get(String(ids[0]))?.['name'], 'Renamed')
    assert.equal(documents.get(String(ids[2]))?.['_deleted'], true)
  })
})

describe('a checkpoint', () => {
  it('of another history, of other rights or from before the log begins a new copy, with what is gone', async () => {
    const [kept, gone] = [await make('source'), await make('source')]
    const { checkpoint } = await pullAll('source')
    await remove('source', gone)
    const [history = ''] = checkpoint.id.split('.')
    for (const forged of [
      { ...checkpoint, id: 'f00d.r' },
      { ...checkpoint, id: `${history}.a` },
      { ...checkpoint, id: 'nonsense' },
      { ...checkpoint, id: `${history}.h.cx~~` },
      { ...checkpoint, id: encodeURIComponent("'; DROP TABLE source; --") },
    ]) {
      const { documents, checkpoint: next, pages } = await pullAll('source', forged, { limit: 1 })
      assert.deepEqual([documents.get(kept)?.['_deleted'], documents.get(gone)?.['_deleted']], [false, true], forged.id)
      assert.ok(pages > 2)
      assert.deepEqual((await pull('source', next)).documents, [])
    }
  })

  it('of a later seq than the newest gives nothing, until there is a later one', async () => {
    const { checkpoint } = await pullAll('language')
    const ahead = { ...checkpoint, lwt: checkpoint.lwt + 1_000_000 }
    assert.deepEqual((await pull('language', ahead)).documents, [])
  })
})

describe('who pulls', () => {
  it('gets the own settings and preferences, and those of no other user', async () => {
    for (const model of ['user_app_settings', 'user_content_preferences']) {
      for (const person of [guest, standard, admin]) {
        const { documents, checkpoint } = await pull(model, START, { by: person })
        assert.deepEqual(documents, [{ ...(await read(model, person.id)), _deleted: false }])
        assert.deepEqual((await pull(model, checkpoint, { by: person })).documents, [])
        // Another user's checkpoint gives the own document.
        const other = person === guest ? standard : guest
        assert.deepEqual((await pull(model, checkpoint, { by: other })).documents.map(({ id }) => id), [other.id])
      }
    }
  })

  it('and is not signed in, or asks for another model or version, is told so', async () => {
    const rows: [path: string, token: string | undefined, error: RegExp][] = [
      ['topic/0', undefined, /^unauthorized: /],
      ['topic/1', guest.token, /^upgradeRequired: Cannot sync version "1": expected 0: update the app/],
      ['user/0', admin.token, /^notFound: Cannot sync "user": expected one of headline, topic/],
      ['remote_config/0', admin.token, /^notFound: /],
      ['__proto__/0', admin.token, /^notFound: /],
    ]
    for (const [path, token, error] of rows) {
      const response = await service.call('GET', `/api/v1/sync/${path}/pull?lwt=0&id=&limit=5`, { token })
      assert.match(response.error, error, path)
    }
    assert.equal((await pullRaw('topic', 'lwt=0&id=&limit=5')).status, 404, 'RxDB names a version always')
  })
})

describe('drafts', () => {
  it('come to editors alone where lists hide them from readers, and leave no trace that were never published', async () => {
    const before = { reader: (await pullAll('headline')).checkpoint, editor: (await pullAll('headline', START, { by: publisher })).checkpoint }
    const [draft, withdrawn, published] = [await make('headline', { status: 'draft' }), await make('headline'), await make('headline', { status: 'draft' })]
    await patch('headline', withdrawn, { status: 'draft' })
    await patch('headline', published, { status: 'active' })
    const editor = await pull('headline', before.editor, { by: publisher })
    assert.deepEqual(editor.documents.map(({ id, _deleted }) => [id, _deleted]), [[draft, false], [withdrawn, false], [published, false]])
    for (const from of [before.reader, START, { id: 'f00d.h', lwt: 1 }, before.editor]) {
      const { documents } = await pullAll('headline', from)
      assert.equal(documents.has(draft), false, from.id)
      assert.equal(documents.get(published)?.['_deleted'], false)
      if (from.id !== '') assert.equal(documents.get(withdrawn)?.['_deleted'], true)
    }
    await remove('headline', draft)
    assert.deepEqual((await pullAll('headline', before.reader)).documents.has(draft), false)
  })
})
interface Streamed {
  readonly documents: readonly { readonly id: string; readonly _deleted: boolean; readonly title?: string }[]
  readonly checkpoint: { readonly id: string; readonly lwt: number }
}

const open = (t: TestContext, path: string, by?: Pick<Person, 'token'>): Promise<EventReader> =>
  openEvents(t, `${service.url}/api/v1/sync/${path}/pullStream`, by === undefined ? {} : { authorization: `Bearer ${by.token}` })
const nextOf = async (events: EventReader): Promise<Streamed> => (await events.next())[0]?.data as unknown as Streamed

async function pullBy(model: string, { id, lwt }: Streamed['checkpoint'], by: Person): Promise<Streamed> {
  const path = `/api/v1/sync/${model}/0/pull?lwt=${lwt}&id=${id}&limit=10`
  return (await service.call('GET', path, { token: by.token })).body as Streamed
}

describe('a stream of an offline client', () => {
  it('has what a pull gives, with a checkpoint behind which nothing is left', async (t) => {
    const [reader, editor] = [await open(t, 'headline/0', guest), await open(t, 'headline/0', publisher)]
    const id = await make('headline', { title: 'Published' })
    for (const [events, by] of [[reader, guest], [editor, publisher]] as const) {
      const { documents, checkpoint } = await nextOf(events)
      assert.deepEqual(documents.map((one) => [one.id, one.title, one._deleted]), [[id, 'Published', false]])
      assert.deepEqual((await pullBy('headline', checkpoint, by)).documents, [])
    }
    await patch('headline', id, { status: 'draft' })
    assert.deepEqual((await nextOf(reader)).documents.map(({ _deleted }) => _deleted), [true])
    assert.deepEqual((await nextOf(editor)).documents.map(({ _deleted }) => _deleted), [false])
    // A draft that was never published is no event for a reader.
    await make('headline', { status: 'draft' })
    const seen = await make('headline', { title: 'Seen' })
    assert.deepEqual((await nextOf(reader)).documents.map((one) => one.id), [seen])
  })

  it('of settings has those of its user alone', async (t) => {
    const [own, others] = [await open(t, 'user_app_settings/0', standard), await open(t, 'user_app_settings/0', admin)]
    const displaySettings = { baseTheme: 'dark' }
    await patch('user_app_settings', standard.id, { displaySettings }, standard)
    const { documents, checkpoint } = await nextOf(own)
    assert.deepEqual(documents.map(({ id }) => id), [standard.id])
    assert.deepEqual((await pullBy('user_app_settings', checkpoint, standard)).documents, [])
    await patch('user_app_settings', admin.id, { displaySettings })
    assert.deepEqual((await nextOf(others)).documents.map(({ id }) => id), [admin.id])
  })

  it('ends where the rights of its user change, who then pulls a new copy', async (t) => {
    const person = await newPerson(service, 'standard', admin.token)
    const draft = await make('topic', { status: 'draft' })
    const before = await pullBy('topic', { id: '', lwt: 0 }, person)
    assert.equal(before.documents.some(({ id }) => id === draft), false)
    const events = await open(t, 'topic/0', person)
    await patch('user', person.id, { dashboardRole: 'publisher' })
    await make('topic')
    await events.ended
    const after = await pullBy('topic', before.checkpoint, person)
    assert.ok(after.documents.some(({ id }) => id === draft))
  })

  it('is for users, for their models, and for at most 32 of each: more get 503, at which RxDB tries again', async (t) => {
    for (const [path, by, status] of [['topic/0', undefined, 401], ['user/0', admin, 404], ['topic/7', guest, 426]] as const) {
      assert.equal((await open(t, path, by)).status, status)
    }
    const person = await newPerson(service, 'guest', admin.token)
    const many = await Promise.all(Array.from({ length: 32 }, () => open(t, 'topic/0', person)))
    assert.deepEqual(new Set(many.map(({ status }) => status)), new Set([200]))
    const another = await open(t, 'topic/0', person)
    assert.deepEqual([another.status, another.response.headers['retry-after'] !== undefined], [503, true])
    assert.equal((await open(t, 'topic/0', guest)).status, 200)
  })
})
