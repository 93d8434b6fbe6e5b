/** SQLite cannot restart the WAL while a reader is in it: with a flood of queries, it kept what was deleted. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { newAccount } from '../../src/auth/new-account.ts'
import { headline } from '../../src/models/headline.ts'
import { parseSort } from '../../src/query/order.ts'
import { parseFilter } from '../../src/query/parse.ts'
import type { FindQuery } from '../../src/store/store.ts'
import { LANGUAGE } from '../support/service/data-bodies.ts'
import { randomHeadline, sampleId } from '../../scripts/tools/query/headline-samples.ts'
import { seededRandom } from '../support/random.ts'
import { testStore } from '../support/service/stores.ts'

const QUERY: FindQuery = { filter: parseFilter({ rank: { $gte: 0 } }), sort: parseSort('rank'), limit: 5, after: undefined }

it('a deleted account is gone from the files beside a flood of long queries', async (t) => {
  const { store, dir } = testStore(t)
  const random = seededRandom(1)
  const documents = Array.from({ length: 400 }, (_, i) => {
    const value = { ...randomHeadline(random, sampleId(i)), rank: i, notes: 'n'.repeat(1_000) }
    return { id: sampleId(i), value }
  })
  await store.insertMissing(headline, documents)
  const email = 'reader.with.a.name@example.org'
  const roles = { appRole: 'standardUser', dashboardRole: 'none' } as const
  await store.createAccount(newAccount({ id: sampleId(77), email, ...roles, now: 0, language: LANGUAGE }))
  let isOver = false
  const flood = [1, 2, 3, 4].map(async (n) => {
    while (!isOver) await store.find(headline, QUERY, { id: `guest ${n}`, class: 'guest' })
  })
  const isThere = (): boolean => ['', '-wal'].some((end) => readFileSync(dir.database + end).includes(email))
  assert.equal(isThere(), true)
  assert.equal(await store.deleteAccount({ id: sampleId(77), now: 0, keepLastAdmin: false }), 'deleted')
  while (isThere()) await new Promise(setImmediate)
  isOver = true
  await Promise.all(flood)
})
