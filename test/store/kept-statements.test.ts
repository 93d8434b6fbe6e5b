// isolated: it measures memory
/**
 * Prepared statements that clients cause: thousands of queries of different shapes took a prepared statement each, of up to
 * 120 KiB, and SQLite's memory grew with them.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { openDatabase, type Database } from '../../src/store/sqlite/database.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { temporaryDirectory } from '../support/service/temporary-directory.ts'
import { longRun } from '../support/long-run.ts'

const MIB = 1024 * 1024
/** Kept, they take 37 MiB for each thousand. */
const SHAPES = longRun(1_200, 3_000)
const WARM_UP = longRun(300, 1_000)
const MIB_MAX = longRun(28, 64)
const VALUES = Array.from({ length: 100 }, () => 1)

for (const [name, read] of [
  ['statements', (database: Database, i: number) => assert.equal(database.rows(shape(i), VALUES).length, Math.min(100, 1 + i))],
  ['statements of two cursors at once', (database: Database, i: number) => {
    const cursors = [1, 2].map(() => database.cursor(shape(i), VALUES))
    for (const cursor of cursors) assert.deepEqual(cursor.next(), [1])
    for (const cursor of cursors) cursor.close()
  }],
] as const) {
  it(`${name} of thousands of shapes are given back`, (t) => {
    const database = openDatabase(join(temporaryDirectory(t), 'statements.db'))
    t.after(() => database.close())
    // Ahead of it, the C library takes the memory that it keeps for the next statements.
    for (let i = 0; i < WARM_UP; i++) read(database, i)
    const before = memoryHeld()
    for (let i = WARM_UP; i < WARM_UP + SHAPES; i++) read(database, i)
    const grown = memoryHeld() - before
    assert.ok(grown < MIB_MAX * MIB, `grew by ${Math.round(grown / MIB)} MiB`)
    // One that was evicted is prepared again, and one that is used stays.
    read(database, 0)
    for (const value of [7, 8]) assert.deepEqual(database.rows('SELECT ? AS a', [value]), [[value]])
  })
}

function shape(i: number): string {
  return `${Array.from({ length: 100 }, (_, n) => `SELECT ? + ${n}`).join(' UNION ALL ')} LIMIT ${1 + i}`
}

function memoryHeld(): number {
  collectGarbage()
  return process.memoryUsage.rss()
}
