/**
 * Prepared statements that clients cause: thousands of queries of different shapes took a prepared statement each, of up to
 * 120 KiB, and SQLite's memory grew with them.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { temporaryDirectory } from '../support/service/temporary-directory.ts'

const MIB = 1024 * 1024
/** Kept, they take 37 MiB for each thousand. */
const SHAPES = 3_000
const WARM_UP = 1_000

it('statements of thousands of shapes are given back', (t) => {
  const database = openDatabase(join(temporaryDirectory(t), 'statements.db'))
  t.after(() => database.close())
  const values = Array.from({ length: 100 }, () => 1)
  const readAll = (from: number, to: number): void => {
    for (let i = from; i < to; i++) assert.equal(database.rows(shape(i), values).length, Math.min(100, 1 + i))
  }
  // Ahead of it, the C library takes the memory that it keeps for the next statements.
  readAll(0, WARM_UP)
  const before = memoryHeld()
  readAll(WARM_UP, WARM_UP + SHAPES)
  const grown = memoryHeld() - before
  assert.ok(grown < 64 * MIB, `grew by ${Math.round(grown / MIB)} MiB`)
  // One that was evicted is prepared again, and one that is used stays.
  assert.equal(database.rows(shape(0), values).length, 1)
  assert.deepEqual(database.rows('SELECT ? AS a', [7]), [[7]])
  assert.deepEqual(database.rows('SELECT ? AS a', [8]), [[8]])
})

it('statements of cursors over thousands of shapes are given back', (t) => {
  const database = openDatabase(join(temporaryDirectory(t), 'cursors.db'))
  t.after(() => database.close())
  const values = Array.from({ length: 100 }, () => 1)
  const readFirst = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      const [one, other] = [database.cursor(shape(i), values), database.cursor(shape(i), values)]
      assert.deepEqual([one.next(), other.next()], [[1], [1]])
      one.close()
      other.close()
    }
  }
  readFirst(0, WARM_UP)
  const before = memoryHeld()
  readFirst(WARM_UP, WARM_UP + SHAPES)
  const grown = memoryHeld() - before
  assert.ok(grown < 64 * MIB, `grew by ${Math.round(grown / MIB)} MiB`)
})

function shape(i: number): string {
  return `${Array.from({ length: 100 }, (_, n) => `SELECT ? + ${n}`).join(' UNION ALL ')} LIMIT ${1 + i}`
}

function memoryHeld(): number {
  collectGarbage()
  return process.memoryUsage.rss()
}
