/**
 * The version that a change requires is looked at twice: early, and in the step that writes. Here something else
 * happens between the two, each time in the same order, so that only the second look can tell. And what a batch makes or
 * changes has one time, by a clock that goes on with every look at it: lists by time keep its order.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fail } from '../../src/base/failure.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { createDocuments, type Documents, type SentBody } from '../../src/content/documents.ts'
import { createRepeats } from '../../src/content/repeatable.ts'
import type { Caller } from '../../src/models/caller.ts'
import type { Model } from '../../src/models/schema.ts'
import { topic } from '../../src/models/topic.ts'
import { user } from '../../src/models/user.ts'
import type { Requester } from '../../src/store/actor.ts'
import { TOPIC, USER } from '../../scripts/tools/data-bodies.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { type SystemStore, testStore } from '../../scripts/tools/stores.ts'
import type { Condition } from '../../src/store/documents/transaction-view.ts'

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
const ID = 'one'

const refuseToInvite = (): Promise<never> => Promise.reject(new Error('this test invites no user'))

interface Scene {
  readonly documents: Documents
  readonly store: SystemStore
  /** Requires that the stored text is still the first one. */
  readonly condition: Condition
  /** What another caller writes meanwhile. */
  readonly other: () => Promise<unknown>
}

async function scene(t: Cleanup, model: Model, body: JsonObject): Promise<Scene> {
  const { store } = testStore(t)
  const documents = createDocuments({
    store,
    now: () => 0,
    newId: () => ID,
    settings: { limitDefault: 20, limitMax: 100, hideInactive: false },
    invitations: { invite: refuseToInvite, check: refuseToInvite },
    trashMs: () => 0,
    live: () => ({ review: false }),
    repeats: createRepeats({ store, now: () => 0 }),
  })
  await store.insert(user, { id: ADMIN.id, value: { ...USER, ...ADMIN, email: 'boss@example.org' } })
  await store.insert(model, { id: ID, value: { ...body, id: ID } })
  const first = await store.documents.get(model, ID)
  const condition: Condition = (text) => {
    if (text !== first) throw fail('preconditionFailed', 'changed')
  }
  const change = (stored: JsonObject): JsonObject => ({ ...stored, updatedAt: '2026-01-01T00:00:00.000Z' })
  const other = (): Promise<unknown> => model === user ? store.updateUser(ID, change) : store.update(model, ID, change)
  return { documents, store, condition, other }
}

for (const [model, body] of [[topic, TOPIC], [user, USER]] as const) {
  describe(`a ${model.name} that was changed meanwhile`, () => {
    it('is not replaced', async (t) => {
      const { documents, store, condition, other } = await scene(t, model, body)
      const sentBody = { body: { ...body, id: ID }, references: { bytesMax: 0 } }
      let between: string | undefined
      const slowly = async (): Promise<SentBody> => {
        await other()
        between = await store.documents.get(model, ID)
        return sentBody
      }
      const sent = { by: BY, condition }
      await assert.rejects(documents.replace(model, ID, slowly, sent), { code: 'preconditionFailed' })
      assert.notEqual(between, undefined)
      assert.equal(await store.documents.get(model, ID), between)
      await documents.replace(model, ID, () => Promise.resolve(sentBody), { ...sent, condition: undefined })
    })

    it('is not removed', async (t) => {
      const { documents, store, condition, other } = await scene(t, model, body)
      // The removal has read the first text, and stands behind the other change in the queue of writes.
      const removal = documents.remove(model, ID, { by: BY, condition })
      const [outcome] = await Promise.allSettled([removal, other()])
      assert.equal(outcome.status, 'rejected')
      assert.equal((outcome.reason as { readonly code: string }).code, 'preconditionFailed')
      assert.match((await store.documents.get(model, ID)) ?? '', /2026-01-01/)
      await documents.remove(model, ID, { by: BY, condition: undefined })
      assert.equal(await store.documents.get(model, ID), undefined)
    })
  })
}
const references = { bytesMax: 1_000_000 }
const unused = (): Promise<never> => Promise.reject(new Error('no user is invited'))

it('a batch has one time for what it creates, and a later one for what it changes', async (t) => {
  const { store } = testStore(t)
  let [time, ids] = [0, 0]
  const now = (): number => (time += 1)
  const documents = createDocuments({
    ...{ store, now, newId: () => `id-${++ids}`, trashMs: () => 0, live: () => ({ review: false }) },
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
