/** A merge once had no limits while the remote configuration was removed; other writes had those of the seed. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { REMOTE_CONFIG_ID } from '../../../src/models/remote-config.ts'
import { copies, bodyOf } from '../../../scripts/tools/data-bodies.ts'
import { startService } from '../../support/service/service.ts'

it('a merge keeps to the limits of the seed while there is no remote configuration', async (t) => {
  const service = await startService(t)
  const topics = copies(bodyOf('topic'), 18)
  const follow = async (token: string, id: string, followedTopics: unknown): Promise<void> => {
    const body = { ...bodyOf('user_content_preferences'), followedTopics }
    const query = { model: 'user_content_preferences' }
    const response = await service.data('PUT', `/${id}`, query, { token, body: { ...body, id } })
    assert.equal(response.status, 200, response.text)
  }
  const [account, guest, admin] = [await service.signIn('a@example.org'), await service.guest(), await service.admin()]
  await follow(account.token, account.id, topics.slice(0, 13))
  await follow(guest.token, guest.id, topics.slice(13, 18))
  const removal = await service.data('DELETE', `/${REMOTE_CONFIG_ID}`, { model: 'remote_config' }, { token: admin.token })
  assert.equal(removal.status, 204)
  const { token, id } = await service.signIn('a@example.org', { token: guest.token })
  const merged = await service.data('GET', `/${id}`, { model: 'user_content_preferences' }, { token })
  assert.equal((merged.at('data.followedTopics') as unknown[]).length, 15)
})
