/** The counts that the writes keep are those that counting gives, whatever was done in whatever order. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { isoDate } from '../../src/base/dates.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { openBulkWriter } from '../../src/store/sqlite/bulk-writer.ts'
import { openDatabase, type Database } from '../../src/store/sqlite/database.ts'
import { searchRow } from '../../src/store/tables/search-row.ts'
import { seededRandom, seedOfTest, type Random } from '../support/random.ts'
import { testStore } from '../support/service/stores.ts'
import { longRun } from '../support/long-run.ts'

const HOUR_MS = 3_600_000
const NOW = Date.UTC(2026, 2, 1, 12, 30)

function randomHeadline(random: Random, id: string): JsonObject {
  const createdAt = isoDate(NOW - random.below(30) * (HOUR_MS / 3))
  const status = random.pick(['active', 'draft', 'archived'])
  const embedded = { topic: { id: 't' }, source: { id: 's' }, eventCountry: { id: 'c' } }
  return { id, title: `T ${id}`, ...embedded, createdAt, updatedAt: createdAt, status, type: 'headline' }
}

/** Counted from the documents themselves. */
function recounted(database: Database): { hours: Map<string, number>; statuses: Map<string, number> } {
  const [hours, statuses] = [new Map<string, number>(), new Map<string, number>()]
  const add = (map: Map<string, number>, key: string): unknown => map.set(key, (map.get(key) ?? 0) + 1)
  for (const { doc } of database.all('SELECT doc FROM headline ORDER BY id')) {
    const { createdAt, status } = JSON.parse(String(doc)) as Record<string, string>
    add(statuses, String(status))
    if (createdAt !== undefined) add(hours, `${createdAt.slice(0, 13)}:00:00.000Z`)
  }
  return { hours: new Map([...hours].sort()), statuses: new Map([...statuses].sort()) }
}

it('stay right through random inserts, changes, deletions and imports', async (t) => {
  const random = seededRandom(seedOfTest())
  const { store, dir } = testStore(t)
  const reader = openDatabase(dir.database, { readOnly: true })
  t.after(() => reader.close())
  const writer = openBulkWriter({ file: dir.database, isAlone: false, accountOf: () => assert.fail(), now: () => 0 })
  t.after(() => writer.close())
  const ids = Array.from({ length: 20 }, (_, i) => `h${i}`)
  for (let step = 0; step < longRun(100, 300); step++) {
    const id = random.pick(ids)
    const value = randomHeadline(random, id)
    const [kind, keep] = [random.below(5), !random.oneIn(3)]
    if (kind === 0) await store.insert(headline, { id, value })
    else if (kind === 1) await store.update(headline, id, (stored) => (keep ? value : { ...stored, title: 'same' }))
    else if (kind === 2) await store.remove(headline, id)
    else if (kind === 3) await store.insertMissing(headline, [{ id, value }])
    else {
      await writer.transact((tables) => {
        const basis = tables.stored(headline, id)
        tables.write(headline, { id, doc: JSON.stringify(value), search: searchRow(headline, value), basis })
      }, keep)
    }
    // What one turn of the event loop reads is of one moment.
    await turn()
    const wanted = recounted(reader)
    const hours = await store.countByHour(headline, { from: NOW - 31 * 24 * HOUR_MS, to: NOW })
    const about = `SEED=${random.seed}, step ${step}`
    assert.deepEqual(new Map(hours.map(({ hour, n }) => [hour, n])), wanted.hours, about)
    assert.deepEqual(new Map([...(await store.countByStatus(headline))].sort()), wanted.statuses, about)
  }
  assert.ok(recounted(reader).hours.size > 3, 'there was something to count')
  assert.equal(
    reader.get('SELECT count(*) AS n FROM hour_count')?.['n'],
    recounted(reader).hours.size,
    'hours that have none left are gone',
  )
})

it('of hours are asked for by a range that includes both its ends', async (t) => {
  const { store } = testStore(t)
  for (const [i, hour] of [9, 10, 11, 12].entries()) {
    const createdAt = isoDate(Date.UTC(2026, 2, 1, hour, 59, 59, 999))
    await store.insert(headline, { id: `h${i}`, value: { id: `h${i}`, createdAt, status: 'draft' } })
  }
  await store.insert(headline, { id: 'dateless', value: { id: 'dateless', status: 'draft' } })
  assert.deepEqual(
    await store.countByHour(headline, { from: Date.UTC(2026, 2, 1, 10, 30), to: Date.UTC(2026, 2, 1, 11) }),
    [{ hour: '2026-03-01T10:00:00.000Z', n: 1 }, { hour: '2026-03-01T11:00:00.000Z', n: 1 }],
  )
})
