/** Counts of documents by hour; changes/change-log.test.ts compares all counts with the documents after random writes. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isoDate } from '../../src/base/dates.ts'
import { headline } from '../../src/models/headline.ts'
import { testStore } from '../support/service/stores.ts'

it('counts of hours are asked for by a range that includes both its ends', async (t) => {
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
