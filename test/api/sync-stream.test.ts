// also: executable threads
/** The streams of RxDB's clients: the documents and checkpoints of pulls, as events; who may open them, and how many. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { newPerson, type Person } from '../support/cast.ts'
import { openEvents, type EventReader } from '../support/service/event-reader.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, publisher, standard, guest, madeId: make, patch } = await startSite({ hideInactive: 'on' })

interface Pulled {
  readonly documents: readonly { readonly id: string; readonly _deleted: boolean; readonly title?: string }[]
  readonly checkpoint: { readonly id: string; readonly lwt: number }
}

const open = (t: TestContext, path: string, by?: Pick<Person, 'token'>): Promise<EventReader> =>
  openEvents(t, `${service.url}/api/v1/sync/${path}/pullStream`, by === undefined ? {} : { authorization: `Bearer ${by.token}` })
const nextOf = async (events: EventReader): Promise<Pulled> => (await events.next())[0]?.data as unknown as Pulled

async function pull(model: string, { id, lwt }: Pulled['checkpoint'], by: Person): Promise<Pulled> {
  const path = `/api/v1/sync/${model}/0/pull?lwt=${lwt}&id=${id}&limit=10`
  return (await service.call('GET', path, { token: by.token })).body as Pulled
}

describe('a stream of an offline client', () => {
  it('has what a pull gives, with a checkpoint behind which nothing is left', async (t) => {
    const [reader, editor] = [await open(t, 'headline/0', guest), await open(t, 'headline/0', publisher)]
    const id = await make('headline', { title: 'Published' })
    for (const [events, by] of [[reader, guest], [editor, publisher]] as const) {
      const { documents, checkpoint } = await nextOf(events)
      assert.deepEqual(documents.map((one) => [one.id, one.title, one._deleted]), [[id, 'Published', false]])
      assert.deepEqual((await pull('headline', checkpoint, by)).documents, [])
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
    assert.deepEqual((await pull('user_app_settings', checkpoint, standard)).documents, [])
    await patch('user_app_settings', admin.id, { displaySettings })
    assert.deepEqual((await nextOf(others)).documents.map(({ id }) => id), [admin.id])
  })

  it('ends where the rights of its user change, who then pulls a new copy', async (t) => {
    const person = await newPerson(service, 'standard', admin.token)
    const draft = await make('topic', { status: 'draft' })
    const before = await pull('topic', { id: '', lwt: 0 }, person)
    assert.equal(before.documents.some(({ id }) => id === draft), false)
    const events = await open(t, 'topic/0', person)
    await patch('user', person.id, { dashboardRole: 'publisher' })
    await make('topic')
    await events.ended
    const after = await pull('topic', before.checkpoint, person)
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
