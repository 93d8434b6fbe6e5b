/** Passwords of feeds open for the feed, the origin and the secrets of the server that they were set for, and for no other. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createFeedPasswords } from '../../src/auth/feed-passwords.ts'
import { deriveKeys } from '../../src/auth/keys.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { feed } from '../../src/models/feed-model.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { FEED } from '../../scripts/tools/data-bodies.ts'
import { testStore } from '../../scripts/tools/stores.ts'

const [ONE, OTHER] = ['one secret of the server, and long', 'another secret of it, and long too'] as const
const MINE = { ...FEED, username: 'reader' }

it('credentialsOf() gives the password to the origin that it was set for, while the server has the secret', async (t) => {
  const { store } = testStore(t)
  await store.insert(feed, { id: FEED.id, value: MINE as unknown as JsonObject })
  const passwords = createFeedPasswords({ store, keys: deriveKeys([ONE]).feeds })
  assert.equal(passwords.credentialsOf(MINE), undefined)
  assert.equal(await passwords.set({ ...MINE, id: 'unknown' }, 'pass', SYSTEM), false)
  assert.equal(await passwords.set(MINE, 'pass', SYSTEM), true)
  assert.deepEqual(passwords.credentialsOf(MINE), { user: 'reader', password: 'pass' })
  assert.deepEqual(passwords.credentialsOf({ ...MINE, address: 'https://harbour.example.org/moved' }), { user: 'reader', password: 'pass' })
  // Attack: an administrator of today moves the feed, to get the password sent elsewhere.
  for (const address of ['https://evil.example/feed', 'http://harbour.example.org/feed.xml', 'https://harbour.example.org:8443/']) {
    assert.equal(passwords.credentialsOf({ ...MINE, address }), undefined, address)
  }
  assert.equal(passwords.credentialsOf({ ...MINE, username: '' }), undefined)
  assert.equal(createFeedPasswords({ store, keys: deriveKeys([OTHER]).feeds }).credentialsOf(MINE), undefined)
  assert.deepEqual(createFeedPasswords({ store, keys: deriveKeys([OTHER, ONE]).feeds }).credentialsOf(MINE), { user: 'reader', password: 'pass' })
  await store.remove(feed, FEED.id)
  await store.insert(feed, { id: FEED.id, value: MINE as unknown as JsonObject })
  assert.equal(passwords.credentialsOf(MINE), undefined, 'it is gone with the feed')
})
