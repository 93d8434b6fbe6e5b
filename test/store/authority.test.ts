/** Every write authorizes its actor in its own transaction: no method of the store omits this. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newAccount } from '../../src/auth/new-account.ts'
import { fail } from '../../src/base/failure.ts'
import type { Caller } from '../../src/models/caller.ts'
import { topic } from '../../src/models/topic.ts'
import { anyCaller, type CallerActor, type CallerClaim, type Authorize } from '../../src/store/actor.ts'
import { openStore } from '../../src/store/open-store.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { systemStore, testStore, writeNames, type SystemStore } from '../../scripts/tools/stores.ts'

const CLAIM: CallerClaim = { userId: 'ann', jti: 'ann-1', iat: 0, expiresAt: 60_000 }

function actor(authorize: Authorize = anyCaller, claim = CLAIM): CallerActor {
  return { kind: 'caller', claim, authorize, origin: { clientAddress: '192.0.2.1', requestId: 'a request' } }
}

const requireAdmin: Authorize = ({ dashboardRole }) => {
  if (dashboardRole !== 'admin') throw fail('forbidden', 'This is for administrators')
}

async function site(t: Cleanup): Promise<{ store: SystemStore; at: (now: number) => SystemStore }> {
  const { store, dir } = testStore(t)
  const ann = { id: 'ann', email: 'ann@example.org', appRole: 'standardUser', dashboardRole: 'admin', now: 0 } as const
  await store.createAccount(newAccount({ ...ann, language: {} }))
  const at = (now: number): SystemStore => {
    const later = openStore({ dir, models: STORED_MODELS, version: '1.2.3', now: () => now })
    t.after(() => later.close())
    return systemStore(later)
  }
  return { store, at }
}

/** Calls every method that writes, without arguments: a job of a refused actor does not get as far as them. */
async function refusals(store: SystemStore, who: CallerActor): Promise<readonly (readonly [string, string])[]> {
  const writer = store.as(who)
  const names = writeNames(writer)
  assert.ok(names.length > 20)
  return Promise.all(
    names.map(async (name) => {
      const outcome = await (writer[name] as () => Promise<unknown>)().then(() => 'written', (error: unknown) => (error as { code?: string }).code ?? String(error))
      return [name, outcome] as const
    }),
  )
}

describe('every method that writes refuses', () => {
  for (const [what, end] of [
    ['a token that was signed out', (store: SystemStore) => store.revoke({ ...CLAIM, now: 0 })],
    ['a user who was signed out everywhere', (store: SystemStore) => store.endSessions('ann', 1_000)],
    ['a user who is gone', (store: SystemStore) => store.deleteAccount({ id: 'ann', now: 0, keepLastAdmin: false })],
  ] as const) {
    it(what, async (t) => {
      const { store } = await site(t)
      // In the same transaction as the writes, and before them.
      const ended = end(store)
      for (const [name, outcome] of await refusals(store, actor())) assert.equal(outcome, 'unauthorized', name)
      await ended
    })
  }

  it('a token that has expired', async (t) => {
    const late = (await site(t)).at(60_000)
    for (const [name, outcome] of await refusals(late, actor())) assert.equal(outcome, 'unauthorized', name)
  })

  it('a caller without the role', async (t) => {
    const { store } = await site(t)
    const bob = { id: 'bob', email: 'b@example.org', appRole: 'standardUser', dashboardRole: 'admin', now: 0 } as const
    await store.createAccount(newAccount({ ...bob, language: {} }))
    const demotion = store.updateUser('ann', (stored) => ({ ...stored, dashboardRole: 'none' }))
    for (const [name, outcome] of await refusals(store, actor(requireAdmin))) assert.equal(outcome, 'forbidden', name)
    await demotion
  })
})

it('authorize() gets the roles of the moment, and a job sees them', async (t) => {
  const { store } = await site(t)
  const heard: Caller[] = []
  const promoted = store.updateUser('ann', (stored) => ({ ...stored, appRole: 'premiumUser' }))
  const authorize: Authorize = (caller) => void heard.push(caller)
  const document = { id: 'x', value: { id: 'x', name: 'X', status: 'active' } }
  const insertion = store.as(actor(authorize)).insert(topic, document, ({ caller }) => void heard.push(caller as Caller))
  assert.equal(await insertion, 'inserted')
  await promoted
  const ann = { id: 'ann', appRole: 'premiumUser', dashboardRole: 'admin' }
  assert.deepEqual(heard, [ann, ann])
})

it('an insert that is not admitted is rejected before it is inserted', async (t) => {
  const { store } = await site(t)
  const document = { id: 'x', value: { id: 'x', name: 'X', status: 'active' } }
  const refuse = (): never => {
    throw fail('forbidden', 'too many')
  }
  await assert.rejects(store.as(actor()).insert(topic, document, refuse), { code: 'forbidden' })
  assert.equal(store.documents.get(topic, 'x'), undefined)
})
