/** What the store knows of pictures: which documents name one, when the last ceased to, and which may go. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { DAY_MS } from '../../src/base/duration.ts'
import type { Json } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { incompleteOf } from '../../src/models/incomplete.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import type { Model } from '../../src/models/schema.ts'
import { topic } from '../../src/models/topic.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { startHousekeeping } from '../../src/store/housekeeping.ts'
import { fileNameOf, hashOfBytes, parseFileName, pictureFiles } from '../../src/store/media/picture-files.ts'
import type { PictureName, PictureRow } from '../../src/store/media/picture-table.ts'
import { openStore } from '../../src/store/open-store.ts'
import { recount } from '../../src/store/schema/derived-rows.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import { madeDataDir, openForTest, testStore } from '../../scripts/tools/stores.ts'

const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(64)) as [string, string, string]
const ROOM = 1_000_000

function picture(hash: string, more: Partial<PictureRow> = {}): PictureRow {
  return { hash, format: 'webp', bytes: 100, width: 4, height: 3, frames: 1, alt: '', focus: undefined, createdAt: 0, actor: undefined, ...more }
}

const address = (hash: string, extension = 'webp'): string => `https://news.example.org/media/${hash}.${extension}`

/** A store whose time can be set, with its files and its housekeeping. */
function siteOf(t: TestContext, kept: { readonly historyMs?: number; readonly trashMs?: number } = {}) {
  let time = 0
  const dir = madeDataDir(t)
  const store = openStore({ dir, models: STORED_MODELS, version: '1.2.3', now: () => time, owner: { pid: process.pid, startedAt: 'now' } })
  t.after(() => store.close())
  const files = pictureFiles(join(dir.path, 'media'))
  const times = { auditMs: undefined, guestMs: undefined, guestBytesMax: Number.MAX_SAFE_INTEGER, historyMs: kept.historyMs ?? DAY_MS, trashMs: kept.trashMs ?? DAY_MS }
  const housekeeping = startHousekeeping({ store, files, kept: () => times, now: () => time, log: recordingLog().log })
  t.after(() => housekeeping.stop())
  const own = store.as(SYSTEM)
  const add = async (text: string): Promise<PictureName> => {
    const name: PictureName = { hash: hashOfBytes(Buffer.from(text)), format: 'webp' }
    await files.write(name, Buffer.from(text))
    await own.addPicture(picture(name.hash, { createdAt: time }), ROOM)
    return name
  }
  const tidyAt = async (at: number): Promise<void> => {
    time = at
    await housekeeping.run()
  }
  return { dir, store, own, files, add, tidyAt, setTime: (at: number) => void (time = at), isThere: ({ hash, format }: PictureName) => [store.pictures.pictureFile(hash) !== undefined, files.has({ hash, format })] }
}

it('documents that name a picture in an address are its users, in whatever member, model and form', async (t) => {
  const { store } = testStore(t)
  await store.addPicture(picture(A), ROOM)
  const names: readonly [Model, Record<string, Json>, boolean][] = [
    [topic, { iconUrl: address(A) }, true],
    [topic, { iconUrl: `https://news.example.org/media/${A}.jpg?width=200#top` }, true],
    [topic, { iconUrl: `https://example.org/media/site/media/${A}.jpg` }, true],
    [topic, { iconUrl: `https://example.org/media/media/${A}.webp` }, true],
    [topic, { iconUrl: `http://127.0.0.1:8080/media/${A}.avif` }, true],
    [headline, { title: 'x', source: { logoUrl: address(A) } }, true],
    [incompleteOf(headline) as Model, { imageUrl: address(A) }, true],
    [topic, { description: `see ${address(A)}` }, false],
    [topic, { iconUrl: address(B) }, false],
    [topic, { iconUrl: address(A.toUpperCase()) }, false],
    [topic, { iconUrl: `https://example.org/media/${A.slice(1)}.webp` }, false],
    [topic, { iconUrl: '' }, false],
  ]
  for (const [i, [model, value, isUser]] of names.entries()) {
    const id = `d${i}`
    await store.insert(model, { id, value: { status: 'draft', id, ...value } })
    const users = store.pictures.pictureUsers(A, 10).map((user) => user.id)
    assert.equal(users.includes(id), isUser, JSON.stringify(value))
    await store.remove(model, id)
    assert.deepEqual(store.pictures.pictureUsers(A, 10), [])
  }
})

it('a change of a document changes what it names, and a restore derives the same', async (t) => {
  const { store, dir } = testStore(t)
  await store.insert(topic, { id: 't', value: { status: 'draft', id: 't', iconUrl: address(A), other: { logoUrl: address(B) } } })
  await store.update(topic, 't', (stored) => ({ ...stored, iconUrl: address(C) }))
  const database = openForTest(t, dir.database)
  const uses = (): unknown[] => database.all('SELECT hash FROM picture_use ORDER BY hash').map(({ hash }) => hash)
  assert.deepEqual(uses(), [B, C])
  database.exec("DELETE FROM picture_use WHERE hash = 'x'; INSERT INTO picture_use VALUES ('forged', 'topic', 1)")
  recount(database, STORED_MODELS)
  assert.deepEqual(uses(), [B, C])
})

it('a picture is added once, and none beyond the room for all', async (t) => {
  const { store } = testStore(t)
  assert.equal(await store.addPicture(picture(A, { bytes: 600 }), 1_000), 'added')
  assert.equal(await store.addPicture(picture(A, { bytes: 600 }), 1_000), 'known')
  assert.equal(await store.addPicture(picture(B, { bytes: 401 }), 1_000), 'full')
  assert.equal(await store.addPicture(picture(C, { bytes: 400 }), 1_000), 'added')
  assert.deepEqual(store.pictures.pictureTotals(), { pictures: 2, bytes: 1_000 })
})

it('pictures are listed newest first, page by page, and those without use by themselves', async (t) => {
  const { store } = testStore(t)
  const hashes = Array.from({ length: 7 }, (_, i) => String(i).repeat(64))
  for (const [i, hash] of hashes.entries()) await store.addPicture(picture(hash, { createdAt: Math.floor(i / 2) }), ROOM)
  await store.insert(topic, { id: 't', value: { status: 'draft', id: 't', iconUrl: address(hashes[3] ?? '') } })
  for (const unused of [false, true]) {
    const found: string[] = []
    let after
    do {
      const page = store.pictures.listPictures({ limit: 2, unused, after })
      found.push(...page.items.map(({ hash }) => hash[0] ?? ''))
      after = page.next
    } while (after !== undefined)
    assert.deepEqual(found.join(''), unused ? '654210' : '6543210')
  }
})

it('a picture that a document names is not removed, and the one that nothing names is', async (t) => {
  const { store } = testStore(t)
  await store.addPicture(picture(A), ROOM)
  await store.insert(topic, { id: 't', value: { status: 'draft', id: 't', iconUrl: address(A) } })
  assert.equal(await store.removePicture(A), 'used')
  await store.remove(topic, 't')
  assert.deepEqual(await store.removePicture(A), { hash: A, format: 'webp' })
  assert.equal(await store.removePicture(A), 'missing')
})

it('a picture goes thirty days after it came where nothing has named it, with its file', async (t) => {
  const site = siteOf(t)
  const lost = await site.add('lost')
  const kept = await site.add('kept')
  await site.own.insert(topic, { id: 't', value: { status: 'draft', id: 't', iconUrl: address(kept.hash) } })
  await site.tidyAt(30 * DAY_MS)
  assert.deepEqual(site.isThere(lost), [true, true])
  await site.tidyAt(30 * DAY_MS + 1)
  assert.deepEqual(site.isThere(lost), [false, false])
  await site.tidyAt(400 * DAY_MS)
  assert.deepEqual(site.isThere(kept), [true, true])
})

it('a picture that an earlier version or the trash names stays as long as these', async (t) => {
  const site = siteOf(t, { historyMs: 90 * DAY_MS, trashMs: 60 * DAY_MS })
  const [old, trashed] = [await site.add('old'), await site.add('trashed')]
  await site.own.insert(topic, { id: 't', value: { status: 'draft', id: 't', iconUrl: address(old.hash) } })
  await site.own.insert(topic, { id: 'u', value: { status: 'draft', id: 'u', iconUrl: address(trashed.hash) } })
  // Named all the time until then, however long ago they came.
  await site.tidyAt(200 * DAY_MS)
  await site.own.update(topic, 't', (stored) => ({ ...stored, iconUrl: '' }))
  await site.own.remove(topic, 'u')
  await site.tidyAt(290 * DAY_MS)
  assert.deepEqual([site.isThere(old), site.isThere(trashed)], [[true, true], [true, true]])
  await site.tidyAt(290 * DAY_MS + 1)
  assert.deepEqual([site.isThere(old), site.isThere(trashed)], [[false, false], [false, false]])
})

it('a picture that comes again, or is named again, has its time again', async (t) => {
  const site = siteOf(t)
  const [again, named] = [await site.add('again'), await site.add('named')]
  await site.own.insert(topic, { id: 't', value: { status: 'draft', id: 't' } })
  site.setTime(29 * DAY_MS)
  await site.add('again')
  // Named for a moment: only the earlier version has it.
  await site.own.update(topic, 't', (stored) => ({ ...stored, iconUrl: address(named.hash) }))
  await site.own.update(topic, 't', (stored) => ({ ...stored, iconUrl: '' }))
  await site.tidyAt(59 * DAY_MS)
  assert.deepEqual([site.isThere(again), site.isThere(named)], [[true, true], [true, true]])
  await site.tidyAt(59 * DAY_MS + 1)
  assert.deepEqual([site.isThere(again), site.isThere(named)], [[false, false], [false, false]])
})

it('many pictures without use go in steps, past those in use', async (t) => {
  const site = siteOf(t)
  const all = []
  for (let i = 0; i < 120; i++) all.push(await site.add(`p${i}`))
  await Promise.all(all.filter((_, i) => i % 3 === 0).map(({ hash }, i) => site.own.insert(topic, { id: `t${i}`, value: { status: 'draft', id: `t${i}`, iconUrl: address(hash) } })))
  await site.tidyAt(31 * DAY_MS)
  assert.deepEqual(all.map((one) => site.isThere(one)), all.map((_, i) => [i % 3 === 0, i % 3 === 0]))
})

it('a file is whole under its name or not there, and a damaged one is not read', async (t) => {
  const { files, dir } = siteOf(t)
  const bytes = Buffer.from('the bytes')
  const name: PictureName = { hash: hashOfBytes(bytes), format: 'png' }
  await files.write(name, bytes)
  assert.ok(files.read(name)?.equals(bytes))
  const place = join(dir.path, 'media', name.hash.slice(0, 2))
  assert.deepEqual(readdirSync(place), [`${name.hash}.png`])
  writeFileSync(files.pathOf(name), 'other bytes')
  assert.equal(files.read(name), undefined)
  await files.write(name, bytes)
  assert.ok(files.read(name)?.equals(bytes))
  const second = pictureFiles(join(dir.path, 'elsewhere'))
  for (let i = 0; i < 2; i++) second.take(name, files.pathOf(name))
  assert.deepEqual(readdirSync(join(dir.path, 'elsewhere', name.hash.slice(0, 2))), [`${name.hash}.png`])
  files.remove(name)
  assert.equal(existsSync(files.pathOf(name)), false)
  assert.ok(second.read(name)?.equals(bytes))
})

it('files without a row go a day after they were written, and what was left of a killed process', async (t) => {
  const site = siteOf(t)
  const kept = await site.add('kept')
  const stray: PictureName = { hash: hashOfBytes(Buffer.from('stray')), format: 'webp' }
  await site.files.write(stray, Buffer.from('stray'))
  const paths = [site.files.pathOf(stray), `${site.files.pathOf(kept)}.partial-12-ab12`, join(site.dir.path, 'media', 'notes.txt'), site.files.pathOf(kept)]
  for (const path of paths.slice(1, 3)) writeFileSync(path, '')
  const tidyAt = async (age: number): Promise<boolean[]> => {
    for (const path of paths.filter((one) => existsSync(one))) utimesSync(path, 0, 0)
    await site.tidyAt(age)
    return paths.map((path) => existsSync(path))
  }
  assert.deepEqual(await tidyAt(DAY_MS), [true, true, true, true])
  assert.deepEqual(await tidyAt(DAY_MS + 1), [false, false, true, true], 'a file of another program is left alone')
})

it('only the name of a picture is one: no path, no other case, no other ending', () => {
  assert.deepEqual(parseFileName(`${A}.jpg`), { hash: A, format: 'jpeg' })
  assert.equal(fileNameOf({ hash: A, format: 'avif' }), `${A}.avif`)
  for (const text of [A, `${A}.svg`, `${A}.JPG`, `${A.toUpperCase()}.jpg`, `../${A}.jpg`, `${A}.jpg/`, `${A}.jpg\0`, `a/${A.slice(2)}.jpg`, `${A.slice(1)}.jpg`, `0${A}.jpg`, `${A}.jpg\n`, '']) {
    assert.equal(parseFileName(text), undefined, JSON.stringify(text))
  }
  const files = pictureFiles('/nowhere')
  assert.throws(() => files.has({ hash: '../../etc/passwd', format: 'png' }), /its hash is none/)
})
