/** What publishers and administrators are called: who may say so, who sees it, and that users of the apps have no such member. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { USER } from '../../scripts/tools/data-bodies.ts'
import { newPerson, type Person } from '../support/cast.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, cast, admin, publisher, standard, guest, create, patch, replace, stored, madeId, apiToken } = await startSite()

const rename = (person: Person, displayName: unknown, by: Person = person): Promise<ApiResponse> => patch('user', person.id, { displayName }, by)
const nameOf = async ({ id }: Person): Promise<unknown> => (await stored('user', id))['displayName']
const people = (ids: unknown, { token }: { readonly token: string }): Promise<ApiResponse> =>
  service.call('POST', '/api/v1/dashboard/people', { token, body: { ids } })

describe('the name of a person in the dashboard', () => {
  it('is changed by the person and by administrators, and taken away by null', async () => {
    assert.equal((await rename(publisher, '  Ana Lima ')).at('data.displayName'), 'Ana Lima')
    const me = await service.call('GET', '/api/v1/auth/me', { token: publisher.token })
    assert.equal(me.at('data.displayName'), 'Ana Lima')
    assert.equal((await rename(publisher, 'Ana de Lima', admin)).at('data.displayName'), 'Ana de Lima')
    const other = await newPerson(service, 'publisher', admin.token)
    assert.equal((await rename(publisher, 'Not me', other)).status, 403)
    assert.equal(await nameOf(publisher), 'Ana de Lima')
    const none = await rename(publisher, null)
    assert.equal(Object.hasOwn(none.at('data') as JsonObject, 'displayName'), false)
  })

  it('stays where a client that does not know it replaces the user', async () => {
    await rename(publisher, 'Ana Lima')
    const { displayName: _, ...known } = await stored('user', publisher.id)
    assert.equal((await replace('user', publisher.id, known, publisher)).status, 200)
    assert.equal(await nameOf(publisher), 'Ana Lima')
  })

  // Attack: a reader, or an administrator by mistake, brings a member into apps that their contract does not have.
  it('is none of a user of the apps, also where an administrator sends it, and goes with the role', async () => {
    for (const [person, by] of [[standard, standard], [standard, admin], [guest, guest]] as const) {
      const before = Object.keys(await stored('user', person.id))
      assert.equal((await rename(person, 'A reader', by)).status, 200)
      assert.equal((await replace('user', person.id, { ...(await stored('user', person.id)), displayName: 'A reader' }, by)).status, 200)
      assert.deepEqual(Object.keys(await stored('user', person.id)), before)
    }
    const leaving = await newPerson(service, 'publisher', admin.token)
    await rename(leaving, 'Soon gone')
    await patch('user', leaving.id, { dashboardRole: 'none' })
    assert.equal(await nameOf(leaving), undefined)
    await patch('user', leaving.id, { dashboardRole: 'publisher' })
    assert.equal(await nameOf(leaving), undefined, 'it does not come back')
    const invited = async (dashboardRole: string): Promise<unknown> =>
      (await create('user', { ...USER, email: `named-${dashboardRole}@example.org`, dashboardRole, displayName: 'New Person' })).at('data.displayName')
    assert.deepEqual([await invited('publisher'), await invited('none')], ['New Person', undefined])
  })

  // Attack: a name that writes over what stands beside it, fills the page, or hides who it is.
  for (const [name, code] of [
    ['two\nlines', 'notName'],
    ['\u202etsoh eht yb', 'notName'],
    ['a\u0007bell', 'notName'],
    ['\u200b\u2060', 'notName'],
    ['\u3164', 'notName'],
    ['   ', 'blank'],
    ['x'.repeat(81), 'tooLong'],
    [7, 'notText'],
  ] as const) {
    it(`is not ${JSON.stringify(name).slice(0, 20)}`, async () => {
      const { status, body } = await rename(publisher, name)
      const { problems } = (body as { error: { problems: readonly { path: string; code: string }[] } }).error
      assert.deepEqual([status, problems.map(({ path, code: found }) => [path, found])], [400, [['displayName', code]]])
    })
  }
})

describe('the people of the dashboard', () => {
  it('see each other’s names, and administrators the addresses as well', async () => {
    await rename(publisher, 'Ana Lima')
    const { email } = publisher
    const found = { id: publisher.id, name: 'Ana Lima', role: 'publisher' }
    assert.deepEqual((await people([publisher.id, publisher.id], admin)).at('data.items'), [{ ...found, email }])
    assert.deepEqual((await people([standard.id], admin)).at('data.items'), [{ id: standard.id, name: null, email: standard.email, role: 'none' }])
    const colleague = await newPerson(service, 'publisher', admin.token)
    assert.deepEqual((await people([publisher.id, admin.id], colleague)).at('data.items'), [
      { ...found, email: null },
      { id: admin.id, name: null, email: null, role: 'admin' },
    ])
  })

  // Attack: a publisher looks for readers; a reader, and a token for headlines alone, look for publishers.
  it('are no readers, and none of them is told to others', async () => {
    assert.deepEqual((await people([standard.id, guest.id, 'unknown', '../x'], publisher)).at('data.items'), [])
    for (const by of [standard, guest, cast.premium]) assert.equal((await people([publisher.id], by)).status, 403)
    assert.equal((await people([publisher.id], { token: await apiToken({ role: 'admin', models: ['headline'] }) })).status, 403)
    for (const ids of [[], 'x', [1], Array.from({ length: 201 }, String), undefined]) assert.equal((await people(ids, admin)).status, 400)
  })

  it('are named in histories for each other, and not for a token of headlines', async () => {
    await rename(publisher, 'Ana Lima')
    const id = await madeId('headline', {}, publisher)
    const actor = async (token: string): Promise<unknown> =>
      (await service.data('GET', `/${id}/history`, { model: 'headline' }, { token })).at('data.items.0.actor')
    const colleague = await newPerson(service, 'publisher', admin.token)
    assert.deepEqual(await actor(colleague.token), { id: publisher.id, email: null, name: 'Ana Lima' })
    assert.deepEqual(await actor(admin.token), { id: publisher.id, email: publisher.email, name: 'Ana Lima' })
    assert.deepEqual(await actor(await apiToken({ role: 'admin', models: ['headline'] })), { id: publisher.id, email: null, name: null })
  })
})
