/** Rates in the database: what each client may leave there is bounded, and so is what all of them may. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addHit, forgetHits, rateWait } from '../../src/store/accounts/rate-table.ts'
import { openForTest, testStore } from '../../scripts/tools/stores.ts'

const HITS_MAX = 500_000
const rate = (key: string) => ({ key: Buffer.from(key), max: 1, windowMs: 1000 })

it('the newest events of all keys are kept; above the maximum the oldest are dropped', (t) => {
  const database = openForTest(t, testStore(t).dir.database)
  const keys = (): readonly string[] =>
    database.all('SELECT key FROM rate_hit ORDER BY rowid').map(({ key }) => Buffer.from(key as Uint8Array).toString())
  const put = (rowid: number, key: string): unknown =>
    database.run('INSERT INTO rate_hit (rowid, key, at, expires_at) VALUES (?, ?, 0, 1000)', rowid, Buffer.from(key))
  for (const [rowid, key] of [[1, 'oldest'], [2, 'old'], [HITS_MAX, 'newest']] as const) {
    put(rowid, key)
  }
  addHit(database, rate('next'), 0)
  assert.deepEqual(keys(), ['old', 'newest', 'next'])
  addHit(database, rate('last'), 0)
  assert.deepEqual(keys(), ['newest', 'next', 'last'])
  assert.equal(rateWait(database, rate('oldest'), 1), undefined)
  assert.equal(rateWait(database, rate('last'), 1), 999)
})

it('a window that is forgotten has room again, and no other', (t) => {
  const database = openForTest(t, testStore(t).dir.database)
  for (const key of ['one', 'other']) addHit(database, rate(key), 0)
  forgetHits(database, { key: Buffer.from('one') })
  assert.deepEqual([rateWait(database, rate('one'), 1), rateWait(database, rate('other'), 1)], [undefined, 999])
})

it('attack: events of a time to come, as of a forged backup, shut out no owner', (t) => {
  const database = openForTest(t, testStore(t).dir.database)
  addHit(database, rate('owner'), 4_102_444_800_000)
  assert.equal(rateWait(database, rate('owner'), 1), undefined)
})
