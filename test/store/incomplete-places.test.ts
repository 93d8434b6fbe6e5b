/** The two tables of a model, of complete documents and of incomplete drafts: an id is in one of them, and the second may be missing. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { incompleteOf } from '../../src/models/incomplete.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import type { Model } from '../../src/models/schema.ts'
import { topic } from '../../src/models/topic.ts'
import { openForTest, testStore, type SystemStore } from '../../scripts/tools/stores.ts'

const DRAFTS = incompleteOf(topic) as Model
const COMPLETE = { id: 'a', name: 'a', description: '', status: 'draft' }

it('a document is not inserted where the other table has its id', async (t) => {
  const { store } = testStore(t)
  assert.equal(await store.insert(DRAFTS, { id: 'a', value: { id: 'a', status: 'draft' } }), 'inserted')
  assert.equal(await store.insert(topic, { id: 'a', value: COMPLETE }), 'exists')
  assert.equal(await store.insert(topic, { id: 'b', value: { ...COMPLETE, id: 'b' } }), 'inserted')
  assert.equal(await store.insert(DRAFTS, { id: 'b', value: { id: 'b', status: 'draft' } }), 'exists')
  await store.remove(DRAFTS, 'a')
  assert.equal(await store.insert(topic, { id: 'a', value: COMPLETE }), 'inserted')
})

const move = (store: SystemStore, from: Model, to: Model, id: string): Promise<void> => store.together((_, steps) => steps.move(from, to, id))

it('a document that moves keeps its earlier versions where there is no trash, and a deleted one has none in either table', async (t) => {
  const { store } = testStore(t, STORED_MODELS, { trash: false })
  await store.insert(topic, { id: 'a', value: COMPLETE })
  await store.update(topic, 'a', (stored) => ({ ...stored, name: 'b' }))
  await move(store, topic, DRAFTS, 'a')
  await store.update(DRAFTS, 'a', ({ description: _, ...rest }) => rest)
  const past = (): readonly unknown[] =>
    [topic, DRAFTS].flatMap((place) => store.history.historyOf(place, 'a', { limit: 9, before: undefined }).items.flatMap(({ textBefore }) => textBefore ?? []))
  assert.deepEqual(past().map((text) => (JSON.parse(String(text)) as JsonObject)['name']), ['b', 'a', 'b'])
  assert.deepEqual(store.history.listTrash(topic, { limit: 9, before: undefined }).items, [])
  await store.remove(DRAFTS, 'a')
  assert.deepEqual(past(), [])
})

it('what leaves the trash for good leaves no version in either table', async (t) => {
  const { store, dir } = testStore(t)
  await store.insert(topic, { id: 'a', value: COMPLETE })
  await store.update(topic, 'a', (stored) => ({ ...stored, name: 'b' }))
  await move(store, topic, DRAFTS, 'a')
  await store.remove(DRAFTS, 'a')
  assert.equal(await store.together((_, steps) => steps.eraseTrashed(DRAFTS, 'a')), true)
  const database = openForTest(t, dir.database, { readOnly: true })
  assert.deepEqual(database.all('SELECT * FROM change WHERE replaced IS NOT NULL'), [])
})
