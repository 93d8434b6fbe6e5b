/** Where users are signed in, as an administrator sees and ends it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { UserSessions } from '../../src/models/responses.ts'
import { newPerson } from '../support/cast.ts'
import { startSite } from '../support/service/site.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { SYSTEM } from '../../src/store/actor.ts'

const { service, admin } = await startSite()
const at = (id: string, session = ''): string =>
  `/api/v1/admin/users/${id}/sessions${session === '' ? '' : `/${encodeURIComponent(session)}`}`
const itemsOf = (response: ApiResponse): UserSessions['items'] => response.at('data.items') as UserSessions['items']
const list = async (id: string): Promise<UserSessions['items']> => {
  const response = await service.call('GET', at(id), { token: admin.token })
  assert.equal(response.status, 200, response.text)
  return itemsOf(response)
}
const statusOf = async (token: string): Promise<number> => (await service.call('GET', '/api/v1/auth/me', { token })).status

describe('the sessions of a user', () => {
  it('end one by one: the others hold', async () => {
    const reader = await newPerson(service, 'standard', admin.token)
    const other = await service.app.services.sessions.issue(reader.id, { label: 'other', now: service.now() })
    const one = (await list(reader.id)).find(({ label }) => label === 'other')
    const response = await service.call('DELETE', at(reader.id, one?.id ?? ''), { token: admin.token })
    assert.equal(response.status, 204)
    assert.deepEqual([await statusOf(other), await statusOf(reader.token)], [401, 200])
    assert.equal((await list(reader.id)).length, 1)
    assert.equal((await service.call('DELETE', at(reader.id, one?.id ?? ''), { token: admin.token })).status, 404)
  })

  it('attack: the session of one user is not ended under the name of another', async () => {
    const [reader, stranger] = [await newPerson(service, 'standard', admin.token), await newPerson(service, 'guest', admin.token)]
    const [mine] = await list(reader.id)
    const response = await service.call('DELETE', at(stranger.id, mine?.id ?? ''), { token: admin.token })
    assert.equal(response.status, 404)
    assert.equal(await statusOf(reader.token), 200)
  })

  it('are a 404 where there is no such user', async () => {
    const gone = await newPerson(service, 'standard', admin.token)
    await service.call('DELETE', '/api/v1/auth/delete-account', { token: gone.token })
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await service.call(method, at(gone.id), { token: admin.token })).status, 404)
    }
    assert.equal(await service.app.services.store.as(SYSTEM).endSessions(gone.id, service.now()), 0)
  })
})
