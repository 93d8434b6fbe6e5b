// also: threads
/** DELETE /api/v1/auth/delete-account: everything goes, and nothing else. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { authCalls } from '../../support/service/auth-calls.ts'
import { newPerson, ROLES } from '../../support/cast.ts'
import { PREFERENCES } from '../../../scripts/tools/data-bodies.ts'
import { ADMIN_EMAIL, startService, type TestService } from '../../support/service/service.ts'
import { startSite } from '../../support/service/site.ts'

const { service, admin } = await startSite()
const { verify, me, deleteAccount } = authCalls(service)
const OWNED = ['user', 'user_app_settings', 'user_content_preferences']

async function statusesOf(site: TestService, id: string, token: string): Promise<number[]> {
  return Promise.all(OWNED.map(async (model) => (await site.data('GET', `/${id}`, { model }, { token })).status))
}

describe('delete-account', () => {
  for (const role of ROLES) {
    it(`of a ${role} is 204 without a body, and user, settings and preferences are gone`, async () => {
      const person = await newPerson(service, role, admin.token)
      assert.deepEqual(await statusesOf(service, person.id, admin.token), [200, 200, 200])
      const response = await deleteAccount(person.token)
      assert.deepEqual([response.status, response.text], [204, ''])
      assert.deepEqual(await statusesOf(service, person.id, admin.token), [404, 404, 404])
      const found = await service.data('GET', '', { model: 'user', filter: { email: person.email } }, { token: admin.token })
      assert.deepEqual(found.at('data.items'), [])
    })
  }

  it('voids the pending code, and the e-mail can sign up again, as another user', async () => {
    const email = 'returning@example.org'
    const before = await service.signIn(email)
    const body = { ...PREFERENCES, id: before.id }
    const model = 'user_content_preferences'
    assert.equal((await service.data('PUT', `/${before.id}`, { model }, { token: before.token, body })).status, 200)
    const code = await service.codeFor(email)
    assert.equal((await deleteAccount(before.token)).status, 204)
    assert.equal((await verify({ email, code })).status, 400)
    const after = await service.signIn(email)
    assert.notEqual(after.id, before.id)
    assert.equal(after.user['appRole'], 'standardUser')
    const preferences = await service.data('GET', `/${after.id}`, { model }, { token: after.token })
    assert.deepEqual(preferences.at('data.followedTopics'), [])
    assert.equal((await me(before.token)).status, 401)
  })

  it('lets the last administrator go, who is made again at the next start', async (t) => {
    const first = await startService(t)
    const { id, token } = await first.admin()
    assert.equal((await authCalls(first).deleteAccount(token)).status, 204)
    assert.equal((await authCalls(first).requestCode({ email: ADMIN_EMAIL, isDashboardLogin: true })).status, 401)
    await first.stop()
    const second = await startService(t, {}, { directory: first.directory, start: first.now() + 1000 })
    const again = await second.admin()
    assert.notEqual(again.id, id)
    assert.equal((await authCalls(second).me(token)).status, 401)
  })
})
