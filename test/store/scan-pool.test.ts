/** The threads for long queries: their bounds, and that nobody else notices. Catastrophic patterns stand for them. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Failure } from '../../src/base/failure.ts'
import type { Json } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { parseSort } from '../../src/query/order.ts'
import { parseFilter } from '../../src/query/parse.ts'
import { writeQuery, type QueryMessage } from '../../src/store/query-message.ts'
import { createScanPool, type PoolLimits, type ScanPool } from '../../src/store/scan-pool.ts'
import type { FindQuery } from '../../src/store/store.ts'
import { randomHeadline, sampleId } from '../support/headline-samples.ts'
import { seededRandom } from '../support/random.ts'
import { temporaryDirectory } from '../support/service.ts'
import { testStore } from '../support/stores.ts'

/** On this title, and on no other, `(a+)+$` takes longer than anybody waits. */
const TRAP = `${'a'.repeat(40)}!`
const TRAPPED: Json = { title: { $regex: '^(a+)+$' } }
const HARMLESS: Json = { title: { $regex: '.*' } }
const ADVICE = 'narrow the filter'
const DEADLINE_MS = 150

const { store, dir } = testStore({ after: (work) => after(() => work()) })

before(async () => {
  const random = seededRandom(1)
  for (let i = 0; i < 20; i++) {
    const document = { ...randomHeadline(random, sampleId(i)), ...(i === 10 ? { title: TRAP } : {}) }
    await store.insert(headline, { id: sampleId(i), value: document })
  }
})

function poolFor(t: { after(work: () => Promise<void>): void }, limits: Partial<PoolLimits>): ScanPool {
  const pool = createScanPool(dir.database, { threads: 1, deadlineMs: DEADLINE_MS, ...limits })
  t.after(() => pool.close())
  return pool
}

function message(filter: Json, { sort = 'updatedAt:desc', limit = 3 } = {}): QueryMessage {
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
  it('ends with 400 and advice, and its thread is replaced', async (t) => {
    const pool = poolFor(t, {})
    await assert.rejects(pool.run(message(TRAPPED), 'a', ADVICE), isFailure(400, ADVICE))
    assert.deepEqual(pool.counts(), { done: 0, timedOut: 1, refused: 0 })
    assert.equal((await pool.run(message(HARMLESS), 'a', ADVICE)).items.length, 3)
    assert.deepEqual(pool.counts(), { done: 1, timedOut: 1, refused: 0 })
  })

  it('holds nobody up: what other requests read meanwhile is there at once', async (t) => {
    const pool = poolFor(t, { deadlineMs: 600 })
    const trapped = pool.run(message(TRAPPED), 'a', ADVICE)
    let isOver = false
    const over = assert.rejects(trapped, isFailure(400, ADVICE)).then(() => (isOver = true))
    let reads = 0
    for (; !isOver; reads++) {
      assert.match(String(await store.get(headline, sampleId(3))), /^\{"id"/)
      await new Promise(setImmediate)
    }
    await over
    assert.ok(reads > 50, `${reads} reads in 600 ms`)
  })

  it('gives its place to the next that waits', async (t) => {
    const pool = poolFor(t, { waitingMax: 2 })
    const trapped = [1, 2].map(() => assert.rejects(pool.run(message(TRAPPED), 'a', ADVICE), isFailure(400, ADVICE)))
    const harmless = await pool.run(message(HARMLESS), 'b', ADVICE)
    assert.equal(harmless.items.length, 3)
    assert.equal(pool.counts().timedOut, 2)
    await Promise.all(trapped)
  })
})

describe('queries wait within bounds', () => {
  it('a caller has so many under way and not one more, whoever else waits', async (t) => {
    const pool = poolFor(t, { perCallerMax: 2, waitingMax: 10 })
    const mine = [1, 2].map(() => pool.run(message(HARMLESS), 'me', ADVICE))
    await assert.rejects(pool.run(message(HARMLESS), 'me', ADVICE), isFailure(429, 'At most 2 queries', true))
    assert.equal((await pool.run(message(HARMLESS), 'you', ADVICE)).items.length, 3)
    await Promise.all(mine)
    assert.equal((await pool.run(message(HARMLESS), 'me', ADVICE)).items.length, 3, 'after that the caller may again')
    assert.deepEqual(pool.counts(), { done: 4, timedOut: 0, refused: 1 })
  })

  it('so many wait altogether and not one more, whoever asks', async (t) => {
    const pool = poolFor(t, { waitingMax: 2 })
    const taken = ['a', 'b', 'c'].map((caller) => pool.run(message(HARMLESS), caller, ADVICE))
    await assert.rejects(pool.run(message(HARMLESS), 'd', ADVICE), isFailure(503, 'Too many queries', true))
    await Promise.all(taken)
    assert.equal((await pool.run(message(HARMLESS), 'd', ADVICE)).items.length, 3)
    assert.equal(pool.counts().refused, 1)
  })

  it('a refused query counts for nobody', async (t) => {
    const pool = poolFor(t, { perCallerMax: 1 })
    for (let i = 0; i < 3; i++) {
      const first = pool.run(message(HARMLESS), 'a', ADVICE)
      await assert.rejects(pool.run(message(HARMLESS), 'a', ADVICE), isFailure(429, 'At most 1 ', true))
      assert.equal((await first).items.length, 3)
    }
  })
})

describe('a thread', () => {
  it('answers one query after another with what is committed by then', async (t) => {
    const pool = poolFor(t, {})
    const byId = message({ $and: [HARMLESS, { _id: sampleId(500) }] })
    assert.deepEqual((await pool.run(byId, 'a', ADVICE)).items, [])
    const value = randomHeadline(seededRandom(2), sampleId(500))
    await store.insert(headline, { id: sampleId(500), value })
    assert.equal((await pool.run(byId, 'a', ADVICE)).items.length, 1)
    await store.remove(headline, sampleId(500))
    assert.deepEqual((await pool.run(byId, 'a', ADVICE)).items, [])
  })

  it('passes on numbers that a double cannot hold, and keys as deep as a document', async (t) => {
    // An answer with a key of 199 levels once ended the process: it stood two levels deeper than a parser takes.
    const deep = JSON.parse(`${'['.repeat(198)}9007199254740993${']'.repeat(198)}`) as Json
    const pool = poolFor(t, {})
    for (const id of [sampleId(600), sampleId(601)]) {
      await store.insert(headline, { id, value: { ...randomHeadline(seededRandom(3), id), deep: { in: deep } } })
    }
    const found = await pool.run(
      message({ $and: [HARMLESS, { deep: { $exists: true } }] }, { sort: 'deep', limit: 1 }),
      'a',
      ADVICE,
    )
    assert.equal(found.items.length, 1)
    assert.ok(JSON.stringify(found.next?.keys).includes('['.repeat(198)))
  })

  it('survives a pattern that fills the stack of the engine', async (t) => {
    const pool = poolFor(t, { deadlineMs: 5_000 })
    const value = { ...randomHeadline(seededRandom(4), sampleId(700)), long: 'ab'.repeat(900_000) }
    await store.insert(headline, { id: sampleId(700), value })
    const filter = { long: { $regex: '^(?:(a)|(b)|(c))*$' } }
    const outcome = await pool.run(message(filter), 'a', ADVICE).then(
      () => 'answered',
      (error: unknown) => error,
    )
    assert.ok(outcome === 'answered' || (outcome instanceof Failure && outcome.status === 400), String(outcome))
    assert.equal((await pool.run(message(HARMLESS), 'a', ADVICE)).items.length, 3)
  })

  it('that runs out of memory answers 400, and another takes its place', async (t) => {
    const pool = poolFor(t, { deadlineMs: 30_000 })
    const ids = Array.from({ length: 30 }, (_, i) => sampleId(800 + i))
    const large = 'Ä€'.repeat(800_000)
    await store.insertMissing(
      headline,
      ids.map((id) => ({ id, value: { ...randomHeadline(seededRandom(5), id), large } })),
    )
    const all = message({ $and: [HARMLESS, { large: { $exists: true } }] }, { sort: 'large', limit: 100 })
    await assert.rejects(pool.run(all, 'a', ADVICE), isFailure(400, ADVICE))
    assert.equal((await pool.run(message(HARMLESS), 'a', ADVICE)).items.length, 3)
  })
})

describe('the end', () => {
  it('of the pool tells what runs and what waits that the service is stopping', async (t) => {
    const pool = poolFor(t, { deadlineMs: 60_000 })
    const jobs = [TRAPPED, HARMLESS].map((filter) =>
      assert.rejects(pool.run(message(filter), 'a', ADVICE), isFailure(503, 'stopping')),
    )
    await pool.close()
    await Promise.all(jobs)
  })

  it('of the process is not kept waiting by idle threads', async (t) => {
    const program = `
      import { createScanPool } from ${JSON.stringify(new URL('../../src/store/scan-pool.ts', import.meta.url).href)}
      const pool = createScanPool(${JSON.stringify(dir.database)})
      const found = await pool.run(${JSON.stringify(message(HARMLESS))}, 'a', '')
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
