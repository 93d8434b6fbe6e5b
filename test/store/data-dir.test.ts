// isolated: it changes the umask
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { language } from '../../src/models/language.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { DataDirError, ownDataDir, prepareDataDir } from '../../src/store/db/data-dir.ts'
import { loadSecrets } from '../../src/store/db/secret-file.ts'
import { openStore } from '../../src/store/open-store.ts'
import { noSmallDisk, smallDisk } from '../../scripts/tools/small-disk.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { testStore } from '../../scripts/tools/stores.ts'

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)
const random = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, (_, i) => (i * 151 + 7) % 256))
const FILES = ['dateline.db', 'dateline.db-wal', 'dateline.db-shm', 'dateline.lock', 'owner.json']
const STRONG = 'xK2-9fQwT7rLmZ4vB8nHs3DyGc6JpWea'

it('the data directory and everything in it is for its owner alone, with any umask', async (t) => {
  const before = process.umask(0)
  t.after(() => void process.umask(before))
  const { dir, store } = testStore(t)
  loadSecrets(dir.secrets, random)
  await store.insert(language, { id: 'x', value: { id: 'x' } })
  assert.equal(mode(dir.path), '700')
  const files = readdirSync(dir.path)
  assert.ok(files.includes('dateline.db-wal') && files.includes('secrets'))
  for (const file of files) assert.equal(mode(join(dir.path, file)), '600', file)
})

it('files that others could read are closed to them', (t) => {
  const path = temporaryDirectory(t)
  writeFileSync(join(path, 'dateline.db'), '')
  chmodSync(join(path, 'dateline.db'), 0o644)
  prepareDataDir(path)
  assert.equal(mode(join(path, 'dateline.db')), '600')
})

it('a second owner is refused with the name of the first, and let in when the first is gone', async (t) => {
  const { dir, store } = testStore(t)
  const second = () =>
    openStore({ dir, models: STORED_MODELS, version: '1', now: () => 0, owner: { pid: 4242, startedAt: 'later' } })
  assert.throws(second, (error: Error) => {
    assert.ok(error instanceof DataDirError)
    assert.match(error.message, new RegExp(`process ${process.pid}, started now, is using it`))
    return true
  })
  await store.close()
  await second().close()
})

it('a directory that cannot be used is refused in one sentence', (t) => {
  const path = temporaryDirectory(t)
  writeFileSync(join(path, 'file'), '')
  for (const name of FILES) mkdirSync(join(path, `with ${name}`, name), { recursive: true })
  for (const [directory, reason] of [
    [join(path, 'file', 'below'), /a file with this name exists already/] as const,
    ...FILES.map((name) => [join(path, `with ${name}`), new RegExp(`expected "${name}" to be a file, found a directory: move that away$`)] as const),
  ]) {
    assert.throws(() => prepareDataDir(directory), (error: Error) => error instanceof DataDirError && reason.test(error.message))
  }
})

it('a pipe in place of the database is refused, and keeps no start waiting', { skip: process.platform === 'win32' }, (t) => {
  const path = temporaryDirectory(t)
  execFileSync('mkfifo', [join(path, 'dateline.db')])
  assert.throws(() => prepareDataDir(path), /expected "dateline\.db" to be a file, found a pipe: move that away$/)
})

it('a lock file that is no database, and an owner that cannot be written, are named, and the lock is free again', (t) => {
  const dir = prepareDataDir(temporaryDirectory(t))
  const own = () => ownDataDir(dir, { pid: 1, startedAt: 'now' })
  writeFileSync(join(dir.path, 'dateline.lock'), 'no database, and longer than the header of one'.repeat(30))
  assert.throws(own, /cannot lock "dateline\.lock": the file is damaged, or is no database of SQLite: remove it, unless a dateline process is running$/)
  rmSync(join(dir.path, 'dateline.lock'))
  mkdirSync(join(dir.path, 'owner.json'))
  assert.throws(own, /cannot write "owner\.json": it is a directory$/)
  rmdirSync(join(dir.path, 'owner.json'))
  own().release()
})

it('loadSecrets() makes a secret once, keeps it, and reads older ones after it', (t) => {
  const file = join(temporaryDirectory(t), 'secrets')
  const [first] = loadSecrets(file, random)
  assert.equal(Buffer.from(first ?? '', 'base64url').length, 32)
  assert.equal(mode(file), '600')
  assert.deepEqual(loadSecrets(file, () => assert.fail('made a second secret')), [first])
  writeFileSync(file, `${STRONG}\n\n${first ?? ''}\n`)
  assert.deepEqual(loadSecrets(file, random), [STRONG, first])
})

it('loadSecrets() says that a directory is no file of secrets, whatever its mode', (t) => {
  const file = join(temporaryDirectory(t), 'secrets')
  mkdirSync(file, { mode: 0o755 })
  assert.throws(() => loadSecrets(file, random), /^DataDirError: Cannot read the secrets in ".*secrets": it is a directory$/)
})

it('loadSecrets() that finds no room leaves no file without a secret, and makes one once there is room', { skip: noSmallDisk }, (t) => {
  const disk = smallDisk(t, 1)
  const [file, filler] = [join(disk, 'secrets'), join(disk, 'filler')]
  chmodSync(disk, 0o700)
  const isFull = { message: `Cannot read the secrets in "${file}": the disk is full` }
  assert.throws(() => writeFileSync(filler, Buffer.alloc(2 * 1024 * 1024)), { code: 'ENOSPC' })
  assert.throws(() => loadSecrets(file, random), isFull)
  assert.deepEqual(readdirSync(disk), ['filler'])
  rmSync(filler)
  assert.equal(loadSecrets(file, random).length, 1)
})

it('loadSecrets() refuses a secret that is too short without showing it', (t) => {
  const file = join(temporaryDirectory(t), 'secrets')
  writeFileSync(file, 'hunter2\n', { mode: 0o600 })
  assert.throws(
    () => loadSecrets(file, random),
    (error: Error) => {
      assert.match(error.message, /at least 32 bytes, found 7: remove ".*secrets", and the next start makes a new secret/)
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    },
  )
  assert.equal(readFileSync(file, 'utf8'), 'hunter2\n')
  assert.ok(existsSync(file))
})
