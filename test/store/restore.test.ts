import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { topic } from '../../src/models/topic.ts'
import { changeRange } from '../../src/store/history/change-log.ts'
import { writeBackup } from '../../src/store/backup/backup.ts'
import { prepareDataDir, type DataDir } from '../../src/store/db/data-dir.ts'
import { DatabaseFileError } from '../../src/store/backup/database-copy.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { migrate, MIGRATIONS, SchemaError } from '../../src/store/schema/migrate.ts'
import { removeReplaced, restoreDatabase } from '../../src/store/backup/restore.ts'
import { openStore } from '../../src/store/open-store.ts'
import { TOPIC } from '../../scripts/tools/data-bodies.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { systemStore, testStore } from '../../scripts/tools/stores.ts'

const restore = (dir: DataDir, from: string) =>
  restoreDatabase({ dir, from, models: STORED_MODELS, version: '1.2.3', now: () => Date.UTC(2026, 2, 1, 12) })

/** A backup with the topic `old`, and the directory of a process that was killed with the topic `new` in its log. */
async function killed(t: Cleanup): Promise<{ dir: DataDir; backup: string }> {
  const { store: first, dir: live } = testStore(t)
  await first.insert(topic, { id: 'old', value: { ...TOPIC, id: 'old', name: 'Old' } })
  const backup = join(temporaryDirectory(t), 'backup.db')
  await writeBackup({ database: live.database, target: backup, makesDirectory: false, models: STORED_MODELS, now: systemClock })
  // A log of its own for what follows, without the first page, which would mend a damaged file.
  await first.close()
  const store = systemStore(openStore({ dir: live, models: STORED_MODELS, version: '1.2.3', now: () => 0 }))
  t.after(() => store.close())
  await store.remove(topic, 'old')
  await store.insert(topic, { id: 'new', value: { ...TOPIC, id: 'new', name: 'New' } })
  const dir = prepareDataDir(join(temporaryDirectory(t), 'data'))
  for (const suffix of ['', '-wal']) copyFileSync(live.database + suffix, dir.database + suffix)
  return { dir, backup }
}

function topics(file: string): unknown[] {
  const database = openDatabase(file, { readOnly: true })
  try {
    return database.all('SELECT id FROM topic').map((row) => row['id'])
  } finally {
    database.close()
  }
}

function rootOf(file: string, index: string): number {
  const database = openDatabase(file, { readOnly: true })
  try {
    return Number(database.get('SELECT rootpage FROM sqlite_schema WHERE name = ?', index)?.['rootpage'])
  } finally {
    database.close()
  }
}

it('restore replaces the database, and keeps the previous one with all that its WAL held', async (t) => {
  const { dir, backup } = await killed(t)
  const { replaced, items } = await restore(dir, backup)
  assert.equal(replaced, `${dir.database}.replaced-20260301T120000Z`)
  assert.equal(items['topic'], 1)
  assert.ok(!existsSync(`${dir.database}-wal`), 'the old log is gone')
  assert.deepEqual(topics(dir.database), ['old'])
  assert.deepEqual(topics(replaced), ['new'])
  assert.deepEqual(topics(backup), ['old'])
  assert.equal((statSync(dir.database).mode & 0o777).toString(8), '600')
  const again = await restore(dir, replaced)
  assert.equal(again.replaced, `${dir.database}.replaced-20260301T120000Z-2`)
  assert.deepEqual(topics(dir.database), ['new'])
})

it('the change log of a restored database is another one', async (t) => {
  const { dir, backup } = await killed(t)
  const range = (file: string) => {
    const database = openDatabase(file, { readOnly: true })
    try {
      return changeRange(database)
    } finally {
      database.close()
    }
  }
  const [original, copy] = [range(dir.database), range(backup)]
  assert.equal(original.history, copy.history)
  assert.deepEqual([copy.newest, original.newest], [1, 3])
  await restore(dir, backup)
  const restored = range(dir.database)
  assert.equal(restored.newest, 1)
  assert.notEqual(restored.history, original.history)
  assert.match(restored.history, /^[0-9a-f]{24}$/)
})

it('restore replaces a damaged database, and keeps it with its WAL', async (t) => {
  const { dir, backup } = await killed(t)
  const log = readFileSync(`${dir.database}-wal`)
  writeFileSync(dir.database, Buffer.alloc(100_000, 7))
  const { replaced = '' } = await restore(dir, backup)
  assert.deepEqual(topics(dir.database), ['old'])
  assert.ok(readFileSync(replaced).equals(Buffer.alloc(100_000, 7)))
  assert.ok(log.length > 0 && readFileSync(`${replaced}-wal`).equals(log))
  const store = systemStore(openStore({ dir, models: STORED_MODELS, version: '1', now: () => 0 }))
  assert.match(store.documents.get(topic, 'old') ?? '', /Old/)
  await store.close()
})

it('restore fills a fresh directory', async (t) => {
  const { backup } = await killed(t)
  const dir = prepareDataDir(join(temporaryDirectory(t), 'fresh'))
  const { replaced } = await restore(dir, backup)
  assert.equal(replaced, undefined)
  assert.deepEqual(topics(dir.database), ['old'])
  assert.deepEqual(readdirSync(dir.path).sort(), ['dateline.db', 'dateline.lock'])
})

it('restore rejects a file that is no sound database of dateline, or is of a newer version, and changes nothing', async (t) => {
  const { dir, backup } = await killed(t)
  const directory = temporaryDirectory(t)
  const place = (name: string, content: Buffer): string => {
    writeFileSync(join(directory, name), content)
    return join(directory, name)
  }
  const newer = join(directory, 'newer.db')
  copyFileSync(backup, newer)
  const changed = openDatabase(newer)
  migrate(changed, {
    models: STORED_MODELS,
    version: '9.8.7',
    migrations: [...MIGRATIONS, { from: '', raise: 'CREATE TABLE later (a)' }],
    backup: join(directory, 'before'),
  })
  changed.close()
  const foreign = openDatabase(join(directory, 'foreign.db'))
  foreign.exec('CREATE TABLE other (a)')
  foreign.close()
  const older = place('older.db', readFileSync(backup))
  const early = openDatabase(older)
  early.exec('PRAGMA user_version = 22')
  early.close()
  const good = readFileSync(backup)
  // The first page of one index: everything else reads well.
  const rot = Buffer.from(good)
  const page = rootOf(backup, 'country/name')
  rot.fill(0xff, (page - 1) * 4096, page * 4096)
  const files = [dir.database, `${dir.database}-wal`]
  const before = files.map((file) => readFileSync(file))
  for (const [from, kind, wanted] of [
    [join(directory, 'none.db'), DatabaseFileError, /there is no such file$/],
    [directory, DatabaseFileError, /it is no file, but a directory or a device: choose another copy$/],
    [dir.database, DatabaseFileError, /it is the database in use: choose another copy$/],
    [place('text.db', Buffer.from('no database'.repeat(1000))), DatabaseFileError, /damaged.*: choose another copy$/],
    [place('cut.db', good.subarray(0, 40_960)), DatabaseFileError, /damaged.*: choose|did not pass its check.*: choose/],
    [place('rot.db', rot), DatabaseFileError, /damaged.*: choose|did not pass its check.*: choose/],
    [place('empty.db', Buffer.alloc(0)), DatabaseFileError, /was not written by dateline: choose another copy$/],
    [join(directory, 'foreign.db'), DatabaseFileError, /was not written by dateline/],
    [older, SchemaError, /has schema 22, .* before its first release; this is dateline 1\.2\.3.*"dateline export"/],
    [newer, SchemaError, /has schema \d+, written by dateline 9\.8\.7; this is dateline 1\.2\.3.*install that version/],
  ] as const) {
    await assert.rejects(restore(dir, from), (error: Error) => {
      assert.ok(error instanceof kind, String(error.stack))
      assert.match(error.message, wanted)
      return true
    })
  }
  assert.ok(files.every((file, i) => readFileSync(file).equals(before[i] as Buffer)))
  assert.deepEqual(readdirSync(dir.path).sort(), ['dateline.db', 'dateline.db-wal', 'dateline.lock'])
})

it('of replaced databases the newest three are kept, with what belongs to them, and the one that was restored', (t) => {
  const dir = prepareDataDir(join(temporaryDirectory(t), 'data'))
  const name = (rest: string): string => `dateline.db.replaced-20260301T12000${rest}`
  const files = ['1Z', '1Z-wal', '2Z', '3Z', '3Z-2', '3Z-2-wal', '3Z-10', '9Z.txt'].map(name)
  for (const one of files) writeFileSync(join(dir.path, one), '')
  const left = (): readonly string[] => readdirSync(dir.path).filter((one) => one.includes('replaced')).sort()
  assert.deepEqual(removeReplaced(dir, join(dir.path, name('1Z'))), { gone: [name('2Z')], left: [] })
  assert.deepEqual(left(), files.filter((one) => one !== name('2Z')).sort())
  assert.deepEqual(removeReplaced(dir), { gone: [name('1Z')], left: [] })
  assert.deepEqual(left(), ['3Z', '3Z-10', '3Z-2', '3Z-2-wal', '9Z.txt'].map(name))
  assert.deepEqual(removeReplaced(dir), { gone: [], left: [] })
})
