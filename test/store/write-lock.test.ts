/** A thread that writes beside the service: what the service writes waits for its transaction, and its event loop does not. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { topic } from '../../src/models/topic.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { createWriteLock } from '../../src/store/db/write-lock.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { testStore } from '../../scripts/tools/stores.ts'

const document = (id: string) => ({ id, value: { ...bodyOf('topic'), id } })

it('a write waits for the transaction of the other thread, and reads go on', async (t) => {
  const { store, dir } = testStore(t)
  await store.insert(topic, document('t0'))
  const [other, database] = [createWriteLock(store.writeLock.memory), openDatabase(dir.database)]
  t.after(() => database.close())
  const ended = Promise.withResolvers<void>()
  const held = other.hold(() => {
    database.exec('BEGIN IMMEDIATE')
    return ended.promise
  })
  let isWritten = false
  const written = store.insert(topic, document('t1')).then(() => (isWritten = true))
  // SQLite would wait for its lock, which only this thread can release.
  for (let turns = 0; turns < 100; turns++) {
    await turn()
    assert.equal(typeof store.documents.get(topic, 't0'), 'string')
  }
  assert.equal(isWritten, false)
  database.exec('COMMIT')
  ended.resolve()
  await held
  await written
  assert.equal(typeof store.documents.get(topic, 't1'), 'string')
})

it('a lock that its thread leaves held is freed for it', async (t) => {
  const { store } = testStore(t)
  void createWriteLock(store.writeLock.memory).hold(() => new Promise(() => {}))
  const written = store.insert(topic, document('t1'))
  await turn()
  store.writeLock.free()
  await written
})

it('the other thread begins no transaction while the service waits to write', async () => {
  const lock = createWriteLock()
  const other = createWriteLock(lock.memory)
  const ended = Promise.withResolvers<void>()
  const held = other.hold(() => ended.promise)
  const waiting = lock.whenFree()
  assert.notEqual(waiting, undefined)
  ended.resolve()
  await held
  await waiting
  assert.equal(lock.whenFree(), undefined)
  assert.equal(new Int32Array(lock.memory)[1], 1)
  lock.served()
  assert.equal(await other.hold(async () => lock.whenFree() === undefined), false)
})
