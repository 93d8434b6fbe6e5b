/** The pictures of backups: there with each, once for all, back with a restore, and gone with the last that names them. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { DAY_MS } from '../../src/base/duration.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { writeBackup, type Backup } from '../../src/store/backup/backup.ts'
import { prunePictures, restoreDatabase, type Restored } from '../../src/store/backup/restore.ts'
import { prepareDataDir, type DataDir } from '../../src/store/db/data-dir.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { hashOfBytes, pictureFiles, type PictureFiles } from '../../src/store/media/picture-files.ts'
import type { PictureName } from '../../src/store/media/picture-table.ts'
import { openStore } from '../../src/store/open-store.ts'
import { madeDataDir } from '../../scripts/tools/stores.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

interface Place {
  readonly dir: DataDir
  readonly files: PictureFiles
  add(text: string): Promise<PictureName>
  remove(picture: PictureName): Promise<void>
}

function placeOf(t: TestContext): Place {
  const dir = madeDataDir(t)
  const files = pictureFiles(join(dir.path, 'media'))
  const within = async (work: (store: ReturnType<typeof openStore>) => Promise<unknown>): Promise<void> => {
    const store = openStore({ dir, models: STORED_MODELS, version: '1.2.3', now: () => 0 })
    await work(store)
    await store.close()
  }
  t.after(() => rmSync(dir.path, { recursive: true, force: true }))
  return {
    ...{ dir, files },
    async add(text) {
      const name: PictureName = { hash: hashOfBytes(Buffer.from(text)), format: 'png' }
      await files.write(name, Buffer.from(text))
      const row = { ...name, bytes: Buffer.byteLength(text), width: 1, height: 1, frames: 1, alt: '', focus: undefined, createdAt: 0, actor: undefined }
      await within((store) => store.as(SYSTEM).addPicture(row, 1_000_000))
      return name
    },
    async remove(picture) {
      await within((store) => store.as(SYSTEM).removePicture(picture.hash))
      files.remove(picture)
    },
  }
}

const backUp = ({ dir }: Pick<Place, 'dir'>, target: string): Promise<Backup> =>
  writeBackup({ database: dir.database, target, makesDirectory: true, models: STORED_MODELS, now: systemClock })
const restore = (dir: DataDir, from: string): Promise<Restored> => restoreDatabase({ dir, from, models: STORED_MODELS, version: '1.2.3', now: () => DAY_MS })
const namesIn = (files: PictureFiles): string[] => [...files.all()].flatMap(({ pictures }) => pictures.map(({ hash }) => hash)).sort()

it('a backup has the pictures of the site beside it, each once, and on one disk without their bytes', async (t) => {
  const place = placeOf(t)
  const [a, b] = [await place.add('a'), await place.add('b')]
  const backups = join(place.dir.path, 'backups')
  assert.deepEqual((await backUp(place, join(backups, 'dateline-20260101T000000Z.db'))).pictures, { count: 2, missing: 0 })
  assert.deepEqual((await backUp(place, join(backups, 'dateline-20260102T000000Z.db'))).pictures, { count: 2, missing: 0 })
  const kept = pictureFiles(join(backups, 'media'))
  assert.deepEqual(namesIn(kept), [a.hash, b.hash].sort())
  assert.equal(statSync(kept.pathOf(a)).ino, statSync(place.files.pathOf(a)).ino)
})

it('a backup is made although a picture is missing, and says so', async (t) => {
  const place = placeOf(t)
  await place.add('a')
  place.files.remove(await place.add('b'))
  const elsewhere = join(temporaryDirectory(t), 'copy.db')
  assert.deepEqual((await backUp(place, elsewhere)).pictures, { count: 2, missing: 1 })
})

it('a restore brings pictures back, from beside the backup, wherever that is', async (t) => {
  const place = placeOf(t)
  const a = await place.add('a')
  const elsewhere = join(temporaryDirectory(t), 'copy.db')
  await backUp(place, elsewhere)
  await place.remove(a)
  const later = await place.add('later')
  const { pictures, replaced = '' } = await restore(place.dir, elsewhere)
  assert.deepEqual([pictures, place.files.read(a)?.toString()], [{ count: 1, missing: 0 }, 'a'])
  // And back to the database that was replaced, whose pictures were kept.
  rmSync(place.files.directory, { recursive: true })
  assert.deepEqual((await restore(place.dir, replaced)).pictures, { count: 1, missing: 0 })
  assert.equal(place.files.read(later)?.toString(), 'later')
  const fresh = prepareDataDir(join(temporaryDirectory(t), 'data'))
  assert.deepEqual((await restore(fresh, elsewhere)).pictures, { count: 1, missing: 0 })
  assert.equal(pictureFiles(join(fresh.path, 'media')).read(a)?.toString(), 'a')
})

it('a restore takes no file whose bytes are not those of its name, and none from another place', async (t) => {
  const place = placeOf(t)
  const [a, b] = [await place.add('aaaa'), await place.add('bbbb')]
  const directory = temporaryDirectory(t)
  await backUp(place, join(directory, 'copy.db'))
  const kept = pictureFiles(join(directory, 'media'))
  rmSync(kept.pathOf(a))
  writeFileSync(kept.pathOf(a), 'evil')
  const fresh = prepareDataDir(join(temporaryDirectory(t), 'data'))
  assert.deepEqual((await restore(fresh, join(directory, 'copy.db'))).pictures, { count: 2, missing: 1 })
  const files = pictureFiles(join(fresh.path, 'media'))
  assert.deepEqual([files.has(a), files.read(b)?.toString()], [false, 'bbbb'])
})

it('a forged backup with a hash that is a path, or another format, is refused', async (t) => {
  const place = placeOf(t)
  await place.add('a')
  for (const [column, value] of [['hash', '../../../../etc/passwd'], ['format', 'svg'], ['bytes', -1]] as const) {
    const forged = join(temporaryDirectory(t), 'forged.db')
    await backUp(place, forged)
    const database = openDatabase(forged)
    database.exec('PRAGMA ignore_check_constraints = ON')
    database.run(`UPDATE picture SET ${column} = ?`, value)
    database.close()
    const fresh = prepareDataDir(join(temporaryDirectory(t), 'data'))
    await assert.rejects(restore(fresh, forged), /the copy did not pass its check \((?:CHECK constraint failed in picture|a picture has a name or a length that none can have)\)/)
    assert.deepEqual(readdirSync(fresh.path).filter((name) => name === 'media'), [])
  }
})

it('pictures go with the last backup and the last replaced database that name them, and not on their first day', async (t) => {
  const place = placeOf(t)
  const [a, b] = [await place.add('a'), await place.add('b')]
  const backups = join(place.dir.path, 'backups')
  mkdirSync(backups)
  const first = join(backups, 'dateline-20260101T000000Z.db')
  await backUp(place, first)
  await place.remove(a)
  await backUp(place, join(backups, 'dateline-20260102T000000Z.db'))
  const kept = pictureFiles(join(backups, 'media'))
  const prune = (days: number): string[] => {
    prunePictures({ database: place.dir.database, directory: backups }, Date.now() + days * DAY_MS)
    return namesIn(kept)
  }
  const both = [a.hash, b.hash].sort()
  assert.deepEqual(prune(2), both)
  const { replaced = '' } = await restore(place.dir, first)
  rmSync(first)
  // The database in use names it, which is no backup; its files are its own.
  assert.ok(place.files.has(a))
  assert.deepEqual(prune(0), both)
  assert.deepEqual(prune(2), [b.hash])
  rmSync(join(backups, 'dateline-20260102T000000Z.db'))
  assert.deepEqual(prune(2), [b.hash], 'the replaced database names it')
  rmSync(replaced)
  assert.deepEqual(prune(2), [])
  utimesSync(place.dir.path, 0, 0)
})
