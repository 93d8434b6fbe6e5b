/** The outbox on a real file: what is given out, what ends, what is kept, and what another process sees of it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newAccount } from '../../src/auth/new-account.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { WAITING_MESSAGES_MAX, type OutboxTurn } from '../../src/store/outbox/outbox-table.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { MessageState } from '../../src/models/message-state.ts'
import { signInWith, systemStore, takeAll, testStore, type SystemStore } from '../../scripts/tools/stores.ts'

const MINUTE_MS = 60_000
const LIFETIME_MS = 15 * MINUTE_MS
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS

const issue = (email: string, id: string, now = 0) => ({
  email,
  mac: Buffer.alloc(32),
  now,
  expiresAt: now + LIFETIME_MS,
  message: { id, sealed: Buffer.from(`sealed ${id}`) },
})
const turn = (now: number, more: Partial<OutboxTurn> = {}): OutboxTurn => ({
  now,
  leaseMs: 90_000,
  take: 10,
  onlyRequested: false,
  pauseMsMax: MINUTE_MS,
  inHand: [],
  ...more,
})
const ids = (messages: readonly { readonly id: string }[]): string[] => messages.map(({ id }) => id)
const list = (store: SystemStore, now: number, state?: MessageState) => store.outbox.listMessages({ state, limit: 100, now })

describe('an invitation', () => {
  const invitation = (id: string, now = 0) => ({
    ...{ email: 'a@example.org', message: { id, sealed: Buffer.from(id) }, now, expiresAt: now + WEEK_MS },
    rates: {
      perUser: { key: Buffer.from('user'), max: 3, windowMs: WEEK_MS },
      perEmail: { key: Buffer.from('email'), max: 2, windowMs: WEEK_MS },
    },
  })

  it('takes the place of the one before, and attack: codes that a stranger requests do not end it', async (t) => {
    const { store } = testStore(t)
    const id = 'invited'
    const roles = { appRole: 'standardUser', dashboardRole: 'publisher' } as const
    await store.createAccount(newAccount({ id, email: 'a@example.org', ...roles, now: 0, language: {} }))
    assert.equal(await store.inviteAgain(id, invitation('one')), 'sent')
    assert.equal(await store.inviteAgain(id, invitation('two')), 'sent')
    await store.issueCode(issue('a@example.org', 'code'))
    await store.issueCode(issue('a@example.org', 'newer'))
    assert.deepEqual(ids(await list(store, 0, 'waiting')).sort(), ['newer', 'two'])
    assert.equal(store.outbox.lastInvitation('a@example.org', 0)?.id, 'two')
    assert.deepEqual(await store.inviteAgain(id, invitation('three')), { kind: 'limited', limit: 'perEmail', retryAfterMs: WEEK_MS })
    assert.equal(await store.inviteAgain('another', invitation('four')), 'missing')
    assert.deepEqual(ids((await takeAll(store, LIFETIME_MS)).filter((one) => one.id === 'two')), ['two'], 'it outlives the codes')
  })
})

it('attack: a code that a stranger requests does not end the mail of the owner, which waits for a server that greylists', async (t) => {
  const { store } = testStore(t)
  const request = (id: string, client: string, now: number) =>
    store.issueCode({ ...issue('a@example.org', id, now), mac: Buffer.from(id), requester: Buffer.from(client) })
  await request('own', 'owner', 0)
  for (const [i, client] of ['stranger', 'other'].entries()) await request(client, client, i + 1)
  assert.deepEqual(ids(await list(store, 2, 'waiting')).sort(), ['other', 'own', 'stranger'])
  await request('own-2', 'owner', 3)
  assert.deepEqual(ids(await list(store, 3, 'waiting')).sort(), ['other', 'own-2', 'stranger'], 'one waits for each client')
  for (let i = 0; i < 30; i++) await request(`flood-${i}`, `client-${i}`, 4 + i)
  assert.equal((await list(store, 34, 'waiting')).length, 20, 'and as many as there are codes')
})

describe('a message', () => {
  it('is taken once until its lease expires, and keeps its due time', async (t) => {
    const { store } = testStore(t)
    await store.issueCode(issue('a@example.org', 'one'))
    assert.deepEqual(ids(await takeAll(store, 0)), ['one'])
    assert.deepEqual(await takeAll(store, 89_999), [])
    const [again] = await takeAll(store, 90_000)
    assert.equal(again?.attempts, 2)
  })

  it('is taken with as many others as are asked for, longest due first', async (t) => {
    const { store } = testStore(t)
    for (const [i, id] of ['d', 'c', 'b', 'a'].entries()) await store.issueCode(issue(`${id}@example.org`, id, i))
    const first = await store.takeMessages(turn(10, { take: 3 }))
    assert.deepEqual([ids(first.messages), first.nextDue], [['d', 'c', 'b'], 3])
    const rest = await store.takeMessages(turn(10, { take: 3 }))
    assert.deepEqual([ids(rest.messages), rest.nextDue], [['a'], undefined])
  })

  it('that is not due yet says when it is', async (t) => {
    const { store } = testStore(t)
    await store.issueCode(issue('a@example.org', 'one'))
    await takeAll(store, 0)
    await store.finishMessage('one', { kind: 'later', reply: '451 busy', dueAt: 500 }, 0)
    const work = await store.takeMessages(turn(499))
    assert.deepEqual([work.messages, work.nextDue], [[], 500])
    assert.deepEqual(ids(await takeAll(store, 500)), ['one'])
  })

  it('that waits longer than any pause, since the clock was set back, is due', async (t) => {
    const { store } = testStore(t)
    const later = { kind: 'later', reply: '451 busy' } as const
    for (const [id, dueAt] of [['at', MINUTE_MS + 1_000], ['past', MINUTE_MS + 1_001]] as const) {
      await store.issueCode(issue(`${id}@example.org`, id, 1_000))
      await takeAll(store, 1_000)
      await store.finishMessage(id, { ...later, dueAt }, 1_000)
    }
    const work = await store.takeMessages(turn(1_000))
    assert.deepEqual([ids(work.messages), work.nextDue], [['past'], MINUTE_MS + 1_000])
  })

  it('that a dead sender had taken is due when the next owner starts', async (t) => {
    const { store, dir } = testStore(t)
    await store.issueCode(issue('a@example.org', 'one'))
    await takeAll(store, 0)
    await store.close()
    const beside = systemStore(openStore({ dir, models: STORED_MODELS, version: '1', now: () => 1_000 }))
    assert.deepEqual(await takeAll(beside, 1_000), [], 'a command beside the owner takes nothing over')
    await beside.close()
    const owner = { pid: process.pid, startedAt: 'later' }
    const next = systemStore(openStore({ dir, models: STORED_MODELS, version: '1', now: () => 1_000, owner }))
    t.after(() => next.close())
    assert.deepEqual(ids(await takeAll(next, 1_000)), ['one'])
  })
})

describe('a message ends', () => {
  for (const { name, end, state } of [
    {
      name: 'when it was delivered',
      end: (store: SystemStore) => store.finishMessage('one', { kind: 'delivered', reply: '250 ok' }, 7),
      state: 'delivered',
    },
    {
      name: 'when it was refused for good',
      end: (store: SystemStore) => store.finishMessage('one', { kind: 'failed', reply: '550 no such user' }, 7),
      state: 'failed',
    },
    {
      name: 'when a newer code came',
      end: (store: SystemStore) => store.issueCode({ ...issue('a@example.org', 'two', 7), message: undefined }),
      state: 'superseded',
    },
    { name: 'when its code expired', end: (store: SystemStore) => takeAll(store, LIFETIME_MS), state: 'expired' },
  ] as const) {
    it(`${name}: its content is gone, and nothing brings it back`, async (t) => {
      const { store, dir } = testStore(t)
      await store.issueCode(issue('a@example.org', 'one'))
      await end(store)
      for (const result of [
        { kind: 'later', reply: '451 late', dueAt: 8 },
        { kind: 'delivered', reply: '250 late' },
        { kind: 'failed', reply: '550 late' },
      ] as const) {
        await store.finishMessage('one', result, 9)
        const [record] = await list(store, 9)
        assert.deepEqual([record?.state, record?.reply], [state, result.reply], 'the words are kept, the state stays')
      }
      assert.deepEqual(await takeAll(store, 100), [])
      assert.equal(await store.retryMessage('one', 100), state)
      assert.equal((await list(store, 100))[0]?.doneAt, state === 'expired' ? LIFETIME_MS : 7)
      const database = openDatabase(dir.database, { readOnly: true })
      assert.equal(database.get('SELECT sealed FROM outbox')?.['sealed'], null)
      database.close()
    })
  }

  it('at the expiry of its code, not before, and the turn names it', async (t) => {
    const { store } = testStore(t)
    await store.issueCode(issue('a@example.org', 'one'))
    await takeAll(store, 0)
    await store.finishMessage('one', { kind: 'later', reply: '451 busy', dueAt: LIFETIME_MS }, 0)
    assert.deepEqual((await store.takeMessages(turn(LIFETIME_MS - 1))).expired, [])
    const { expired } = await store.takeMessages(turn(LIFETIME_MS))
    assert.deepEqual(expired, [{ id: 'one', attempts: 1, reply: '451 busy' }])
  })

  it('by expiry only without a running attempt', async (t) => {
    const { store } = testStore(t)
    await store.issueCode(issue('a@example.org', 'one'))
    await takeAll(store, LIFETIME_MS - 1)
    assert.deepEqual((await store.takeMessages(turn(LIFETIME_MS))).expired, [])
    await store.finishMessage('one', { kind: 'delivered', reply: '250 ok' }, LIFETIME_MS + 1)
    assert.equal((await list(store, LIFETIME_MS + 1))[0]?.state, 'delivered')
  })
})

it('a turn names the running ones that a newer code, or the end of the account, made unwanted', async (t) => {
  const { store } = testStore(t)
  for (const id of ['a', 'b', 'c']) await store.issueCode(issue(`${id}@example.org`, id))
  const inHand = ids(await takeAll(store, 0))
  await store.issueCode(issue('b@example.org', 'b2', 1))
  const { unwanted, messages } = await store.takeMessages(turn(1, { inHand: [...inHand, 'never there'] }))
  assert.deepEqual([unwanted, ids(messages)], [['b', 'never there'], ['b2']])
})

describe('retry', () => {
  it('makes a waiting message due before all others, also where only such are taken', async (t) => {
    const { store } = testStore(t)
    for (const id of ['a', 'b']) await store.issueCode(issue(`${id}@example.org`, id))
    await takeAll(store, 0)
    for (const id of ['a', 'b']) await store.finishMessage(id, { kind: 'later', reply: '451', dueAt: 60_000 }, 0)
    await store.issueCode(issue('c@example.org', 'c', 1))
    assert.equal(await store.retryMessage('b', 5), 'due')
    assert.deepEqual(ids((await store.takeMessages(turn(5, { onlyRequested: true }))).messages), ['b'])
    await store.finishMessage('b', { kind: 'later', reply: '451', dueAt: 60_000 }, 6)
    assert.deepEqual(ids(await takeAll(store, 6)), ['c'])
  })

  it('leaves a message with a running attempt alone: it would be sent twice', async (t) => {
    const { store } = testStore(t)
    await store.issueCode(issue('a@example.org', 'a'))
    await takeAll(store, 0)
    assert.equal(await store.retryMessage('a', 10), 'sending')
    assert.deepEqual(await takeAll(store, 10), [])
  })

  it('knows what is missing, and what has expired and is not ended yet', async (t) => {
    const { store } = testStore(t)
    await store.issueCode(issue('a@example.org', 'a'))
    assert.equal(await store.retryMessage('b', 0), 'missing')
    assert.equal(await store.retryMessage('a', LIFETIME_MS), 'expired')
  })
})

describe('the record of a message', () => {
  it('has its email, state, attempts, reply and times', async (t) => {
    const { store } = testStore(t)
    await store.issueCode(issue('a@example.org', 'one', 100))
    const common = { id: 'one', kind: 'code', address: 'a@example.org', createdAt: 100, expiresAt: 100 + LIFETIME_MS }
    const fresh = { ...common, reply: undefined, triedAt: undefined, doneAt: undefined }
    assert.deepEqual(await list(store, 100), [{ ...fresh, state: 'waiting', attempts: 0, dueAt: 100 }])
    await takeAll(store, 200)
    const taken = { ...fresh, attempts: 1, triedAt: 200 }
    assert.deepEqual(await list(store, 300), [{ ...taken, state: 'sending', dueAt: undefined }])
    await store.finishMessage('one', { kind: 'later', reply: '450 greylisted', dueAt: 900 }, 300)
    const deferred = { ...taken, reply: '450 greylisted' }
    assert.deepEqual(await list(store, 300), [{ ...deferred, state: 'waiting', dueAt: 900 }])
    await store.finishMessage('one', { kind: 'delivered', reply: '250 ok' }, 950)
    const done = { ...deferred, reply: '250 ok', doneAt: 950, dueAt: undefined }
    assert.deepEqual(await list(store, 950), [{ ...done, state: 'delivered' }])
  })

  it('is listed newest first, by state, up to a limit, and counted', async (t) => {
    const { store } = testStore(t)
    for (const id of ['a', 'b', 'c', 'd', 'e']) await store.issueCode(issue(`${id}@example.org`, id, 50))
    await store.takeMessages(turn(50, { take: 2 }))
    await store.finishMessage('c', { kind: 'failed', reply: '550' }, 60)
    assert.deepEqual(ids(await list(store, 60)), ['e', 'd', 'c', 'b', 'a'])
    assert.deepEqual(ids(await list(store, 60, 'waiting')), ['e', 'd'])
    assert.deepEqual(ids(await list(store, 60, 'sending')), ['b', 'a'])
    assert.deepEqual(ids(await list(store, 60, 'failed')), ['c'])
    assert.deepEqual(ids(store.outbox.listMessages({ state: undefined, limit: 2, now: 60 })), ['e', 'd'])
    assert.deepEqual(store.outbox.outboxSummary(60), {
      counts: { waiting: 2, sending: 2, delivered: 0, failed: 1, expired: 0, superseded: 0 },
      oldestWaitingAt: 50,
    })
  })

  it('is kept for seven days after the end, and is removed without any new message', async (t) => {
    const { store } = testStore(t)
    for (const id of ['a', 'b']) await store.issueCode(issue(`${id}@example.org`, id))
    await store.finishMessage('a', { kind: 'delivered', reply: '250 ok' }, 1_000)
    await store.takeMessages(turn(WEEK_MS + 1_000))
    assert.deepEqual(ids(await list(store, 0)), ['b', 'a'])
    await store.takeMessages(turn(WEEK_MS + 1_001))
    assert.deepEqual(ids(await list(store, 0)), ['b'])
  })
})

/**
 * An attacker with many emails, or many client addresses, requests more codes than the mail server takes. Memory,
 * disk and the time of each request must stay bounded, and people who have a code must not lose it.
 */
describe('an outbox that an attacker filled', () => {
  it('takes no further message and leaves the codes that are there as they are', async (t) => {
    const { store, dir } = testStore(t)
    const known = { ...issue('known@example.org', 'known'), mac: Buffer.alloc(32, 1), message: undefined }
    await store.issueCode(known)
    const database = openDatabase(dir.database)
    database.run(
      `INSERT INTO outbox (id, address, sealed, state, due_at, expires_at, created_at)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        SELECT printf('%08d', i), i || '@example.org', x'00', 'waiting', 0, 900000, 0 FROM n`,
      WAITING_MESSAGES_MAX - 1,
    )
    database.close()
    assert.equal(await store.issueCode(issue('last@example.org', 'last')), 'issued')
    assert.equal(await store.issueCode(issue('known@example.org', 'more')), 'full')
    assert.equal(await store.issueCode(issue('strange@example.org', 'more')), 'full')
    const limits = { attempts: { perClient: 5, inAll: 15 }, rates: { perClient: undefined, perEmail: undefined } }
    const claim = { email: 'known@example.org', mac: known.mac, client: Buffer.alloc(32), now: 1, ...limits }
    assert.equal((await signInWith(store, claim)).kind, 'signed-in', 'the code before stays good')
    // An email with a waiting message may request another, and an operator needs no room for a code without a message.
    assert.equal(await store.issueCode(issue('last@example.org', 'last again')), 'issued')
    assert.equal(await store.issueCode({ ...issue('boss@example.org', '-'), message: undefined }), 'issued')
    assert.equal(store.outbox.outboxSummary(0).counts.waiting, WAITING_MESSAGES_MAX)
    await store.finishMessage('00000001', { kind: 'failed', reply: '550' }, 2)
    assert.equal(await store.issueCode(issue('strange@example.org', 'more')), 'issued')
  })
})
