/** The search index has the documents of each commit, whatever the jobs of one transaction did and which of them failed. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { indexedText } from '../../src/store/tables/trigram-index.ts'
import { seededRandom, seedOfRun } from '../support/random.ts'
import { testStore } from '../support/service/stores.ts'

const TURNS = 150
const JOBS_MAX = 6

it('stays right through turns of inserts, changes and deletions of which some are rolled back', async (t) => {
  const random = seededRandom(seedOfRun())
  t.diagnostic(`SEED=${random.seed}`)
  const { store, dir } = testStore(t)
  const database = openDatabase(dir.database)
  t.after(() => database.close())
  const ids = Array.from({ length: 12 }, (_, i) => `h${i}`)
  const titled = (id: string): JsonObject => ({
    id,
    title: `Title ${random.below(1000)}`,
    status: 'active',
    topic: { id: 't' },
    source: { id: 's' },
    eventCountry: { id: 'c' },
    createdAt: '2026-03-01T12:00:00.000Z',
    updatedAt: '2026-03-01T12:00:00.000Z',
  })
  let [indexed, failed] = [0, 0]
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
    const found = database.all('SELECT rowid, id, text FROM headline_search ORDER BY rowid')
    assert.deepEqual(found.map(({ rowid, id, text }) => [rowid, id, text]), stored)
    database.run("INSERT INTO headline_search (headline_search) VALUES ('integrity-check')")
    indexed += stored.length
  }
  assert.ok(indexed > TURNS && failed > 0, `${indexed} rows, ${failed} failed jobs`)
})
