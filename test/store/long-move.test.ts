/** A long WAL, which a reader kept from being moved, is moved by a thread beside the writes, and pages are blanked. */
import assert from 'node:assert/strict'
import { closeSync, copyFileSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { topic } from '../../src/models/topic.ts'
import { openDatabase, type Database } from '../../src/store/db/database.ts'
import { faultsOf } from '../../src/store/schema/database-check.ts'
import { checkpoint, NO_PART } from '../../src/store/db/wal/wal-file.ts'
import { moveLongWal, moveWal, unusedSpan } from '../../src/store/db/wal/move-wal.ts'
import { seededRandom, seedOfTest, type Random } from '../../scripts/tools/random.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { openForTest, testStore, type SystemStore } from '../../scripts/tools/stores.ts'

const PAGE_BYTES = 4096
const LONG_WAL_BYTES = 4_500 * PAGE_BYTES

/** Rows of all lengths that come, change and go, so that cells move from page to page. */
async function writeTurn(store: SystemStore, random: Random): Promise<void> {
  const rows = Array.from({ length: 30 }, () => `t${random.below(2_000)}`)
  const value = (id: string) => ({
    id,
    status: 'active',
    name: 'n'.repeat(random.below(60)),
    text: 'x'.repeat(random.below(900)),
  })
  await Promise.all(
    rows.map((id) =>
      random.oneIn(3)
        ? store.remove(topic, id)
        : store.insert(topic, { id, value: value(id) }).then(() => store.update(topic, id, () => value(id))),
    ),
  )
}

/** Pages of the file whose unused middle is not empty. */
function pagesWithRemains(file: string): number[] {
  const descriptor = openSync(file, 'r')
  try {
    const page = Buffer.alloc(PAGE_BYTES)
    const found: number[] = []
    for (
      let number = 1;
      readSync(descriptor, page, 0, PAGE_BYTES, (number - 1) * PAGE_BYTES) === PAGE_BYTES;
      number++
    ) {
      const span = unusedSpan(page, number)
      if (span !== undefined && page.subarray(span.start, span.end).some((byte) => byte !== 0)) found.push(number)
    }
    return found
  } finally {
    closeSync(descriptor)
  }
}

it('a WAL that a reader made long is moved beside the writes that go on', async (t) => {
  const random = seededRandom(seedOfTest())
  t.diagnostic(`SEED=${random.seed}`)
  const { store, dir } = testStore(t)
  await writeTurn(store, random)
  const reader = openForTest(t, dir.database, { readOnly: true })
  reader.exec('BEGIN')
  reader.get('SELECT count(*) FROM topic')
  const wal = `${dir.database}-wal`
  while (statSync(wal).size < LONG_WAL_BYTES) await writeTurn(store, random)
  reader.exec('COMMIT')
  // Writes go on until one of them finds the WAL wholly moved, and restarts it.
  const salts = saltsOf(wal)
  let turns = 0
  for (; saltsOf(wal) === salts; turns++) {
    assert.ok(turns < 5_000, 'the WAL is never restarted')
    await writeTurn(store, random)
  }
  assert.ok(turns > 0)
  await store.close()
  assert.equal(pagesWithRemains(dir.database).length, 0)
  const database = openForTest(t, dir.database, { readOnly: true })
  assert.deepEqual(faultsOf(database), [])
})

function saltsOf(wal: string): string {
  const header = Buffer.alloc(32)
  const descriptor = openSync(wal, 'r')
  try {
    readSync(descriptor, header, 0, header.length, 0)
  } finally {
    closeSync(descriptor)
  }
  return header.toString('hex', 16, 24)
}

it('a move that an older reader stops moves what it can, and the next one goes on from there', async (t) => {
  const random = seededRandom(seedOfTest())
  t.diagnostic(`SEED=${random.seed}`)
  const { store, dir } = testStore(t)
  const hold = openForTest(t, dir.database, { readOnly: true })
  hold.exec('BEGIN')
  hold.get('SELECT count(*) FROM topic')
  while (statSync(`${dir.database}-wal`).size < LONG_WAL_BYTES / 4) await writeTurn(store, random)
  // A copy of the files that no other process has open.
  const file = join(temporaryDirectory(t), 'copy.db')
  for (const suffix of ['', '-wal']) copyFileSync(dir.database + suffix, file + suffix)
  const reader = openForTest(t, file, { readOnly: true })
  const writer = openForTest(t, file)
  reader.exec('BEGIN')
  reader.get('SELECT count(*) FROM topic')
  for (let i = 0; i < 400; i++) writer.run('INSERT INTO meta VALUES (?, ?)', `later ${i}`, 'y'.repeat(5_000))
  const pageFile = { descriptor: openSync(file, 'r+'), pageBytes: PAGE_BYTES }
  t.after(() => closeSync(pageFile.descriptor))
  const first = moveLongWal({ file, pageFile, blanked: NO_PART, waitsMax: 0 })
  const stopped = checkpoint(writer, 'NOOP')
  assert.ok(stopped.moved > 0 && stopped.moved < stopped.pages, JSON.stringify(stopped))
  reader.exec('COMMIT')
  const second = moveLongWal({ file, pageFile, blanked: first, waitsMax: 0 })
  assert.equal(second.frames, stopped.pages)
  assert.deepEqual(checkpoint(writer, 'NOOP'), { isBusy: false, pages: stopped.pages, moved: stopped.pages })
  assert.equal(pagesWithRemains(file).length, 0)
  assert.deepEqual(faultsOf(writer), [])
})

it('a WAL that another process restarts in the middle of a move is not taken for blanked', (t) => {
  const file = join(temporaryDirectory(t), 'a.db')
  const [writer, database, reader] = [openDatabase(file), openDatabase(file), openDatabase(file)]
  t.after(() => [reader, database, writer].forEach((one) => one.close()))
  writer.exec('CREATE TABLE a (b)')
  for (let i = 0; i < 20; i++) writer.run('INSERT INTO a VALUES (?)', 'x'.repeat(3_000))
  // All of it is in the database: the next commit restarts the WAL, unless a reader needs it.
  checkpoint(writer, 'PASSIVE')
  const pageFile = { descriptor: openSync(file, 'r+'), pageBytes: PAGE_BYTES }
  t.after(() => closeSync(pageFile.descriptor))
  const restarting: Database = {
    ...database,
    get(sql, ...values) {
      const row = database.get(sql, ...values)
      if (sql.includes('PASSIVE')) writer.run('INSERT INTO a VALUES (?)', 'y'.repeat(3_000))
      return row
    },
  }
  assert.equal(moveWal({ database: restarting, reader }, { file, pageFile }, NO_PART), undefined)
  const moved = moveWal({ database, reader }, { file, pageFile }, NO_PART)
  assert.equal(moved?.frames, checkpoint(writer, 'NOOP').pages)
})
