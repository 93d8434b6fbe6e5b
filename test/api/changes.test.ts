// also: threads cluster
/** The changes of documents since a place, as pages: what is told to which caller. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { newPerson } from '../support/cast.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, publisher, standard, guest, madeId } = await startSite({ hideInactive: 'on' })

type Person = { readonly token: string | undefined }
type Item = { readonly seq: number; readonly model: string; readonly id: string; readonly deleted: boolean; readonly by?: string; readonly document?: JsonObject }

const changes = (query: Readonly<Record<string, string>>, by: Person = standard): Promise<ApiResponse> =>
  service.call('GET', `/api/v1/changes?${new URLSearchParams(query).toString()}`, { token: by.token })
const items = (page: ApiResponse): readonly Item[] => page.at('data.items') as Item[]
const nextOf = (page: ApiResponse): string => String(page.at('data.next'))
const now = async (by: Person = standard): Promise<string> => nextOf(await changes({ models: 'topic', since: 'now' }, by))
const told = (page: ApiResponse): readonly string[] => items(page).map(({ id, deleted }) => `${deleted ? '-' : '+'}${id}`)

const make = (model = 'topic', changed: object = {}): Promise<string> => madeId(model, changed)
async function patch(id: string, body: object, model = 'topic'): Promise<void> {
  const response = await service.data('PATCH', `/${id}`, { model }, { token: admin.token, body })
  assert.equal(response.status, 200, response.text)
}
const remove = async (id: string, model = 'topic'): Promise<void> =>
  assert.equal((await service.data('DELETE', `/${id}`, { model }, { token: admin.token })).status, 204)

describe('changes', () => {
  it('tell each document once, as it is now, in the order of its last change', async () => {
    const since = await now()
    const [a, b, c] = [await make(), await make(), await make()]
    await patch(a, { name: 'Changed' })
    await remove(b)
    const page = await changes({ models: 'topic', since })
    assert.deepEqual(told(page), [`+${c}`, `+${a}`, `-${b}`])
    const seqs = items(page).map(({ seq }) => seq)
    assert.deepEqual(seqs, [...seqs].sort((x, y) => x - y))
    assert.equal(items(page)[1]?.document?.['name'], 'Changed')
    const stored = await service.data('GET', `/${a}`, { model: 'topic' }, { token: standard.token })
    assert.deepEqual(items(page)[1]?.document, stored.at('data'))
    assert.equal(page.at('data.hasMore'), false)
    assert.deepEqual(told(await changes({ models: 'topic', since: nextOf(page) })), [])
    assert.deepEqual(told(await changes({ models: 'country', since })), [])
  })

  it('tell who made them to publishers and administrators only', async () => {
    const since = await now()
    await make()
    const seqOf = (text: string): string => text.split('.')[0] ?? ''
    assert.equal(items(await changes({ models: 'topic', since: seqOf(since) }, publisher))[0]?.by, admin.id)
    for (const reader of [standard, guest]) {
      assert.equal(items(await changes({ models: 'topic', since }, reader))[0]?.by, undefined)
    }
  })

  it('have a tombstone where a document does not match the filter any more, and none where it never did', async () => {
    const filter = JSON.stringify({ name: 'Followed' })
    const since = await now()
    const [a, b] = [await make('topic', { name: 'Followed' }), await make('topic', { name: 'Other' })]
    const first = await changes({ models: 'topic', since, filter })
    assert.deepEqual(told(first), [`+${a}`])
    await patch(a, { name: 'Left' })
    await patch(b, { name: 'Followed' })
    assert.deepEqual(told(await changes({ models: 'topic', since: nextOf(first), filter })), [`-${a}`, `+${b}`])
  })

  it('hide drafts from readers, and take back what became one', async () => {
    const since = await now()
    const [draft, shown] = [await make('topic', { status: 'draft' }), await make()]
    await patch(draft, { name: 'Still a draft' })
    const before = await changes({ models: 'topic', since })
    assert.deepEqual(told(before), [`+${shown}`])
    await patch(shown, { status: 'draft' })
    await remove(draft)
    const after = await changes({ models: 'topic', since: nextOf(before) })
    assert.deepEqual(told(after), [`-${shown}`])
    assert.ok(!after.text.includes(draft) && !before.text.includes(draft), 'a draft leaves no trace')
    const seq = since.split('.')[0] ?? ''
    assert.deepEqual(told(await changes({ models: 'topic', since: seq }, publisher)), [`+${shown}`, `-${draft}`])
    await patch(shown, { status: 'active' })
    assert.deepEqual(told(await changes({ models: 'topic', since: nextOf(after) })), [`+${shown}`])
  })

  it('have incomplete drafts for those who write them and ask, from the first word to the deletion', async () => {
    const since = await now(publisher)
    const ask = { models: 'headline', since, incomplete: 'true' }
    const draft = { method: 'PUT', query: { model: 'headline', incomplete: 'true' }, by: { token: publisher.token, isUndescribed: true } } as const
    const made = await service.data('POST', '', { model: 'headline' }, { ...draft.by, body: { status: 'draft', title: 'First word' } })
    const id = String(made.at('data.id'))
    const [first] = items(await changes(ask, publisher))
    assert.deepEqual([first?.model, first?.id, first?.document?.['title'], first?.by], ['headline', id, 'First word', publisher.id])
    assert.deepEqual(told(await changes({ models: 'headline', since }, publisher)), [])
    // Complete, it moves to the table of its model, and is gone from the other one: it was there all the time.
    await patch(await make('headline'), { title: 'Another' }, 'headline')
    const whole = { ...bodyOf('headline'), id, title: 'All words', status: 'draft' }
    assert.equal((await service.data('PUT', `/${id}`, draft.query, { ...draft.by, body: whole })).status, 200)
    assert.ok(told(await changes(ask, publisher)).every((one) => one !== `-${id}`))
    assert.ok(told(await changes({ ...ask, filter: '{"title":"All words"}' }, publisher)).includes(`+${id}`))
    assert.equal((await service.data('PUT', `/${id}`, draft.query, { ...draft.by, body: { status: 'draft', title: 'Fewer' } })).status, 200)
    const page = items(await changes(ask, publisher)).filter((one) => one.id === id)
    assert.deepEqual([...new Set(page.map(({ model, document }) => `${model} ${String(document?.['title'])}`))], ['headline Fewer'])
    assert.equal((await service.data('DELETE', `/${id}`, draft.query, { token: publisher.token })).status, 204)
    assert.ok(told(await changes(ask, publisher)).includes(`-${id}`))
  })

  // Attack: a reader, and a publisher for topics, ask for what is not written yet.
  it('have no incomplete drafts for others', async () => {
    for (const by of [standard, guest]) assert.equal((await changes({ since: 'now', incomplete: 'true' }, by)).status, 403)
    assert.equal((await changes({ models: 'topic', since: 'now', incomplete: 'true' }, publisher)).status, 403)
    assert.equal((await changes({ models: 'headline_incomplete', since: 'now' }, admin)).status, 400)
    const since = await now(publisher)
    await service.data('POST', '', { model: 'topic' }, { token: admin.token, body: { status: 'draft' }, isUndescribed: true })
    assert.deepEqual(told(await changes({ since, incomplete: 'true' }, publisher)), [])
    const all = items(await changes({ since: since.split('.')[0] ?? '', incomplete: 'true' }, admin))
    assert.deepEqual(all.map(({ model, document }) => [model, document?.['status']]), [['topic', 'draft']])
  })

  it('are for the owner of settings and preferences, and users for administrators', async () => {
    const [one, other] = [await newPerson(service, 'standard', admin.token), await newPerson(service, 'standard', admin.token)]
    const models = 'user,user_app_settings,user_content_preferences'
    const own = await changes({ models }, one)
    assert.deepEqual(new Set(items(own).map(({ id }) => id)), new Set([one.id]))
    assert.ok(items(own).length >= 3)
    assert.ok(!own.text.includes(other.id))
    assert.deepEqual(new Set(items(await changes({ models: 'user_app_settings,user_content_preferences' }, admin)).map(({ id }) => id)), new Set([admin.id]))
    const users = items(await changes({ models: 'user', limit: '1000' }, admin)).map(({ id }) => id)
    assert.ok(users.includes(one.id) && users.includes(other.id))
  })

  it('start over where the log says nothing of what was', async () => {
    const since = await now()
    const [seq = '', rights = '', history = ''] = since.split('.')
    const rows: [name: string, since: string][] = [
      ['another history', `${seq}.${rights}.0000`],
      ['other rights', `${seq}.p.${history}`],
      ['a number ahead of the log', '999999999999999'],
    ]
    for (const [name, text] of rows) {
      const page = await changes({ models: 'topic', since: text })
      assert.deepEqual([page.status, page.at('error.code'), page.at('error.resync')], [410, 'resyncRequired', true], name)
      assert.equal((await changes({ models: 'topic', since: String(page.at('error.next')) })).status, 200, name)
    }
    const ahead = await changes({ models: 'topic', since: `${Number(seq) + 1_000}.${rights}.${history}` })
    assert.deepEqual([ahead.status, nextOf(ahead)], [200, `${Number(seq) + 1_000}.${rights}.${history}`], 'another node was ahead')
  })

  it('take only what they understand', async () => {
    const rows: [query: Readonly<Record<string, string>>, status: number][] = [
      [{ models: 'audit' }, 400],
      [{ models: '' }, 400],
      [{ models: 'topic', since: "1.r.'; DROP TABLE change" }, 400],
      [{ models: 'topic', limit: '0' }, 400],
      [{ models: 'topic', wait: '-1' }, 400],
      [{ models: 'topic', filter: '{"$where":1}' }, 400],
      [{ models: 'country', filter: '{"hasActiveSources":true}' }, 400],
      [{ models: 'topic', limit: '99999' }, 200],
      [{}, 200],
    ]
    for (const [query, status] of rows) {
      const page = await changes({ since: 'now', ...query })
      assert.equal(page.status, status, `${JSON.stringify(query)}: ${page.text}`)
    }
    assert.equal((await service.call('GET', '/api/v1/changes?models=topic')).status, 401)
  })
})

describe('a request that waits for changes', () => {
  it('is answered when there is one that it shows, and not before', async () => {
    const since = await now()
    const waiting = changes({ models: 'topic', since, wait: '50' })
    await make('topic', { status: 'draft' })
    await make('headline')
    const id = await make()
    assert.deepEqual(told(await waiting), [`+${id}`])
  })

  it('ends with its session', async () => {
    const person = await newPerson(service, 'standard', admin.token)
    const waiting = changes({ models: 'topic', since: await now(person), wait: '50' }, person)
    // The request is being served when the next of this client is.
    await changes({ models: 'topic' }, person)
    assert.equal((await service.call('POST', '/api/v1/auth/sign-out', { token: person.token })).status, 204)
    assert.equal((await waiting).status, 401)
  })
})
