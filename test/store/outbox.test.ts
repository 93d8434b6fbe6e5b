import assert from 'node:assert/strict'
import { it } from 'node:test'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { openStore } from '../../src/store/sqlite-store.ts'
import { testStore } from '../support/stores.ts'

const issue = (email: string, id: string) => ({
  email,
  mac: Buffer.alloc(32),
  now: 0,
  expiresAt: 900_000,
  message: { id, sealed: Buffer.from(id) },
})

it('a message is given out once until its lease ends', async (t) => {
  const { store } = testStore(t)
  await store.issueCode(issue('a@example.org', 'one'))
  assert.equal((await store.takeDueMessage(0, 90_000))?.id, 'one')
  assert.equal(await store.takeDueMessage(89_999, 90_000), undefined)
  assert.equal((await store.takeDueMessage(90_000, 90_000))?.attempts, 2)
})

it('what a sender that died had taken is due when the next owner starts', async (t) => {
  const { store, dir } = testStore(t)
  await store.issueCode(issue('a@example.org', 'one'))
  await store.takeDueMessage(0, 90_000)
  await store.close()
  const beside = openStore({ dir, models: STORED_MODELS, version: '1', now: () => 1_000 })
  assert.equal(await beside.takeDueMessage(1_000, 90_000), undefined, 'a command beside the owner takes nothing over')
  await beside.close()
  const owner = { pid: process.pid, startedAt: 'later' }
  const next = openStore({ dir, models: STORED_MODELS, version: '1', now: () => 1_000, owner })
  t.after(() => next.close())
  assert.equal((await next.takeDueMessage(1_000, 90_000))?.id, 'one')
})

it('a message that is superseded, done or too old loses its content and is not given out', async (t) => {
  const { store } = testStore(t)
  await store.issueCode(issue('a@example.org', 'first'))
  await store.issueCode(issue('a@example.org', 'second'))
  await store.issueCode(issue('b@example.org', 'third'))
  assert.equal((await store.takeDueMessage(0, 1))?.id, 'second')
  await store.finishMessage('second', { kind: 'delivered', reply: '250 ok' }, 0)
  assert.equal((await store.takeDueMessage(0, 1))?.id, 'third')
  await store.finishMessage('third', { kind: 'later', reply: '451 busy', dueAt: 500 }, 0)
  assert.equal(await store.nextDue(), 500)
  assert.equal(await store.takeDueMessage(900_000, 1), undefined)
  assert.equal(await store.nextDue(), undefined)
})
