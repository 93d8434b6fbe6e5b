/** What waits to be indexed; changes/change-log.test.ts compares the search index with the documents after random writes. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { headline } from '../../src/models/headline.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { wordFaults } from '../../src/store/tables/word-index.ts'
import { testStore } from '../support/service/stores.ts'

it('the search index takes a long text over at once, so that no client makes each search look through megabytes', async (t) => {
  const { store, dir } = testStore(t)
  const database = openDatabase(dir.database)
  t.after(() => database.close())
  const pending = (): unknown => database.get('SELECT count(*) AS n FROM headline_search_pending')?.['n']
  const value = { id: 'h', title: 'Short', excerpt: 'x', status: 'active', topic: { id: 't' }, source: { id: 's' }, eventCountry: { id: 'c' } }
  await store.insert(headline, { id: 'h', value })
  assert.equal(pending(), 1)
  const excerpt = Array.from({ length: 1_000 }, (_, i) => `word${i}`).join(' ')
  await store.update(headline, 'h', () => ({ ...value, excerpt }))
  assert.equal(pending(), 0)
  assert.deepEqual(wordFaults(database, [headline]), [])
})
