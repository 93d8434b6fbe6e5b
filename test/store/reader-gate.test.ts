/** A reader beside the writer: what it sees, and that it lets the writer move its WAL. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openDatabase } from '../../src/store/db/database.ts'
import { createReaderGate, createWriterGate, gateMemory } from '../../src/store/db/reader-gate.ts'
import { createSnapshot } from '../../src/store/db/snapshot.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

describe('a snapshot beside a thread that writes', () => {
  it('ends with each commit that the writer has counted, within one turn', (t) => {
    const file = join(temporaryDirectory(t), 'a.db')
    const writer = openDatabase(file)
    writer.exec('CREATE TABLE n (value INTEGER); INSERT INTO n VALUES (0)')
    const reader = openDatabase(file, { readOnly: true })
    t.after(() => [reader, writer].forEach((one) => one.close()))
    const memory = gateMemory(2)
    const [gate, snapshot] = [createWriterGate(memory), createSnapshot(reader, createReaderGate(memory, 1))]
    const read = (): unknown => {
      snapshot.begin()
      return reader.get('SELECT value FROM n')?.['value']
    }
    assert.equal(read(), 0)
    writer.exec('UPDATE n SET value = 1')
    assert.equal(read(), 0, 'the snapshot of the turn')
    gate.countCommit()
    assert.equal(read(), 1)
    snapshot.end()
  })
})

describe('the gate', () => {
  it('tells listeners of commits, also of those while they listen, until they stop', async () => {
    const memory = gateMemory(2)
    const [gate, reader] = [createWriterGate(memory), createReaderGate(memory, 1)]
    let calls = 0
    let heard = Promise.withResolvers<void>()
    const stop = reader.onCommit(() => {
      // A commit right before the listener waits again.
      if (++calls === 1) gate.countCommit()
      else heard.resolve()
    })
    gate.countCommit()
    await heard.promise
    assert.equal(calls, 2)
    heard = Promise.withResolvers()
    gate.countCommit()
    await heard.promise
    stop()
    // Those that come and go between two commits, as streams of a client that connects again and again.
    const told = Promise.withResolvers<void>()
    for (let i = 0; i < 1_000; i++) reader.onCommit(assert.fail)()
    reader.onCommit(told.resolve)
    gate.countCommit()
    await told.promise
    assert.equal(calls, 3)
  })

  it('waits for a reader no longer than a moment, and lets others in when the work is done', () => {
    const memory = gateMemory(3)
    const [gate, reader] = [createWriterGate(memory), createReaderGate(memory, 1)]
    reader.enter()
    assert.equal(gate.withoutReaders(() => 'done'), 'done')
    reader.leave()
    reader.enter()
    gate.forget(1)
    assert.throws(() => gate.withoutReaders(() => assert.fail('broken')), { message: 'broken' })
    createReaderGate(memory, 2).enter()
  })
})
