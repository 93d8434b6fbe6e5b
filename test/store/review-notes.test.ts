/** Notes with drafts that were given back: none outlives its draft, and none comes back with another. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { headline } from '../../src/models/headline.ts'
import { incompleteOf } from '../../src/models/incomplete.ts'
import type { Model } from '../../src/models/schema.ts'
import { openBulkWriter } from '../../src/store/writes/bulk-writer.ts'
import { randomHeadline, sampleId } from '../support/query/headline-samples.ts'
import { seededRandom } from '../../scripts/tools/random.ts'
import { testStore, type SystemStore } from '../../scripts/tools/stores.ts'

const ID = sampleId(1)
const DRAFT = { ...randomHeadline(seededRandom(1), ID), status: 'draft' }
const NOTE = { note: 'Name the source', at: 7 }

async function giveBack(store: SystemStore): Promise<void> {
  await store.insert(headline, { id: ID, value: DRAFT })
  await store.together((_, { giveBack }) => giveBack(headline, ID, NOTE, () => ({ ...DRAFT, title: 'Given back' })))
  assert.deepEqual(store.documents.reviewNote(headline, ID), NOTE)
}

const set = (store: SystemStore, status: string) => store.update(headline, ID, (stored) => ({ ...stored, status }))

it('reviewNote() of a headline that was published and set back to draft is undefined', async (t) => {
  const { store } = testStore(t)
  await giveBack(store)
  await set(store, 'active')
  await set(store, 'draft')
  assert.equal(store.documents.reviewNote(headline, ID), undefined)
})

it('reviewNote() of a headline that was incomplete when it was published is undefined', async (t) => {
  const { store } = testStore(t)
  const incomplete = incompleteOf(headline) as Model
  await giveBack(store)
  await store.together((_, { move, update }) => {
    move(headline, incomplete, ID)
    update(incomplete, ID, (stored) => ({ ...stored, status: 'active' }))
    move(incomplete, headline, ID)
  })
  await set(store, 'draft')
  assert.equal(store.documents.reviewNote(headline, ID), undefined)
})

it('reviewNote() of a headline that an import published is undefined', async (t) => {
  const { store, dir } = testStore(t)
  await giveBack(store)
  const basis = store.documents.get(headline, ID)
  const accountOf = () => assert.fail('no user')
  const bulk = openBulkWriter({ file: dir.database, isAlone: false, accountOf, now: () => 0 })
  t.after(() => bulk.close())
  const row = { id: ID, doc: JSON.stringify({ ...DRAFT, status: 'active' }), search: undefined, basis }
  assert.equal(await bulk.transact((tables) => tables.write(headline, row), true), 'replaced')
  await turn()
  assert.equal(store.documents.reviewNote(headline, ID), undefined)
})

it('reviewNote() of a draft is kept by a change that leaves it a draft', async (t) => {
  const { store } = testStore(t)
  await giveBack(store)
  await store.update(headline, ID, (stored) => ({ ...stored, title: 'Corrected' }))
  assert.deepEqual(store.documents.reviewNote(headline, ID), NOTE)
})

it('removeOldChanges() removes the note with a draft of the trash, but not that of a later draft with its id', async (t) => {
  const { store } = testStore(t)
  await giveBack(store)
  await store.remove(headline, ID)
  assert.deepEqual(store.documents.reviewNote(headline, ID), NOTE, 'it would come back with the draft')
  await store.removeOldChanges(0, 1)
  assert.equal(store.documents.reviewNote(headline, ID), undefined)
  await giveBack(store)
  await store.remove(headline, ID)
  await giveBack(store)
  await store.removeOldChanges(0, 1)
  assert.deepEqual(store.documents.reviewNote(headline, ID), NOTE)
})

it('remove() without a trash removes the note at once', async (t) => {
  const { store } = testStore(t, undefined, { trash: false })
  await giveBack(store)
  await store.remove(headline, ID)
  assert.equal(store.documents.reviewNote(headline, ID), undefined)
})
