/** Pictures in off-site backups: each once at the place, and whole on the machine of a restore. */
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { decryptAge, encryptAge } from '../../src/age/age.ts'
import { newIdentity, parseRecipient } from '../../src/age/age-keys.ts'
import { streamOf } from '../../src/base/byte-source.ts'
import { PICTURE_BYTES_MAX } from '../../src/media/read-picture.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { pictureKey, PICTURES, snapshotsIn } from '../../src/offsite/object-keys.ts'
import { fetchPictures } from '../../src/offsite/picture-objects.ts'
import { findRestorable, restoreSite } from '../../src/offsite/restoring.ts'
import { parseRetention } from '../../src/offsite/retention.ts'
import { picturesBeside } from '../../src/store/backup/picture-copies.ts'
import { restoreDatabase } from '../../src/store/backup/restore.ts'
import { prepareDataDir } from '../../src/store/db/data-dir.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import type { PictureName } from '../../src/store/media/picture-table.ts'
import { bucketOn, bytesOf } from '../support/offsite/places.ts'
import { addPicture, filesIn, IDENTITIES, KEY, objectsOf, PICTURE_BYTES, picturesSent, restored, siteOn, storedPictures } from '../support/offsite/offsite-site.ts'

describe('pictures in off-site backups', () => {
  it('are at the place each once, encrypted, and come back byte for byte on an empty machine', async (t) => {
    const site = await siteOn(t)
    const names = [await addPicture(site, 'of the harbour'), await addPicture(site, 'of the ferry')]
    await site.work.wake()
    await site.work.make()
    assert.equal(snapshotsIn(objectsOf(site)).length, 2)
    assert.deepEqual(storedPictures(site), names.map(pictureKey).sort())
    assert.equal(picturesSent(site), 2)
    // Pictures of years may be more than one list can have.
    const lists = site.server.calls.map(({ query }) => query.get('prefix') ?? '').filter((prefix) => prefix.startsWith(`site/${PICTURES}`) && !prefix.endsWith('.age'))
    assert.ok(lists.length >= 2 && lists.every((prefix) => /\/[0-9a-f]$/.test(prefix)), lists.join(' '))
    for (const key of names.map(pictureKey)) {
      const bytes = site.server.objects.get(`site/${key}`) ?? Buffer.alloc(0)
      assert.equal((await bytesOf(decryptAge(IDENTITIES, streamOf(bytes)))).length, PICTURE_BYTES)
      assert.equal(bytes.includes('harbour') || bytes.includes('ferry'), false)
    }
    const { file, found } = await restored(t, site)
    assert.deepEqual(found.manifest.pictures, { count: 2, bytes: 2 * PICTURE_BYTES })
    const fresh = prepareDataDir(join(temporaryDirectory(t), 'data'))
    const { pictures } = await restoreDatabase({ dir: fresh, from: file, models: STORED_MODELS, version: '1.2.3', now: () => 0 })
    assert.deepEqual(pictures, { count: 2, missing: 0 })
    for (const name of names) assert.ok(filesIn(fresh.path).read(name)?.equals(filesIn(site.dataDir).read(name) ?? Buffer.alloc(0)))
  })

  it('that came since the snapshot follow the changes, and stay for some weeks when the site removes them', async (t) => {
    const site = await siteOn(t)
    await site.work.wake()
    const first = await addPicture(site, 'first')
    await site.work.wake()
    const second = await addPicture(site, 'second')
    await site.work.wake()
    assert.deepEqual([storedPictures(site), picturesSent(site), snapshotsIn(objectsOf(site)).length], [[first, second].map(pictureKey).sort(), 2, 1])
    const { file } = await restored(t, site)
    for (const name of [first, second]) assert.equal(picturesBeside(file).has(name), true)
    await site.store.removePicture(first.hash)
    filesIn(site.dataDir).remove(first)
    site.settings.retention = parseRetention('latest:1')
    await site.work.make()
    assert.equal(snapshotsIn(objectsOf(site)).length, 1)
    assert.deepEqual(storedPictures(site), [first, second].map(pictureKey).sort())
    const later = await restored(t, site)
    assert.deepEqual([first, second].map((name) => picturesBeside(later.file).has(name)), [false, true])
  })

  it('whose files are missing or damaged here are told, and hinder no snapshot', async (t) => {
    const site = await siteOn(t)
    const [gone, changed, whole] = [await addPicture(site, 'gone'), await addPicture(site, 'changed'), await addPicture(site, 'whole')]
    filesIn(site.dataDir).remove(gone)
    writeFileSync(filesIn(site.dataDir).pathOf(changed), Buffer.alloc(PICTURE_BYTES))
    await site.work.wake()
    assert.equal(snapshotsIn(objectsOf(site)).length, 1)
    assert.deepEqual(storedPictures(site), [pictureKey(whole)])
    assert.match(site.lines.join(''), /"event":"offsite.pictures_missing".*"pictures":2/)
    assert.deepEqual(site.work.places()[0]?.failures, {})
  })

  it('are there before the snapshot that names them: where a place changes one, there is none', async (t) => {
    let flips = true
    const site = await siteOn(t, { fault: ({ method, path }) => (flips && method === 'GET' && path.includes('pictures/') ? { kind: 'flipped' } : undefined) })
    const name = await addPicture(site, 'flipped')
    await site.work.wake()
    assert.match(site.work.places()[0]?.failures.snapshot?.message ?? '', /what was read back differs from what was stored/)
    assert.deepEqual([snapshotsIn(objectsOf(site)), storedPictures(site)], [[], []])
    flips = false
    site.clock.now += 3_600_000
    await site.work.wake()
    assert.deepEqual([snapshotsIn(objectsOf(site)).length, storedPictures(site)], [1, [pictureKey(name)]])
  })

  it('of a place that are damaged, forged or gone are not taken, and counted; the others are', async (t) => {
    const site = await siteOn(t)
    const texts = ['cut', 'forged', 'foreign', 'endless', 'gone', 'whole']
    const names = new Map<string, PictureName>()
    for (const text of texts) names.set(text, await addPicture(site, text))
    await site.work.wake()
    const keyOf = (text: string): string => `site/${pictureKey(names.get(text) ?? assert.fail(text))}`
    const objectOf = (text: string): Buffer => site.server.objects.get(keyOf(text)) ?? assert.fail(text)
    const sealed = async (recipient: string, bytes: number): Promise<Buffer> => bytesOf(encryptAge([parseRecipient(recipient)], streamOf(Buffer.alloc(bytes))))
    site.server.objects.set(keyOf('cut'), objectOf('cut').subarray(0, -1))
    site.server.objects.set(keyOf('forged'), objectOf('whole'))
    site.server.objects.set(keyOf('foreign'), await sealed(newIdentity().recipient, 10))
    site.server.objects.set(keyOf('endless'), await sealed(KEY.recipient, PICTURE_BYTES_MAX + 1))
    site.server.objects.delete(keyOf('gone'))
    const { file } = await restored(t, site)
    assert.deepEqual(texts.filter((text) => picturesBeside(file).has(names.get(text) ?? assert.fail(text))), ['whole'])
    const fresh = prepareDataDir(join(temporaryDirectory(t), 'data'))
    const { pictures } = await restoreDatabase({ dir: fresh, from: file, models: STORED_MODELS, version: '1.2.3', now: () => 0 })
    assert.deepEqual(pictures, { count: 6, missing: 5 })
    // What the place has lost comes again with the next snapshot, and so does one that is shorter than its picture.
    await site.work.make()
    assert.deepEqual([storedPictures(site).length, picturesSent(site)], [6, 8])
  })

  it('that are there already are not fetched', async (t) => {
    const site = await siteOn(t)
    await addPicture(site, 'here')
    await site.work.wake()
    const [directory, place] = [temporaryDirectory(t), bucketOn(site.server, { prefix: 'site' })]
    const before = site.server.calls.length
    await restoreSite(await findRestorable(place, IDENTITIES), { place, identities: IDENTITIES, directory, models: STORED_MODELS, existing: filesIn(site.dataDir) })
    assert.equal(site.server.calls.slice(before).some(({ path }) => path.includes('pictures/')), false)
    assert.equal(existsSync(join(directory, 'media')), false)
  })

  it('of a forged database whose names are paths lead nowhere', async (t) => {
    for (const [hash, format] of [['../../../etc/passwd', 'png'], ['a'.repeat(64), '../x']] as const) {
      const file = join(temporaryDirectory(t), 'dateline.db')
      const database = openDatabase(file)
      database.exec('CREATE TABLE picture (hash, format, bytes, created_at)')
      database.run('INSERT INTO picture VALUES (?, ?, 1, 0)', hash, format)
      database.close()
      const get = (key: string): never => assert.fail(`${key} was asked for`)
      await assert.rejects(fetchPictures({ identities: IDENTITIES, database: file, existing: undefined, get }), /a picture has a name or a length that none can have/)
    }
  })
})
