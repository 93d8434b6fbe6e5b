// also: threads
/** Changes as server-sent events: what arrives, from where a stream goes on, and when it ends. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { newCast, newPerson, type Person } from '../support/cast.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { openEvents, type EventReader } from '../support/service/event-reader.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, standard, madeId, patch } = await startSite({ hideInactive: 'on' })

type Query = Readonly<Record<string, string>>

function streamUrl({ url }: TestService, query: Query): string {
  return `${url}/api/v1/changes/stream?${new URLSearchParams(query).toString()}`
}
const bearer = ({ token }: Pick<Person, 'token'>) => ({ authorization: `Bearer ${token}` })
const open = (t: TestContext, by: Pick<Person, 'token'>, query: Query = { models: 'topic' }, headers: Query = {}): Promise<EventReader> =>
  openEvents(t, streamUrl(service, query), { ...bearer(by), ...headers })

const make = (model = 'topic', changed: object = {}): Promise<string> => madeId(model, changed)

async function ticketOf(by: Pick<Person, 'token'>): Promise<string> {
  const response = await service.call('POST', '/api/v1/changes/ticket', { token: by.token })
  assert.equal(response.status, 201, response.text)
  return String(response.at('data.ticket'))
}

describe('a stream of changes', () => {
  it('tells what is created, changed and deleted from now on', async (t) => {
    await make()
    const events = await open(t, standard)
    const { headers } = events.response
    assert.deepEqual(
      [events.status, headers['content-type'], headers['x-accel-buffering'], headers['cache-control'], headers['content-length']],
      [200, 'text/event-stream; charset=utf-8', 'no', 'no-store', undefined],
    )
    const id = await make()
    const [created] = await events.next()
    assert.deepEqual([created?.event, created?.data['id'], created?.data['deleted']], ['message', id, false])
    assert.equal(events.retry(), 2_000)
    await patch('topic', id, { name: 'Line\nbreak' })
    const [changed] = await events.next()
    assert.equal((changed?.data['document'] as { name: string }).name, 'Line\nbreak')
    assert.equal(String(changed?.id.split('.')[0]), String(changed?.data['seq']))
    await service.data('DELETE', `/${id}`, { model: 'topic' }, { token: admin.token })
    const [deleted] = await events.next()
    assert.deepEqual([deleted?.data['id'], deleted?.data['deleted'], deleted?.data['document']], [id, true, undefined])
  })

  it('goes on behind the last event of before, by header or parameter', async (t) => {
    const first = await open(t, standard)
    await make()
    const [seen] = await first.next()
    first.close()
    const missed = [await make(), await make()]
    for (const [query, headers] of [
      [{ models: 'topic' }, { 'last-event-id': seen?.id ?? '' }],
      [{ models: 'topic', since: seen?.id ?? '' }, {}],
      // A reader of the standard sends the URL of its first connection again.
      [{ models: 'topic', since: 'now' }, { 'last-event-id': seen?.id ?? '' }],
    ] as const) {
      const again = await open(t, standard, query, headers)
      assert.deepEqual((await again.next(2)).map(({ data }) => data['id']), missed)
      again.close()
    }
  })

  it('says resync where it cannot go on, and goes on from there', async (t) => {
    const events = await open(t, standard, { models: 'topic', since: '1.r.0000' })
    const [resync] = await events.next()
    assert.equal(resync?.event, 'resync')
    assert.equal(resync?.data['next'], resync?.id)
    const id = await make()
    assert.equal((await events.next())[0]?.data['id'], id)
  })

  it('ends at sign-out, and when the account is deleted', async (t) => {
    for (const [method, path] of [['POST', '/api/v1/auth/sign-out'], ['DELETE', '/api/v1/auth/delete-account']] as const) {
      const person = await newPerson(service, 'standard', admin.token)
      const [own, ticketed] = [await open(t, person), await openEvents(t, streamUrl(service, { models: 'topic', ticket: await ticketOf(person) }))]
      assert.equal((await service.call(method, path, { token: person.token })).status, 204)
      await make()
      await Promise.all([own.ended, ticketed.ended])
      assert.deepEqual([own.waiting(), ticketed.waiting()], [[], []], 'nothing comes behind the end of the session')
    }
  })

  it('follows a change of roles from the next event on', async (t) => {
    const person = await newPerson(service, 'standard', admin.token)
    const events = await open(t, person)
    await patch('user', person.id, { dashboardRole: 'publisher' })
    const draft = await make('topic', { status: 'draft' })
    const [resync, next] = await events.next(2)
    assert.equal(resync?.event, 'resync')
    assert.equal(next?.data['id'], draft)
    await patch('user', person.id, { dashboardRole: 'none' })
    await make('topic', { status: 'draft' })
    const shown = await make()
    const [again, last] = await events.next(2)
    assert.deepEqual([again?.event, last?.data['id']], ['resync', shown])
  })

  it('ends with a shutdown, which names the time to come again', async (t) => {
    const own = await startService(t)
    const { admin: by } = await newCast(own)
    const events = await openEvents(t, streamUrl(own, { models: 'topic' }), bearer(by))
    const waiting = own.call('GET', '/api/v1/changes?models=topic&since=now&wait=50', { token: by.token })
    await own.data('POST', '', { model: 'headline' }, { token: by.token, body: bodyOf('headline') })
    await own.stop()
    await events.ended
    assert.equal(events.retry(), 2_000)
    assert.equal((await waiting).status, 200)
  })
})

describe('a ticket', () => {
  it('that is refused with 429 opens a stream as soon as another one is closed', async (t) => {
    const email = 'eight-streams@example.org'
    const [person, elsewhere] = [await service.signIn(email), await service.signIn(email)]
    const [eighth] = [await open(t, elsewhere), await Promise.all(Array.from({ length: 7 }, () => open(t, person)))]
    const ticket = await ticketOf(person)
    assert.equal((await openEvents(t, streamUrl(service, { models: 'topic', ticket }))).status, 429)
    assert.equal((await service.call('POST', '/api/v1/auth/sign-out', { token: elsewhere.token })).status, 204)
    await make()
    await eighth.ended
    assert.equal((await openEvents(t, streamUrl(service, { models: 'topic', ticket }))).status, 200)
  })

  it('is valid for a minute', async (t) => {
    const [early, late] = [await ticketOf(standard), await ticketOf(standard)]
    service.advance(59_999)
    const events = await openEvents(t, streamUrl(service, { models: 'topic', ticket: early }))
    assert.equal(events.status, 200)
    service.advance(1)
    assert.equal((await openEvents(t, streamUrl(service, { models: 'topic', ticket: late }))).status, 401)
  })
})

describe('who edits what', () => {
  const edit = (t: TestContext, by: Pick<Person, 'token'>, editing: string): Promise<EventReader> => open(t, by, { models: 'headline', editing })

  // How long it is told is tested in content/changes/change-streams.
  it('is told to those who edit the same, and not to others', async (t) => {
    const seen = async (events: EventReader): Promise<readonly (readonly string[])[]> => {
      const [found] = await events.next()
      assert.equal(found?.event, 'presence')
      return (found?.data['items'] as readonly { people: readonly string[] }[]).map(({ people }) => people)
    }
    const publisher = await newPerson(service, 'publisher', admin.token)
    const other = await open(t, admin, { models: 'headline' })
    const first = await edit(t, publisher, 'headline:a1,headline:b2')
    assert.deepEqual(await seen(first), [[], []])
    const second = await edit(t, admin, 'headline:b2')
    assert.deepEqual(await seen(second), [[publisher.id]])
    assert.equal((await open(t, admin, { models: 'headline', since: first.lastId() })).status, 200, 'its id is a place to go on from')
    assert.deepEqual(other.waiting(), [])
    second.close()
    // The service notices that some time later. Each stream is told at its beginning.
    for (let isThere = true; isThere;) {
      const again = await edit(t, publisher, 'headline:b2')
      isThere = (await seen(again))[0]?.length !== 0
      again.close()
    }
  })

  // Attack: a reader learns what is being written, or says that an editor is where none is.
  it('is nothing for readers, and for publishers of what they may not write', async (t) => {
    const publisher = await newPerson(service, 'publisher', admin.token)
    for (const [by, editing, status] of [
      [standard, 'headline:a1', 403],
      [publisher, 'topic:a1', 403],
      [publisher, 'headline:', 400],
      [publisher, 'headline:a1,', 400],
      [publisher, 'secrets:a1', 400],
      [publisher, 'headline:a/b', 400],
      [publisher, `headline:${'x'.repeat(101)}`, 400],
      [publisher, Array.from({ length: 9 }, (_, i) => `headline:a${i}`).join(), 400],
    ] as const) {
      const refused = await edit(t, by, editing)
      assert.equal(refused.status, status, editing)
    }
  })
})
