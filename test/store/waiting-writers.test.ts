/** Writers of other threads and processes: what the service writes waits for their transactions, and its event loop does not. */
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { topic } from '../../src/models/topic.ts'
import type { Database } from '../../src/store/db/database.ts'
import { createWaitingWriters, type WaitingWriters } from '../../src/store/db/waiting-writers.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { openForTest, testStore } from '../../scripts/tools/stores.ts'

interface Waiter {
  readonly database: Database
  readonly waiting: WaitingWriters
}

const document = (id: string) => ({ id, value: { ...bodyOf('topic'), id } })

it('a write waits for the transaction of another connection, and reads go on', async (t) => {
  const { store, dir } = testStore(t)
  await store.insert(topic, document('t0'))
  const database = openForTest(t, dir.database)
  database.exec('BEGIN IMMEDIATE')
  let isWritten = false
  const written = store.insert(topic, document('t1')).then(() => (isWritten = true))
  // SQLite would wait for its lock, which only this thread can release.
  for (let turns = 0; turns < 100; turns++) {
    await turn()
    assert.equal(typeof store.documents.get(topic, 't0'), 'string')
  }
  assert.equal(isWritten, false)
  database.exec('COMMIT')
  await written
  assert.equal(typeof store.documents.get(topic, 't1'), 'string')
})

it('a writer of many transactions lets a write through that waits, and goes on without one', async (t) => {
  const { store, dir } = testStore(t)
  const database = openForTest(t, dir.database)
  const others = createWaitingWriters(database, dir.database)
  assert.equal(await others.giveWay(), false)
  database.exec('BEGIN IMMEDIATE')
  const written = store.insert(topic, document('t1'))
  while (!existsSync(`${dir.database}-wanted`)) await turn()
  database.exec('COMMIT')
  assert.equal(await others.giveWay(), true)
  assert.equal(typeof store.documents.get(topic, 't1'), 'string')
  await written
  assert.equal(await others.giveWay(), false)
})

it('a writer that waited leaves the mark of the next one', (t) => {
  const { dir } = testStore(t)
  const mark = `${dir.database}-wanted`
  const [load, first, second] = ['load', 'first', 'second'].map(() => {
    const database = openForTest(t, dir.database)
    return { database, waiting: createWaitingWriters(database, dir.database) }
  }) as [Waiter, Waiter, Waiter]
  load.database.exec('BEGIN IMMEDIATE')
  assert.deepEqual([first, second].map(({ waiting }) => waiting.tryBegin(false)), [false, false])
  load.database.exec('COMMIT')
  assert.equal(first.waiting.tryBegin(false), true)
  assert.equal(second.waiting.tryBegin(false), false)
  first.database.exec('COMMIT')
  assert.equal(existsSync(mark), true)
  assert.equal(second.waiting.tryBegin(false), true)
  assert.equal(existsSync(mark), false)
  assert.equal(first.waiting.tryBegin(false), false)
  assert.throws(() => first.waiting.tryBegin(true), /locked/)
  assert.equal(existsSync(mark), false, 'a writer that gives up waits no longer')
})

it('the mark of a writer that was killed is removed after a while', async (t) => {
  const { dir } = testStore(t)
  const database = openForTest(t, dir.database)
  writeFileSync(`${dir.database}-wanted`, '')
  const others = createWaitingWriters(database, dir.database)
  assert.equal(await others.giveWay(), true)
  assert.equal(await others.giveWay(), false)
})
