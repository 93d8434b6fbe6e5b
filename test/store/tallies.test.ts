/** What triggers derive from documents; changes/change-log.test.ts compares counts with the documents after random writes. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { isoDate } from '../../src/base/dates.ts'
import { guestEmail } from '../../src/models/guest.ts'
import { headline } from '../../src/models/headline.ts'
import type { Model } from '../../src/models/schema.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { user } from '../../src/models/user.ts'
import { userContentPreferences } from '../../src/models/user-content-preferences.ts'
import { recount } from '../../src/store/schema/derived-rows.ts'
import { HEADLINE, PREFERENCES, TOPIC, USER } from '../../scripts/tools/data-bodies.ts'
import { openForTest, testStore } from '../../scripts/tools/stores.ts'

it('counts of hours are asked for by a range that includes both its ends', async (t) => {
  const { store } = testStore(t)
  for (const [i, hour] of [9, 10, 11, 12].entries()) {
    const createdAt = isoDate(Date.UTC(2026, 2, 1, hour, 59, 59, 999))
    await store.insert(headline, { id: `h${i}`, value: { id: `h${i}`, createdAt, status: 'draft' } })
  }
  await store.insert(headline, { id: 'dateless', value: { id: 'dateless', status: 'draft' } })
  assert.deepEqual(
    store.documents.countByHour(headline, { from: Date.UTC(2026, 2, 1, 10, 30), to: Date.UTC(2026, 2, 1, 11) }),
    [{ hour: '2026-03-01T10:00:00.000Z', n: 1 }, { hour: '2026-03-01T11:00:00.000Z', n: 1 }],
  )
})

it('rows that triggers keep through inserts, updates and deletions are those that recount() derives from the documents', async (t) => {
  const { store, dir } = testStore(t)
  const insert = (model: Model, id: string, value: object) =>
    store.insert(model, { id, value: { ...value, id } as JsonObject })
  for (const id of ['one', 'two', 'gone']) {
    await insert(headline, id, HEADLINE)
    await insert(user, id, { ...USER, email: guestEmail(id) })
    await insert(userContentPreferences, id, { ...PREFERENCES, followedTopics: [TOPIC, { ...TOPIC, id: 'other' }] })
  }
  await store.update(headline, 'one', (value) => ({ ...value, status: 'archived', createdAt: '2020-01-01T00:00:00.000Z' }))
  await store.update(userContentPreferences, 'one', (value) => ({ ...value, followedTopics: [TOPIC] }))
  await store.update(user, 'two', (value) => ({ ...value, email: 'two@example.org' }))
  for (const model of [headline, user]) await store.remove(model, 'gone')
  await store.close()
  const database = openForTest(t, dir.database)
  const derived = (): unknown => [
    ...['status_count WHERE n > 0', 'key_count WHERE n > 0', 'hour_count'].map((from) => database.all(`SELECT * FROM ${from}`)),
    ...['listed_copy', 'guest_size', 'guest_total'].map((from) => database.all(`SELECT * FROM ${from}`)),
  ]
  const kept = derived()
  recount(database, STORED_MODELS)
  assert.deepEqual(derived(), kept)
})
