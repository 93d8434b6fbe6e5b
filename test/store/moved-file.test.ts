/** A database file that is moved, removed or replaced while the service runs: no write to it is acknowledged. */
import assert from 'node:assert/strict'
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { it } from 'node:test'
import { topic } from '../../src/models/topic.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { testStore } from '../../scripts/tools/stores.ts'

const document = (id: string) => ({ id, value: { ...bodyOf('topic'), id } })

it('a write is refused while the database file is elsewhere or another one, and taken again when it is back', async (t) => {
  const { store, dir } = testStore(t)
  const kept = `${dir.database}.kept`
  const isRefused = async (id: string): Promise<void> => {
    await assert.rejects(store.insert(topic, document(id)), { code: 'networkError', message: /its file was moved, removed or replaced$/ })
    assert.equal(store.documents.get(topic, id), undefined)
  }
  await store.insert(topic, document('before'))
  renameSync(dir.database, kept)
  await isRefused('moved')
  copyFileSync(kept, dir.database)
  await isRefused('replaced')
  rmSync(dir.database)
  renameSync(kept, dir.database)
  await store.insert(topic, document('back'))
  assert.deepEqual(['before', 'back'].map((id) => typeof store.documents.get(topic, id)), ['string', 'string'])
})
