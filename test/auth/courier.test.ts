// isolated: it mocks timers
/** The courier on a real store, with a scripted mailer in this process and a fixed clock. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCodes } from '../../src/auth/codes.ts'
import { startCourier, type CourierOptions } from '../../src/auth/courier.ts'
import { deriveKeys } from '../../src/auth/keys.ts'
import { createLimits, NO_LIMITS } from '../../src/auth/limits.ts'
import { DeliveryError } from '../../src/mail/delivery/delivery-error.ts'
import type { Mail } from '../../src/mail/delivery/mailer.ts'
import { invitationMail } from '../../src/mail/templates/invitation-mail.ts'
import { signInMessage } from '../../src/mail/templates/templates.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { testStore, VISITOR } from '../../scripts/tools/stores.ts'
import type { MessageRecord } from '../../src/store/outbox/outbox-table.ts'
import { until } from '../support/until.ts'

const MINUTE_MS = 60_000
const LIFETIME_MS = 15 * MINUTE_MS
const START = 1_000_000
const keys = deriveKeys(['s'.repeat(43)])

/** The server's reply to a mail, or the error of the attempt. */
type Answer = (mail: Mail, signal: AbortSignal) => Promise<string> | string

function openOffice(t: Cleanup, more: Partial<CourierOptions> = {}) {
  const closers: (() => void | Promise<void>)[] = []
  const { store } = testStore({ after: (work) => void closers.push(work) })
  const log = recordingLog()
  const settings = { lifetimeMs: LIFETIME_MS, attemptsMax: 5 }
  let ids = 0
  const newId = (): string => String(++ids).padStart(4, '0')
  const codes = createCodes({ store, limits: createLimits(store, () => NO_LIMITS, keys.rate), keys, newId, settings })
  const office = {
    store,
    log,
    /** The mails handed to the server, and the codes in them. */
    sent: [] as Mail[],
    languages: [] as (readonly string[])[],
    answer: (() => '250 ok') as Answer,
    now: START,
    /** Requests a code by mail. */
    async ask(email: string): Promise<void> {
      await codes.send({ email, languages: ['de'] }, VISITOR, office.now)
      courier.wake()
    },
    /** Advances the clock, and lets the courier do what is due. */
    async pass(ms: number): Promise<void> {
      office.now += ms
      courier.wake()
      await courier.idle()
    },
    wake: (): void => courier.wake(),
    idle: (): Promise<void> => courier.idle(),
    stop: (): Promise<void> => courier.stop(),
    /** The records of the outbox, newest first. */
    records: (): readonly MessageRecord[] => store.outbox.listMessages({ state: undefined, limit: 100, now: office.now }),
    states: (): readonly string[] => office.records().map(({ state }) => state),
    events: (event: string): number => log.entries.filter((entry) => entry.event === event).length,
  }
  const courier = startCourier({
    store,
    mailer: {
      async send(mail, { signal } = {}) {
        assert.ok(signal)
        office.sent.push(mail)
        return { reply: await office.answer(mail, signal) }
      },
    },
    signIn: (signIn) => {
      office.languages.push(signIn.languages)
      return signInMessage({ ...signIn, appName: 'Dateline' })
    },
    invitation: (invitation) => invitationMail(invitation, 'Dateline'),
    sealKey: keys.seal,
    codeMinutes: 15,
    now: () => office.now,
    random: () => 0,
    log: log.log,
    ...more,
  })
  t.after(async () => {
    await courier.stop()
    for (const close of closers.toReversed()) await close()
  })
  return office
}

const rejectionOf = (reply: string): DeliveryError =>
  new DeliveryError(`Cannot deliver mail at rcpt: got "${reply}"`, { stage: 'rcpt', temporary: reply.startsWith('4'), reply })
const unreachable = (): DeliveryError =>
  new DeliveryError('Cannot deliver mail at connect: ECONNREFUSED', { stage: 'connect', temporary: true })
const throws = (make: () => Error) => () => {
  throw make()
}
/** A reply that the test sends later, or that ends with the attempt. */
function held() {
  const { promise, resolve } = Promise.withResolvers<string>()
  const begun = Promise.withResolvers<AbortSignal>()
  const answer: Answer = (_mail, signal) => {
    begun.resolve(signal)
    return new Promise<string>((done, reject) => {
      void promise.then(done)
      signal.addEventListener('abort', () => reject(new DeliveryError('aborted', { stage: 'data', temporary: true })))
    })
  }
  return { answer, begun: begun.promise, reply: resolve }
}

describe('a message', () => {
  it('is sent in the languages of its recipient, and recorded with the reply of the server', async (t) => {
    const office = openOffice(t)
    await office.ask('a@example.org')
    await office.idle()
    const [record] = office.records()
    assert.deepEqual([record?.state, record?.attempts, record?.reply], ['delivered', 1, '250 ok'])
    assert.deepEqual(office.languages, [['de']])
    assert.equal(office.sent[0]?.id, record?.id)
  })

  it('that is rejected temporarily is retried after pauses until its code expires', async (t) => {
    const office = openOffice(t)
    office.answer = throws(() => rejectionOf('450 4.2.0 greylisted'))
    await office.ask('a@example.org')
    await office.idle()
    const tried: number[] = []
    for (;;) {
      const [record] = office.records()
      if (record?.dueAt === undefined) break
      const before = office.sent.length
      await office.pass(record.dueAt - office.now - 1)
      assert.equal(office.sent.length, before, 'not a moment early')
      await office.pass(1)
      assert.equal(office.sent.length, before + 1)
      tried.push(office.now - START)
    }
    const [record] = office.records()
    assert.equal(record?.state, 'expired')
    assert.match(record.reply ?? '', /450 4\.2\.0 greylisted/)
    assert.deepEqual(tried.slice(0, 6), [1_000, 3_000, 7_000, 15_000, 31_000, 61_000])
    assert.equal(tried.at(-1), LIFETIME_MS - 30_000)
    assert.deepEqual([office.events('mail.deferred'), office.events('mail.expired')], [tried.length, 1])
    assert.equal(new Set(office.sent.map(({ id }) => id)).size, 1, 'always the same message')
  })

  it('that is rejected permanently is not retried', async (t) => {
    const office = openOffice(t)
    office.answer = throws(() => rejectionOf('550 5.1.1 no such user'))
    await office.ask('a@example.org')
    for (let i = 0; i < 5; i++) await office.pass(MINUTE_MS)
    assert.deepEqual([office.sent.length, office.records()[0]?.state], [1, 'failed'])
    assert.equal(office.events('mail.failed'), 1)
  })

  it('that was sealed with another secret fails, and the others go on', async (t) => {
    const office = openOffice(t)
    const issue = { email: 'a@example.org', mac: Buffer.alloc(32), now: START, expiresAt: START + LIFETIME_MS }
    await office.store.issueCode({ ...issue, message: { id: 'x', sealed: Buffer.alloc(60) } })
    await office.ask('b@example.org')
    await office.idle()
    assert.deepEqual(office.states().toSorted(), ['delivered', 'failed'])
  })

  it('whose code a server repeats leaves no code in the record or in the log', async (t) => {
    const office = openOffice(t)
    office.answer = ({ subject }) => `250 queued: ${subject}, x${subject.slice(0, 6)}9`
    await office.ask('a@example.org')
    await office.idle()
    office.answer = ({ subject }) => throws(() => new Error(`odd: ${subject}`))() as never
    await office.ask('b@example.org')
    await office.idle()
    const codes = office.sent.map(({ code = '' }) => code)
    assert.equal(codes.filter((code) => /^\d{6}$/.test(code)).length, 2)
    const leaked = JSON.stringify([office.log.entries.map(({ fields }) => fields), office.records()])
    assert.match(leaked, /odd: \*\*\* is/)
    for (const code of codes) assert.ok(!leaked.includes(code), leaked)
  })
})

describe('several messages', () => {
  it('go at the same time, so that three that hang do not delay the others', async (t) => {
    const office = openOffice(t)
    const hanging = held()
    office.answer = (mail, signal) => (mail.to.startsWith('slow') ? hanging.answer(mail, signal) : '250 ok')
    for (let i = 0; i < 3; i++) await office.ask(`slow-${i}@example.org`)
    for (let i = 0; i < 20; i++) await office.ask(`quick-${i}@example.org`)
    const delivered = async () => office.states().filter((state) => state === 'delivered').length
    await until(async () => (await delivered()) >= 20)
    hanging.reply('250 at last')
    await office.idle()
    assert.equal(await delivered(), 23)
  })

  it('are never more than four at a time', async (t) => {
    const office = openOffice(t)
    let [now, most] = [0, 0]
    office.answer = async () => {
      most = Math.max(most, ++now)
      for (let i = 0; i < 3; i++) await new Promise(setImmediate)
      now--
      return '250 ok'
    }
    await Promise.all(Array.from({ length: 50 }, (_, i) => office.ask(`r${i}@example.org`)))
    await office.idle()
    assert.deepEqual([most, office.sent.length, new Set(office.sent.map(({ to }) => to)).size], [4, 50, 50])
  })
})

describe('a newer code for the same address', () => {
  it('aborts the attempt with the old one, goes after it, and the old one is never retried', async (t) => {
    const office = openOffice(t)
    const hanging = held()
    office.answer = hanging.answer
    await office.ask('a@example.org')
    const signal = await hanging.begun
    office.answer = () => {
      assert.ok(signal.aborted, 'the old attempt is over')
      return '250 ok'
    }
    await office.ask('a@example.org')
    await office.idle()
    for (let i = 0; i < 3; i++) await office.pass(MINUTE_MS)
    assert.equal(office.sent.length, 2)
    assert.deepEqual(office.states(), ['delivered', 'superseded'])
    assert.equal(office.events('mail.superseded'), 1)
  })

  it('does so when all lanes are in use', async (t) => {
    const office = openOffice(t)
    const hanging = held()
    office.answer = hanging.answer
    for (const name of ['a', 'b', 'c', 'd']) await office.ask(`${name}@example.org`)
    await until(() => office.sent.length >= 4)
    office.answer = () => '250 ok'
    await office.ask('a@example.org')
    await until(() => office.sent.length >= 5)
    assert.equal(office.sent[4]?.to, 'a@example.org')
    hanging.reply('250 ok')
    await office.idle()
  })

  it('leaves the old one superseded, even if the server accepts it at that moment', async (t) => {
    const office = openOffice(t)
    const { promise, resolve } = Promise.withResolvers<string>()
    office.answer = () => promise
    await office.ask('a@example.org')
    await until(() => office.sent.length >= 1)
    office.answer = () => '250 newer'
    await office.ask('a@example.org')
    resolve('250 older')
    await office.idle()
    const records = office.records().map(({ state, reply }) => [state, reply])
    assert.deepEqual(records, [['delivered', '250 newer'], ['superseded', '250 older']])
  })

  it('and a deleted account end an attempt within the time of a poll', async (t) => {
    const office = openOffice(t)
    const hanging = held()
    office.answer = hanging.answer
    await office.ask('a@example.org')
    await hanging.begun
    // As `dateline admin --code` does in another process.
    const issue = { email: 'a@example.org', mac: Buffer.alloc(32), now: START, expiresAt: START + LIFETIME_MS }
    await office.store.issueCode({ ...issue, message: undefined })
    await office.pass(1)
    assert.deepEqual(office.states(), ['superseded'])
  })
})

describe('an unreachable mail server', () => {
  it('costs waiting messages no attempt: one probe at a time, and all go when it is back', async (t) => {
    const office = openOffice(t)
    office.answer = throws(unreachable)
    await office.ask('first@example.org')
    await office.idle()
    for (let i = 0; i < 30; i++) await office.ask(`r${i}@example.org`)
    await office.idle()
    assert.equal(office.sent.length, 1, 'one failure pauses all messages')
    const probes: number[] = []
    for (; office.now < START + 5 * MINUTE_MS;) {
      const before: number = office.sent.length
      await office.pass(250)
      const more: number = office.sent.length - before
      assert.ok(more <= 1)
      if (more === 1) probes.push(office.now - START)
    }
    assert.deepEqual(probes.slice(0, 5), [1_250, 3_750, 8_750, 18_750, 38_750])
    assert.deepEqual([office.events('mail.circuit-opened'), office.events('mail.circuit-closed')], [1, 0])
    assert.match(String((await office.log.logged('mail.circuit-opened')).fields['reason']), /ECONNREFUSED/)
    assert.equal(office.log.entries.filter(({ level }) => level === 'warn').length, 3, 'then the log is quiet')
    const untouched = office.records().filter(({ attempts }) => attempts === 0)
    assert.ok(untouched.length > 15, `${untouched.length} of 31`)
    const attempts = office.records().reduce((sum, record) => sum + record.attempts, 0)
    assert.equal(attempts, office.sent.length)
    for (const { dueAt, reply } of untouched) assert.deepEqual([dueAt, reply], [START, undefined])

    office.answer = () => '250 ok'
    await office.pass(MINUTE_MS)
    assert.ok(office.records().every(({ state }) => state === 'delivered'))
    assert.equal(office.events('mail.circuit-closed'), 1)
  })

  it('is probed at once when an operator retries a message', async (t) => {
    const office = openOffice(t)
    office.answer = throws(unreachable)
    for (const name of ['a', 'b', 'c']) await office.ask(`${name}@example.org`)
    for (let i = 0; i < 6; i++) await office.pass(30_000)
    const [c, b] = office.records()
    const before = office.sent.length
    await office.pass(1)
    assert.equal(office.sent.length, before)
    office.answer = () => '250 ok'
    assert.equal(await office.store.retryMessage(b?.id ?? '', office.now), 'due')
    await office.pass(0)
    assert.equal(office.sent[before]?.to, b?.address)
    assert.notEqual(b?.id, c?.id)
    assert.ok(office.records().every(({ state }) => state === 'delivered'))
  })

  it('counts as reachable when it rejects a message', async (t) => {
    const office = openOffice(t)
    office.answer = throws(unreachable)
    await office.ask('a@example.org')
    for (let i = 0; i < 4; i++) await office.pass(MINUTE_MS)
    office.answer = throws(() => rejectionOf('550 no such user'))
    await office.pass(MINUTE_MS)
    assert.equal(office.events('mail.circuit-closed'), 1)
  })
})

describe('the end of the service', () => {
  it('waits for attempts in flight, and starts no more', async (t) => {
    const office = openOffice(t)
    const hanging = held()
    office.answer = hanging.answer
    for (const name of ['a', 'b', 'c', 'd', 'e']) await office.ask(`${name}@example.org`)
    await until(() => office.sent.length >= 4)
    const stopped = office.stop()
    hanging.reply('250 ok')
    await stopped
    assert.deepEqual(office.states(), ['waiting', 'delivered', 'delivered', 'delivered', 'delivered'])
  })
})

it('a result that cannot be written is kept until it can, and its message is not sent again', async (t) => {
  const office = openOffice(t)
  const real = office.store.finishMessage
  let failures = 2
  const written = Promise.withResolvers<void>()
  // Simulates a full disk; the store is the courier's own object.
  Object.assign(office.store, {
    finishMessage: async (...words: Parameters<typeof real>) => {
      if (failures-- > 0) throw new Error('the disk is full')
      await real(...words)
      written.resolve()
    },
  })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  await office.ask('a@example.org')
  await office.log.logged('mail.courier-failed')
  // Past the end of the lease.
  office.now += 10 * MINUTE_MS
  office.wake()
  for (let i = 0; i < 2; i++) {
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
    t.mock.timers.tick(5_000)
  }
  await written.promise
  await office.idle()
  const [record] = office.records()
  assert.deepEqual([office.sent.length, record?.state, failures], [1, 'delivered', -1])
})
