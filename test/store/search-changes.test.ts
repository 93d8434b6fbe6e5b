/** The search index has the documents of each commit, whatever the jobs of one transaction did and which of them failed. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { wordFaults } from '../../src/store/search/word-index.ts'
import { openForTest, testStore } from '../../scripts/tools/stores.ts'
import { indexedText } from '../../src/store/search/trigram-index.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'
import { searchRows } from '../support/query/search-rows.ts'
import { longRun } from '../../scripts/tools/long-run.ts'

const TURNS = longRun(50, 150)
const JOBS_MAX = 6
/** Some turns before so many rows are pending that the indexes take them over. */
const DOCUMENTS = longRun(40, 150)

it('the search index stays right through turns of inserts, changes and deletions of which some are rolled back', async (t) => {
  const random = seededRandom(seedOfTest())
  t.diagnostic(`SEED=${random.seed}`)
  const { store, dir } = testStore(t)
  const database = openForTest(t, dir.database)
  const ids = Array.from({ length: DOCUMENTS }, (_, i) => `h${i}`)
  const titled = (id: string): JsonObject => ({
    id,
    title: `Title ${random.below(1000)}`,
    excerpt: random.oneIn(2) ? 'Always the same' : `Words ${random.below(50)} and Ærø${random.below(9)}`,
    status: 'active',
    topic: { id: 't' },
    source: { id: 's' },
    eventCountry: { id: 'c' },
    createdAt: '2026-03-01T12:00:00.000Z',
    updatedAt: '2026-03-01T12:00:00.000Z',
  })
  let [indexed, failed, merged] = [0, 0, 0]
  for (let turn = 0; turn < TURNS; turn++) {
    const jobs = random.list(JOBS_MAX, () => {
      const [id, other] = [random.pick(ids), random.pick(ids)]
      switch (random.below(5)) {
        case 0:
          return store.insert(headline, { id, value: titled(id) })
        case 1:
          return store.update(headline, id, () => titled(id))
        case 2:
          return store.remove(headline, id)
        case 3:
          return store.insertMissing(headline, [id, other].map((one) => ({ id: one, value: titled(one) })))
        default: {
          // The second document cannot be written as JSON, so that the first is rolled back.
          const unwritable = { ...titled(other), rank: 1n as unknown as number }
          const documents = [{ id, value: titled(id) }, { id: `new ${turn}`, value: unwritable }]
          return store.insertMissing(headline, documents)
        }
      }
    })
    const outcomes = await Promise.allSettled(jobs)
    failed += outcomes.filter(({ status }) => status === 'rejected').length
    const stored = database.all('SELECT seq, doc FROM headline ORDER BY seq').map(({ seq, doc }) => {
      const { id, title } = JSON.parse(String(doc)) as { readonly id: string; readonly title: string }
      return [seq, id, indexedText(title)]
    })
    const found = searchRows(database, headline)
    assert.deepEqual(found.map(([seq, text, id]) => [seq, id, text]), stored)
    if (database.get('SELECT 1 FROM headline_search_pending') === undefined) merged++
    database.run("INSERT INTO headline_search (headline_search) VALUES ('integrity-check')")
    assert.deepEqual(wordFaults(database, [headline]), [])
    indexed += stored.length
  }
  assert.ok(indexed > TURNS && failed > 0 && merged > 1, `${indexed} rows, ${failed} failed jobs, ${merged} merges`)
})

it('the search index takes a long text over at once, so that no client makes each search look through megabytes', async (t) => {
  const { store, dir } = testStore(t)
  const database = openForTest(t, dir.database)
  const pending = (): unknown => database.get('SELECT count(*) AS n FROM headline_search_pending')?.['n']
  const value = { id: 'h', title: 'Short', excerpt: 'x', status: 'active', topic: { id: 't' }, source: { id: 's' }, eventCountry: { id: 'c' } }
  await store.insert(headline, { id: 'h', value })
  assert.equal(pending(), 1)
  const excerpt = Array.from({ length: 1_000 }, (_, i) => `word${i}`).join(' ')
  await store.update(headline, 'h', () => ({ ...value, excerpt }))
  assert.equal(pending(), 0)
  assert.deepEqual(wordFaults(database, [headline]), [])
})
