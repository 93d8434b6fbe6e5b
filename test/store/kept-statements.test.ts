/**
 * Prepared statements that clients cause: thousands of queries of different shapes took a prepared statement each, of up to
 * 120 KiB, and SQLite's memory grew with them.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { temporaryDirectory } from '../support/service/service.ts'

const MIB = 1024 * 1024
const SHAPES = 3_000

it('statements of thousands of shapes are given back', (t) => {
  const database = openDatabase(join(temporaryDirectory(t), 'statements.db'))
  t.after(() => database.close())
  const shape = (i: number): string =>
    `${Array.from({ length: 100 }, (_, n) => `SELECT ? + ${n}`).join(' UNION ALL ')} LIMIT ${1 + i}`
  const values = Array.from({ length: 100 }, () => 1)
  const memory = (): number => {
    globalThis.gc?.()
    return process.memoryUsage.rss()
  }
  for (let i = 0; i < SHAPES / 10; i++) database.rows(shape(i), values)
  const before = memory()
  for (let i = 0; i < SHAPES; i++) assert.equal(database.rows(shape(i), values).length, Math.min(100, 1 + i))
  assert.ok(memory() - before < 64 * MIB, `grew by ${Math.round((memory() - before) / MIB)} MiB`)
  // One that was evicted is prepared again, and one that is used stays.
  assert.deepEqual(database.rows('SELECT ? AS a', [7]), [[7]])
  assert.deepEqual(database.rows('SELECT ? AS a', [8]), [[8]])
})
