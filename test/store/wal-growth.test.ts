/**
 * The WAL while long queries never pause. SQLite cannot restart it while a reader is in it: with a flood of queries it
 * grew with every write, and kept what was deleted.
 */
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { newAccount } from '../../src/auth/new-account.ts'
import { headline } from '../../src/models/headline.ts'
import { parseSort } from '../../src/query/order.ts'
import { parseFilter } from '../../src/query/parse.ts'
import type { FindQuery } from '../../src/store/store.ts'
import { LANGUAGE } from '../support/service/data-bodies.ts'
import { randomHeadline, sampleId } from '../support/service/headline-samples.ts'
import { seededRandom } from '../support/random.ts'
import { testStore } from '../support/service/stores.ts'

const MIB = 1024 * 1024
const NORMAL_BYTES = 16 * MIB
/** The rest is what a batch writes, which has the running queries over before the next one. */
const WAL_BYTES_MAX = 32 * MIB
const BATCHES = 60
const BATCH = 20
const QUERY: FindQuery = { filter: parseFilter({ rank: { $gte: 0 } }), sort: parseSort('rank'), limit: 5, after: undefined }

const { store, dir } = testStore({ after: (work) => after(() => work()) })
const random = seededRandom(1)
const documentOf = (i: number, chars: number) => ({
  id: sampleId(i),
  value: { ...randomHeadline(random, sampleId(i)), rank: i, notes: 'n'.repeat(chars) },
})

before(() =>
  store.insertMissing(headline, Array.from({ length: 400 }, (_, i) => documentOf(i, 1_000))),
)

/** Asks one query after the other for each of four guests, until it is told to stop. */
function flood(): { answers(): Promise<unknown>; stop(): Promise<void> } {
  let isOver = false
  const asked: unknown[] = []
  const callers = [1, 2, 3, 4].map(async (n) => {
    while (!isOver) await (asked[n] = store.find(headline, QUERY, { id: `guest ${n}`, class: 'guest' }))
  })
  return {
    /** Waits for the answers to all that is asked now. */
    answers: () => Promise.all(asked),
    async stop() {
      isOver = true
      await Promise.all(callers)
    },
  }
}

describe('beside a flood of long queries', () => {
  it('the WAL does not grow with what is written', async () => {
    const { answers, stop } = flood()
    let [longest, written] = [0, 0]
    for (let batch = 0; batch < BATCHES; batch++) {
      const documents = Array.from({ length: BATCH }, (_, i) => documentOf(1_000 + batch * BATCH + i, 30_000))
      written += documents.length * 30_000
      await Promise.all(documents.map((document) => store.insert(headline, document)))
      await Promise.all(documents.map(({ id }) => store.remove(headline, id)))
      const bytes = statSync(`${dir.database}-wal`).size
      longest = Math.max(longest, bytes)
      if (bytes > NORMAL_BYTES) await answers()
    }
    await stop()
    assert.ok(written > WAL_BYTES_MAX && longest < WAL_BYTES_MAX, `${longest} bytes of WAL for ${written} written`)
  })

  it('a deleted account is gone from the files', async () => {
    const email = 'reader.with.a.name@example.org'
    const account = newAccount({
      ...{ id: sampleId(77), email, appRole: 'standardUser', dashboardRole: 'none', now: 0, language: LANGUAGE },
    })
    await store.createAccount(account)
    const { stop } = flood()
    const isThere = (): boolean => ['', '-wal'].some((end) => readFileSync(dir.database + end).includes(email))
    assert.equal(isThere(), true)
    assert.equal(await store.deleteAccount({ id: sampleId(77), now: 0, keepLastAdmin: false }), 'deleted')
    while (isThere()) await new Promise(setImmediate)
    await stop()
  })
})
