import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { language } from '../../src/models/language.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { topic } from '../../src/models/topic.ts'
import { backupName, listBackups, removeOldBackups, writeBackup, type BackupRequest } from '../../src/store/backup/backup.ts'
import { DatabaseFileError } from '../../src/store/backup/database-copy.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { openForTest, testStore, type SystemStore } from '../../scripts/tools/stores.ts'

const request = (database: string, target: string): BackupRequest => ({
  database,
  target,
  makesDirectory: false,
  models: STORED_MODELS,
  now: systemClock,
})

function refused(promise: Promise<unknown>, wanted: RegExp): Promise<void> {
  return assert.rejects(promise, (error: Error) => {
    assert.ok(error instanceof DatabaseFileError, String(error.stack))
    assert.match(error.message, wanted)
    assert.doesNotMatch(error.message, /\n/)
    return true
  })
}

/** Some megabytes, so that a backup takes many steps. */
async function fill(store: SystemStore, megabytes: number): Promise<void> {
  const documents = Array.from({ length: megabytes * 10 }, (_, i) => {
    const id = `large-${i}`
    return { id, value: { id, name: String(i), text: String.fromCharCode(97 + (i % 26)).repeat(100_000) } }
  })
  await store.insertMissing(language, documents)
}

it('a backup is one private file with all that was committed when it began, whatever is written meanwhile', async (t) => {
  const { store, dir } = testStore(t)
  await fill(store, 12)
  let [isDone, pairs] = [false, 0]
  const writing = (async () => {
    for (; !isDone; pairs++) {
      // Both of one turn share a transaction, so that a copy has both or none.
      const [a, b] = [`a${pairs}`, `b${pairs}`]
      await Promise.all([a, b].map((id) => store.insert(topic, { id, value: { id, status: 'active' } })))
    }
  })()
  const target = join(dir.path, 'backups', backupName(Date.UTC(2026, 2, 1, 12)))
  const shares: number[] = []
  const backup = await writeBackup({
    ...request(dir.database, target),
    makesDirectory: true,
    onProgress: (share) => void shares.push(share),
  })
  isDone = true
  await writing
  assert.equal(target, join(dir.path, 'backups', 'dateline-20260301T120000Z.db'))
  assert.deepEqual(readdirSync(join(dir.path, 'backups')), ['dateline-20260301T120000Z.db'])
  assert.equal((statSync(target).mode & 0o777).toString(8), '600')
  assert.equal(backup.bytes, statSync(target).size)
  assert.equal(backup.items['language'], 120)
  assert.ok(shares.length >= 2 && shares.every((share) => share > 0 && share <= 1), String(shares))
  assert.ok(pairs > 3, 'nothing was written meanwhile')
  const copy = openForTest(t, target, { readOnly: true })
  const topics = Number(copy.get('SELECT count(*) AS n FROM topic')?.['n'])
  assert.equal(topics % 2, 0)
  assert.equal(topics, backup.items['topic'])
  assert.ok(topics < 2 * pairs, 'the copy is of the beginning')
})

it('what a killed process left in the WAL is in the backup', async (t) => {
  const { store, dir } = testStore(t)
  await store.insert(topic, { id: 'x', value: { id: 'x', status: 'active' } })
  const directory = temporaryDirectory(t)
  for (const suffix of ['', '-wal']) copyFileSync(dir.database + suffix, join(directory, `dateline.db${suffix}`))
  assert.ok(statSync(join(directory, 'dateline.db-wal')).size > 0)
  const backup = await writeBackup(request(join(directory, 'dateline.db'), join(directory, 'copy.db')))
  assert.equal(backup.items['topic'], 1)
})

it('a backup replaces no file, and leaves none where it fails', async (t) => {
  const { dir } = testStore(t)
  const directory = temporaryDirectory(t)
  const taken = join(directory, 'taken.db')
  writeFileSync(taken, 'mine')
  mkdirSync(join(directory, 'folder'))
  const broken = join(directory, 'broken.db')
  const good = join(directory, 'good.db')
  await writeBackup(request(dir.database, good))
  const bytes = readFileSync(good)
  writeFileSync(broken, Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(bytes.length - 8192, 7)]))
  const other = join(directory, 'other.db')
  const foreign = openDatabase(other)
  foreign.exec('CREATE TABLE other (a)')
  foreign.close()
  for (const [database, target, wanted] of [
    [dir.database, taken, /a file of that name is there: choose another name with --to$/],
    [dir.database, join(directory, 'folder'), /a directory of that name is there/],
    [dir.database, join(taken, 'x.db'), /file of that name is in the way|not a directory/],
    [dir.database, join(directory, 'no', 'x.db'), /there is no directory ".*no": make it first, or choose another with --to$/],
    [join(directory, 'none.db'), join(directory, 'x.db'), /there is no database: name its directory with --data-dir$/],
    [taken, join(directory, 'x.db'), /damaged, or is no database of SQLite: run dateline check$/],
    [broken, join(directory, 'x.db'), /damaged.*: run dateline check$|did not pass its check.*: run dateline check$/],
    [other, join(directory, 'x.db'), /was not written by dateline/],
  ] as const) {
    await refused(writeBackup(request(database, target)), wanted)
  }
  assert.deepEqual(readdirSync(directory).filter((name) => name.startsWith('x.db')), [])
  assert.equal(readFileSync(taken, 'utf8'), 'mine')
})

it('a backup that is interrupted leaves nothing', async (t) => {
  const { store, dir } = testStore(t)
  await fill(store, 9)
  const controller = new AbortController()
  const target = join(dir.path, 'backups', 'x.db')
  const backup = writeBackup({
    ...request(dir.database, target),
    makesDirectory: true,
    signal: controller.signal,
    onProgress: () => controller.abort(),
  })
  await refused(backup, /it was interrupted$/)
  assert.deepEqual(readdirSync(join(dir.path, 'backups')), [])
})

it('removeOldBackups() removes the oldest backups, and no other file', async (t) => {
  const directory = temporaryDirectory(t)
  const days = [1, 2, 3, 4].map((day) => backupName(Date.UTC(2026, 0, day)))
  const oldOnes = { keep: 2, kind: 'scheduled', now: Date.UTC(2026, 0, 4) } as const
  const others = ['mine.db', 'dateline-2026.db', 'dateline-20260101T000000Z.db.partial-1', 'x-20260101T000000Z.db']
  for (const name of [...days, ...others]) writeFileSync(join(directory, name), '')
  assert.deepEqual(await removeOldBackups(directory, oldOnes), days.slice(0, 2))
  assert.deepEqual(await removeOldBackups(directory, oldOnes), [])
  assert.deepEqual(listBackups(directory), days.slice(2).map((name) => join(directory, name)))
  assert.deepEqual(readdirSync(directory).sort(), [...days.slice(2), ...others].sort())
  assert.deepEqual(listBackups(join(directory, 'none')), [])
})

it('removeOldBackups() removes backups of a clock that was ahead before those of now', async (t) => {
  const directory = temporaryDirectory(t)
  const now = Date.UTC(2026, 0, 4)
  const [before, made, ...ahead] = [now - 1_000, now, Date.UTC(2026, 1, 1), Date.UTC(2026, 1, 2)].map((at) => backupName(at))
  for (const name of [before, made, ...ahead]) writeFileSync(join(directory, String(name)), '')
  const remove = (keep: number) => removeOldBackups(directory, { keep, kind: 'scheduled', now })
  assert.deepEqual([await remove(3), await remove(2), await remove(1)], [[ahead[0]], [ahead[1]], [before]])
})
