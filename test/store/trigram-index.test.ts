/** How common the trigrams of a text are: what is counted for it does not grow with the documents. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { headline } from '../../src/models/headline.ts'
import { openDatabase, type Database } from '../../src/store/sqlite/database.ts'
import { rarestTrigrams, trigramsOf } from '../../src/store/tables/trigram-index.ts'
import { testStore } from '../support/service/stores.ts'
import type { Cleanup } from '../support/service/temporary-directory.ts'

const DOCUMENTS = 600
const LIMIT = 400
const RARE_EVERY = 50
const DATE = '2026-03-01T12:00:00.000Z'

async function indexed(t: Cleanup): Promise<Database> {
  const { store, dir } = testStore(t)
  const documents = Array.from({ length: DOCUMENTS }, (_, i) => {
    // "our" is in all titles, "arbour" in some of them, and "harbour" in none.
    const title = i % RARE_EVERY === 0 ? 'hour arbour' : 'hour arable'
    const references = { source: { id: 's', name: 'S' }, topic: { id: 't', name: 'T' }, eventCountry: { id: 'c', name: 'C' } }
    const dates = { createdAt: DATE, updatedAt: DATE }
    return { id: `h${i}`, value: { id: `h${i}`, title, excerpt: '', ...references, ...dates, status: 'active' } }
  })
  await store.insertMissing(headline, documents)
  const database = openDatabase(dir.database)
  t.after(() => database.close())
  // What has been indexed last is pending, and found without the index.
  assert.ok(Number(database.get('SELECT count(*) AS n FROM headline_search')?.['n']) >= LIMIT)
  return database
}

it('a trigram that few texts have decides, and the others are looked at in few texts', async (t) => {
  const database = await indexed(t)
  const rarest = rarestTrigrams(database, headline, trigramsOf('harbour'), LIMIT)
  assert.deepEqual([rarest.trigrams[0], rarest.count], ['har', 0])
  assert.ok(rarest.counted <= trigramsOf('harbour').length * 32, `${rarest.counted} texts were counted`)
  const arbour = rarestTrigrams(database, headline, trigramsOf('arbour'), LIMIT)
  assert.deepEqual(arbour.trigrams.toSorted(), ['arb', 'bou', 'rbo'])
  assert.equal(arbour.count, DOCUMENTS / RARE_EVERY)
})

it('of common ones, three are counted, and no further than to the limit', async (t) => {
  const database = await indexed(t)
  const sought = trigramsOf('hour ara')
  const { trigrams, count, share, counted } = rarestTrigrams(database, headline, sought, LIMIT)
  assert.deepEqual([trigrams.length, count], [3, LIMIT])
  assert.ok(share > 0.9 && share <= 1, `${share}`)
  assert.ok(counted <= sought.length * 32 + 3 * LIMIT, `${counted} texts were counted`)
})
