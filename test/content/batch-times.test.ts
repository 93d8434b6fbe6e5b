/** What a batch makes or changes has one time, by a clock that goes on with every look at it: lists by time keep its order. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { createDocuments } from '../../src/content/documents.ts'
import { createRepeats } from '../../src/content/repeatable.ts'
import type { Caller } from '../../src/models/caller.ts'
import { user } from '../../src/models/user.ts'
import type { Requester } from '../../src/store/actor.ts'
import { TOPIC, USER } from '../../scripts/tools/data-bodies.ts'
import { testStore } from '../../scripts/tools/stores.ts'

const ADMIN: Caller = { id: 'boss', appRole: 'standardUser', dashboardRole: 'admin' }
const BY: Requester = {
  caller: ADMIN,
  acting: (authorize) => ({
    kind: 'caller',
    claim: { userId: ADMIN.id, jti: 'a token', iat: 0, expiresAt: 1 },
    authorize,
    origin: { clientAddress: '192.0.2.1', requestId: 'a request' },
  }),
}
const references = { bytesMax: 1_000_000 }
const unused = (): Promise<never> => Promise.reject(new Error('no user is invited'))

it('a batch has one time for what it creates, and a later one for what it changes', async (t) => {
  const { store } = testStore(t)
  let [time, ids] = [0, 0]
  const now = (): number => (time += 1)
  const documents = createDocuments({
    ...{ store, now, newId: () => `id-${++ids}`, trashMs: () => 0, isReviewOn: () => false },
    settings: { limitDefault: 20, limitMax: 100, hideInactive: false },
    invitations: { invite: unused, check: unused },
    repeats: createRepeats({ store, now }),
  })
  await store.insert(user, { id: ADMIN.id, value: { ...USER, ...ADMIN, email: 'boss@example.org' } })
  const run = async (operations: readonly object[]): Promise<readonly JsonObject[]> => {
    const body = { operations } as unknown as JsonObject
    const text = await documents.batch({ body, references }, BY, { repeat: undefined, includes: false })
    return (JSON.parse(text) as { results: { document: JsonObject }[] }).results.map(({ document }) => document)
  }
  const made = await run([1, 2, 3].map((i) => ({ operation: 'create', model: 'topic', body: { ...TOPIC, name: `Topic ${i}` } })))
  assert.equal(new Set(made.flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt])).size, 1)
  const changed = await run(made.map(({ id }) => ({ operation: 'patch', model: 'topic', id, body: { description: 'Changed' } })))
  assert.deepEqual(changed.map(({ createdAt }) => createdAt), made.map(({ createdAt }) => createdAt))
  assert.equal(new Set(changed.map(({ updatedAt }) => updatedAt)).size, 1)
  assert.ok(String(changed[0]?.['updatedAt']) > String(made[0]?.['updatedAt']))
})
