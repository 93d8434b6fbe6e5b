/** A restore at the next start, from every state in which a process may have ended. */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { DataDirError, prepareDataDir, type DataDir } from '../../src/store/db/data-dir.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { endRestore, removeRestoreFiles, requestRestore, restoreCopy, startRestore, undoRestore } from '../../src/store/backup/pending-restore.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

const WISH = { name: 'dateline-20260301T120000Z.db', actor: 'someone', at: '2026-03-02T09:30:00.000Z', removed: { apiTokens: 1, passkeys: 0 } }
const OWNER = { pid: process.pid, startedAt: 'now' }
const now = (): number => Date.UTC(2026, 2, 2, 9, 30)
const KEPT = 'dateline.db.replaced-20260302T093000Z'

function write(file: string, text: string): void {
  const database = openDatabase(file)
  database.exec('CREATE TABLE fact (text TEXT)')
  database.run('INSERT INTO fact VALUES (?)', text)
  database.close()
}

function read(file: string): unknown {
  const database = openDatabase(file, { readOnly: true })
  try {
    return database.get('SELECT text FROM fact')?.['text']
  } finally {
    database.close()
  }
}

function requested(t: Cleanup): { dir: DataDir; copy: string } {
  const dir = prepareDataDir(join(temporaryDirectory(t), 'data'))
  const copy = restoreCopy(dir, 'a1')
  write(dir.database, 'new')
  write(copy, 'old')
  requestRestore(dir, copy, WISH)
  return { dir, copy }
}

const left = (dir: DataDir): readonly string[] => readdirSync(dir.path).filter((name) => /restor|replaced/.test(name))

it('a start without a request does nothing', (t) => {
  const dir = prepareDataDir(join(temporaryDirectory(t), 'data'))
  assert.equal(startRestore(dir, OWNER, now), undefined)
})

it('a requested restore is done at the next start, and can be undone until it is ended', (t) => {
  const { dir } = requested(t)
  assert.deepEqual(startRestore(dir, OWNER, now), { kind: 'replaced', wish: WISH, kept: KEPT })
  assert.equal(read(dir.database), 'old')
  assert.equal(read(join(dir.path, KEPT)), 'new')
  undoRestore(dir, new Error('why not'))
  assert.equal(read(dir.database), 'new')
  assert.deepEqual(startRestore(dir, OWNER, now), { kind: 'failed', wish: WISH, failure: 'why not' })
  endRestore(dir)
  removeRestoreFiles(dir)
  assert.deepEqual(left(dir), [])
  assert.equal(startRestore(dir, OWNER, now), undefined)
})

it('a start that ended before the restored database was open brings the previous one back', (t) => {
  const { dir } = requested(t)
  startRestore(dir, OWNER, now)
  const failure = 'the service ended before it was open'
  assert.deepEqual(startRestore(dir, OWNER, now), { kind: 'failed', wish: WISH, failure })
  assert.equal(read(dir.database), 'new')
})

it('a crash between the note, the second name and the rename leaves a restore that goes on', (t) => {
  const { dir, copy } = requested(t)
  const note = readFileSync(`${dir.database}.restore-note`, 'utf8')
  writeFileSync(`${dir.database}.restore-note`, JSON.stringify({ ...(JSON.parse(note) as object), kept: KEPT }))
  copyFileSync(dir.database, join(dir.path, KEPT))
  assert.deepEqual(startRestore(dir, OWNER, now), { kind: 'replaced', wish: WISH, kept: `${KEPT}-2` })
  assert.equal(read(dir.database), 'old')
  assert.ok(!existsSync(copy))
})

it('a copy that is gone before it was used leaves the database as it is', (t) => {
  const { dir, copy } = requested(t)
  rmSync(copy)
  assert.equal(startRestore(dir, OWNER, now)?.kind, 'failed')
  assert.equal(read(dir.database), 'new')
})

it('a note that names files elsewhere reaches none of them, and one that is no note stops the start with words', (t) => {
  const { dir } = requested(t)
  const outside = join(dir.path, '..', 'outside.db')
  write(outside, 'outside')
  writeFileSync(`${dir.database}.restore-note`, JSON.stringify({ ...WISH, copy: '../outside.db', kept: '../outside.db', failure: null }))
  assert.equal(startRestore(dir, OWNER, now)?.kind, 'failed')
  assert.deepEqual([read(dir.database), read(outside)], ['new', 'outside'])
  writeFileSync(`${dir.database}.restore-note`, 'null, and more')
  assert.throws(() => startRestore(dir, OWNER, now), (error) => error instanceof DataDirError && /remove it, and the database stays as it is/.test(error.message))
})

it('a restore that has no note cannot be undone, and says so', (t) => {
  const { dir } = requested(t)
  startRestore(dir, OWNER, now)
  endRestore(dir)
  assert.throws(() => undoRestore(dir, new Error('why not')), (error) => error instanceof DataDirError && /^Cannot undo the restore: .* is gone/.test(error.message))
  assert.equal(read(dir.database), 'old')
})
