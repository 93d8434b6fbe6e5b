// isolated: it mocks timers
/** The threads for long queries: their bounds, and that others do not notice. Filters of many conditions stand for them. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Failure } from '../../src/base/failure.ts'
import type { Json } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { parseSort } from '../../src/query/order.ts'
import { parseFilter } from '../../src/query/parse.ts'
import { writeQuery, type QueryMessage } from '../../src/store/query/threads/query-message.ts'
import { createScanPool, type PoolLimits, type PoolOptions } from '../../src/store/query/threads/scan-pool.ts'
import { randomHeadline, sampleId } from '../support/query/headline-samples.ts'
import { namedPipe } from '../support/service/named-pipe.ts'
import { seededRandom } from '../../scripts/tools/random.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { testStore } from '../../scripts/tools/stores.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import type { QueryCaller, FindQuery } from '../../src/store/query/find-query.ts'

/** Some 35 ms of a thread for each of a hundred documents with a list, and five seconds for the one with `huge`. */
const SLOW: Json = { $nor: Array.from({ length: 900 }, (_, i) => ({ list: { $lt: -1 - i } })), list: { $ne: -1 } }
const STUCK: Json = { $nor: Array.from({ length: 900 }, (_, i) => ({ huge: { $lt: -1 - i } })), huge: { $exists: true } }
const HARMLESS: Json = { _id: { $in: [101, 102, 103].map(sampleId) }, excerpt: { $exists: true } }
const ADVICE = 'narrow the filter'
/** Past the deadline of every query, also of one whose thread is still loading its program. */
const PAST_DEADLINE_MS = 10_000
/** For a thread to stop, before it is ended. */
const STOP_MS = 250
const WAIT_MS_MAX = 600
const HUNG_PROGRAM = new URL('../support/service/hung-worker.ts', import.meta.url)

const { store, dir } = testStore({ after: (work) => after(() => work()) })

before(async () => {
  const random = seededRandom(1)
  const list = Array.from({ length: 4_000 }, (_, i) => i)
  const documents = Array.from({ length: 120 }, (_, i) => {
    const value = { ...randomHeadline(random, sampleId(i)), excerpt: 'one', status: 'active' }
    return { id: sampleId(i), value: i < 100 ? { ...value, list } : value }
  })
  const huge = { ...documents[119]?.value, id: sampleId(119), huge: Array.from({ length: 600_000 }, (_, i) => i) }
  await store.insertMissing(headline, [...documents.slice(0, 119), { id: sampleId(119), value: huge }])
})

/** A pool whose timers go on with clock.tick() only, so that no query misses its deadline by itself. */
function poolFor(t: TestContext, limits: Partial<PoolLimits> = {}, program: Partial<PoolOptions> = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const pool = createScanPool({ file: dir.database, now: () => 0, limits: { threads: 1, ...limits }, ...program })
  t.after(() => pool.close())
  const tick = async (ms: number): Promise<void> => {
    // Whatever was asked has set its timers by then.
    await nextTurn()
    t.mock.timers.tick(ms)
  }
  return { ...pool, tick }
}

const user = (id: string): QueryCaller => ({ id, class: 'user' })
const guest = (id: string): QueryCaller => ({ id, class: 'guest' })
const editor = (id: string): QueryCaller => ({ id, class: 'dashboard' })

function message(filter: Json, { sort = 'excerpt', limit = 3 } = {}): QueryMessage {
  const query: FindQuery = { filter: parseFilter(filter), sort: parseSort(sort), limit, after: undefined }
  return writeQuery('headline', query)
}

function isFailure(status: number, text: string, headers = false) {
  return (error: Error): boolean => {
    assert.ok(error instanceof Failure, String(error))
    assert.equal(error.status, status, error.message)
    assert.match(error.message, new RegExp(text))
    assert.equal('Retry-After' in error.headers, headers)
    return true
  }
}

describe('a query that misses its deadline', () => {
  it('ends with 400 and advice, and its thread goes on with the next', async (t) => {
    const pool = poolFor(t)
    const late = assert.rejects(pool.run(message(SLOW), user('a'), ADVICE), isFailure(400, ADVICE))
    await pool.tick(PAST_DEADLINE_MS)
    await late
    assert.equal((await pool.run(message(HARMLESS), user('a'), ADVICE)).items.length, 3)
    const { done, timedOut, running } = pool.counts()
    assert.deepEqual([done, timedOut, running.user], [2, 1, 0])
  })

  it('ends with 400 within one document as well, and its thread is replaced', async (t) => {
    const pool = poolFor(t)
    const late = assert.rejects(pool.run(message(STUCK), user('a'), ADVICE), isFailure(400, ADVICE))
    await pool.tick(PAST_DEADLINE_MS)
    await late
    const next = pool.run(message(HARMLESS), user('a'), ADVICE)
    await pool.tick(STOP_MS)
    assert.equal((await next).items.length, 3)
  })

  it('does not delay others: what other requests read meanwhile is there at once', async (t) => {
    const pool = poolFor(t)
    await pool.run(message(HARMLESS), user('a'), ADVICE)
    const client = new AbortController()
    let isOver = false
    const ended = assert
      .rejects(pool.run(message(SLOW), { ...user('a'), signal: client.signal }, ADVICE), { name: 'AbortError' })
      .finally(() => (isOver = true))
    for (let reads = 0; reads < 50; reads++) {
      assert.match(String(store.documents.get(headline, sampleId(3))), /^\{"id"/)
      await nextTurn()
      assert.ok(!isOver, `the query was over after ${reads} reads`)
    }
    client.abort()
    await ended
  })
})

describe('threads are shared', () => {
  it('three guests take all they get: every query of an administrator succeeds', async (t) => {
    const pool = poolFor(t, { threads: 2 })
    const guests = ['a', 'b', 'c'].flatMap((id) =>
      Array.from({ length: 4 }, () => pool.run(message(SLOW), guest(id), ADVICE).catch((error: unknown) => error)),
    )
    const answers = await Promise.all(Array.from({ length: 12 }, () => pool.run(message(HARMLESS), editor('admin'), ADVICE)))
    assert.ok(answers.every(({ items }) => items.length === 3))
    assert.ok(pool.counts().waiting.guest > 0, 'the guests were still at it')
    await pool.close()
    await Promise.all(guests)
  })

  it("one guest's flood of 100 slow queries: those past its own line get 429, and no other caller does", async (t) => {
    const pool = poolFor(t, { threads: 2 })
    const statusOf = (error: unknown): number => (error instanceof Failure ? error.status : 500)
    const flood = Array.from({ length: 100 }, () => pool.run(message(SLOW), guest('flood'), ADVICE).then(() => 200, statusOf))
    const callers = [guest('b'), guest('c'), user('d'), editor('e')]
    const others = await Promise.all(callers.map((caller) => pool.run(message(HARMLESS), caller, ADVICE)))
    assert.ok(others.every(({ items }) => items.length === 3))
    assert.equal(pool.counts().refused.lineFull, 83, 'one runs and sixteen wait')
    assert.equal(pool.counts().running.guest, 1)
    await pool.close()
    assert.equal((await Promise.all(flood)).filter((status) => status === 429).length, 83)
  })

  it('a query that waits for too long gets 429 and leaves its line', async (t) => {
    const pool = poolFor(t, { waitMsMax: WAIT_MS_MAX })
    const first = assert.rejects(pool.run(message(SLOW), user('a'), ADVICE), isFailure(400, ADVICE))
    const second = assert.rejects(pool.run(message(HARMLESS), user('b'), ADVICE), isFailure(429, 'waited too long', true))
    await pool.tick(WAIT_MS_MAX)
    await second
    const { waiting, refused } = pool.counts()
    assert.deepEqual([waiting.user, refused.waitedTooLong], [0, 1])
    await pool.tick(PAST_DEADLINE_MS)
    await first
  })

  it('a client that disconnects leaves its line, and its running query ends', async (t) => {
    const pool = poolFor(t)
    const [running, waiting] = [new AbortController(), new AbortController()]
    const isAborted = { name: 'AbortError' }
    const first = assert.rejects(pool.run(message(SLOW), { ...guest('a'), signal: running.signal }, ADVICE), isAborted)
    const second = assert.rejects(pool.run(message(SLOW), { ...guest('b'), signal: waiting.signal }, ADVICE), isAborted)
    const third = pool.run(message(HARMLESS), guest('c'), ADVICE)
    waiting.abort()
    await second
    running.abort()
    await first
    assert.equal((await third).items.length, 3)
    const { abandoned, timedOut, done } = pool.counts()
    assert.deepEqual([abandoned, timedOut, done], [1, 0, 2], 'the one that ran counts as well')
    await assert.rejects(pool.run({ ...message(HARMLESS), model: 'none' }, guest('c'), ADVICE), /no model none/)
    assert.equal(pool.counts().done, 3, 'and so does one that fails')
  })
})

it('a thread that never ends keeps its slot, and that of its caller, until it is really gone', async (t) => {
  const file = namedPipe(t)
  const pool = poolFor(t, { waitMsMax: WAIT_MS_MAX }, { file, program: HUNG_PROGRAM })
  const areHung = async (threads: number): Promise<void> => {
    while (readdirSync(dirname(file)).length <= threads) await nextTurn()
  }
  const hung = assert.rejects(pool.run(message(HARMLESS), guest('a'), ADVICE), isFailure(400, ADVICE))
  await areHung(1)
  await pool.tick(PAST_DEADLINE_MS)
  await hung
  await pool.tick(STOP_MS)
  // The thread was told to end: only a dashboard role gets another one.
  const waiting = assert.rejects(pool.run(message(HARMLESS), guest('b'), ADVICE), isFailure(429, 'waited too long', true))
  await pool.tick(WAIT_MS_MAX)
  await waiting
  assert.deepEqual(pool.counts().running, { guest: 1, user: 0, dashboard: 0 })
  const reserved = assert.rejects(pool.run(message(HARMLESS), editor('c'), ADVICE), isFailure(400, ADVICE))
  await areHung(2)
  await pool.tick(PAST_DEADLINE_MS)
  await reserved
  assert.deepEqual(pool.counts().running, { guest: 1, user: 0, dashboard: 1 })
})

describe('a thread', () => {
  it('answers one query after another with what is committed by then', async (t) => {
    const pool = poolFor(t)
    const byId = message({ excerpt: 'x', _id: sampleId(500) })
    assert.deepEqual((await pool.run(byId, user('a'), ADVICE)).items, [])
    const value = { ...randomHeadline(seededRandom(2), sampleId(500)), excerpt: 'x' }
    await store.insert(headline, { id: sampleId(500), value })
    assert.equal((await pool.run(byId, user('a'), ADVICE)).items.length, 1)
    await store.remove(headline, sampleId(500))
    assert.deepEqual((await pool.run(byId, user('a'), ADVICE)).items, [])
  })

  it('passes on numbers that a double cannot hold, and keys as deep as a document', async (t) => {
    // An answer with a key of 199 levels once ended the process: it stood two levels deeper than a parser takes.
    const deep = JSON.parse(`${'['.repeat(198)}9007199254740993${']'.repeat(198)}`) as Json
    const pool = poolFor(t)
    for (const id of [sampleId(600), sampleId(601)]) {
      await store.insert(headline, { id, value: { ...randomHeadline(seededRandom(3), id), deep: { in: deep } } })
    }
    const filter = { deep: { $exists: true } }
    const found = await pool.run(message(filter, { sort: 'deep', limit: 1 }), user('a'), ADVICE)
    assert.equal(found.items.length, 1)
    assert.ok(JSON.stringify(found.next?.keys).includes('['.repeat(198)))
  })

  const skip = longRun(0, 1) === 0 && 'in the night only'
  it('that runs out of memory answers 400, and another takes its place', { skip }, async (t) => {
    const pool = poolFor(t)
    // Parsed, a document of small objects is many times as large as its text.
    const value = { ...randomHeadline(seededRandom(5), sampleId(800)), crowd: Array<Json>(2_000_000).fill({ a: 1 }) }
    await store.insertMissing(headline, [{ id: sampleId(800), value }])
    const all = message({ crowd: { $exists: true } })
    await assert.rejects(pool.run(all, user('a'), ADVICE), isFailure(400, ADVICE))
    await store.remove(headline, sampleId(800))
    assert.equal((await pool.run(message(HARMLESS), user('a'), ADVICE)).items.length, 3)
  })
})

describe('the end', () => {
  it('of the pool rejects running and waiting queries: the service is stopping', async (t) => {
    const pool = poolFor(t)
    const jobs = [SLOW, HARMLESS].map((filter) =>
      assert.rejects(pool.run(message(filter), user('a'), ADVICE), isFailure(503, 'stopping')),
    )
    await nextTurn()
    await pool.close()
    await Promise.all(jobs)
    await assert.rejects(pool.run(message(HARMLESS), user('a'), ADVICE), isFailure(503, 'stopping'))
  })

  it('of the process does not wait for idle threads', async (t) => {
    const program = `
      import { createScanPool } from ${JSON.stringify(new URL('../../src/store/query/threads/scan-pool.ts', import.meta.url).href)}
      const pool = createScanPool({ file: ${JSON.stringify(dir.database)}, now: () => 0 })
      const found = await pool.run(${JSON.stringify(message(HARMLESS))}, { id: 'a', class: 'user' }, '')
      console.log(found.items.length)`
    const file = join(temporaryDirectory(t), 'program.ts')
    writeFileSync(file, program)
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    const [code] = (await once(child, 'close')) as [number]
    assert.deepEqual([code, output], [0, '3\n'])
  })
})
