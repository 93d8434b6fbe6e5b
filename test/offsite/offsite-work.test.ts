/** Off-site backups of a store, by the threads of the service, and what a restore makes of them. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { s3Server, type S3Server, type S3ServerOptions } from '../../scripts/tools/offsite/s3-server.ts'
import { systemStore, testStore, type SystemStore } from '../../scripts/tools/stores.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { decryptAge, encryptAge } from '../../src/age/age.ts'
import { AgeError } from '../../src/age/age-error.ts'
import { newIdentity, parseIdentity, parseRecipient } from '../../src/age/age-keys.ts'
import { streamOf } from '../../src/base/byte-source.ts'
import { createLog } from '../../src/base/log.ts'
import { PICTURE_BYTES_MAX } from '../../src/media/read-picture.ts'
import { topic } from '../../src/models/topic.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { pictureKey, PICTURES, segmentKey, segmentsIn, snapshotKeys, snapshotsIn } from '../../src/offsite/object-keys.ts'
import { startOffsite, type OffsiteSettings } from '../../src/offsite/offsite-work.ts'
import { fetchPictures } from '../../src/offsite/picture-objects.ts'
import { parsePlaces } from '../../src/offsite/place-address.ts'
import { PlaceError } from '../../src/offsite/place.ts'
import { findRestorable, restoreSite } from '../../src/offsite/restoring.ts'
import { DEFAULT_RETENTION, parseRetention } from '../../src/offsite/retention.ts'
import { picturesBeside } from '../../src/store/backup/picture-copies.ts'
import { restoreDatabase } from '../../src/store/backup/restore.ts'
import { prepareDataDir } from '../../src/store/db/data-dir.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { hashOfBytes, pictureFiles } from '../../src/store/media/picture-files.ts'
import type { PictureName } from '../../src/store/media/picture-table.ts'
import { openStore } from '../../src/store/open-store.ts'
import { PENDING_BYTES_MAX } from '../../src/store/pending/pending-changes.ts'
import { bucketOn, bytesOf, KEYS } from '../support/offsite/places.ts'

const SECRET = 'a secret of the site that must never leave in the clear'
const KEY = newIdentity()
const IDENTITIES = [parseIdentity(KEY.identity)]
const aTopic = (id: string, name = id) => ({ id, value: { id, name, status: 'active' as const, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' } })

interface Site {
  readonly store: SystemStore
  readonly server: S3Server
  readonly work: ReturnType<typeof startOffsite>
  readonly lines: string[]
  readonly clock: { now: number }
  readonly dataDir: string
  readonly settings: { -readonly [K in keyof OffsiteSettings]: OffsiteSettings[K] }
}

async function siteOn(t: Cleanup, options: S3ServerOptions & { readonly hasKey?: boolean } = {}): Promise<Site> {
  const server = await s3Server(t, options)
  const { store, dir } = testStore(t)
  if (options.hasKey !== false) writeFileSync(join(dir.path, 'backup-recipients'), `${KEY.recipient}\n`)
  mkdirSync(join(dir.path, 'templates'))
  writeFileSync(join(dir.path, 'templates', 'sign-in.en.json'), '{"subject":"Hello"}')
  const settings = { places: parsePlaces(`s3://backups/site?endpoint=${server.endpoint}`), keys: () => KEYS, everyMs: 6 * 3_600_000, retention: DEFAULT_RETENTION, rate: undefined }
  const clock = { now: Date.now() }
  const { work, lines } = workOn(t, { store, dataDir: dir.path, settings, clock })
  return { store, server, work, lines, clock, dataDir: dir.path, settings }
}

function workOn(t: Cleanup, { store, dataDir, settings, clock }: Pick<Site, 'store' | 'dataDir' | 'settings' | 'clock'>) {
  const lines: string[] = []
  const log = createLog({ level: 'debug', format: 'json', now: () => clock.now, write: (line) => void lines.push(line) })
  const work = startOffsite({
    ...{ store, dataDir, database: join(dataDir, 'dateline.db'), settings: () => settings, secrets: [SECRET], isOnDuty: undefined, now: () => clock.now, log },
    outbound: { allow: '127.0.0.0/8', outboundProxy: 'none', outboundCa: undefined, environment: {} },
    givenSettings: () => '[]',
  })
  t.after(() => work.stop())
  return { work, lines }
}

const PICTURE_BYTES = 100_000
const filesIn = (dataDir: string) => pictureFiles(join(dataDir, 'media'))
const storedPictures = (site: Site): string[] => objectsOf(site).map(({ key }) => key).filter((key) => key.startsWith(PICTURES))
const picturesSent = ({ server }: Site): number => server.calls.filter(({ method, path }) => method === 'PUT' && path.includes(PICTURES)).length
let pictures = 0

/** A picture that shows a text, one of the next second each. */
async function addPicture({ store, dataDir }: Site, text: string): Promise<PictureName> {
  const bytes = Buffer.alloc(PICTURE_BYTES, `a picture ${text} `)
  const name: PictureName = { hash: hashOfBytes(bytes), format: 'jpeg' }
  await filesIn(dataDir).write(name, bytes)
  await store.addPicture({ ...name, bytes: bytes.length, width: 1, height: 1, frames: 1, alt: '', focus: undefined, createdAt: ++pictures * 1_000, actor: undefined }, 2 ** 30)
  return name
}

const objectsOf = ({ server }: Pick<Site, 'server'>) => [...server.objects].map(([key, bytes]) => ({ key: key.replace('site/', ''), bytes: bytes.length })).sort((a, b) => (a.key < b.key ? -1 : 1))

async function restored(t: Cleanup, { server }: Pick<Site, 'server'>, until?: number) {
  const place = bucketOn(server, { prefix: 'site' })
  const directory = temporaryDirectory(t)
  const found = await findRestorable(place, IDENTITIES, until)
  const site = await restoreSite(found, { place, identities: IDENTITIES, until, directory, models: STORED_MODELS })
  const database = openDatabase(site.file, { readOnly: true })
  try {
    const topics = database.all("SELECT id, doc ->> '$.name' AS name FROM topic ORDER BY id").map(({ id, name }) => `${String(id)} ${String(name)}`)
    return { ...site, found, topics }
  } finally {
    database.close()
  }
}

describe('off-site backups', () => {
  it('hold the site and what stands beside it, and every change behind it, and nothing in the clear', async (t) => {
    const site = await siteOn(t)
    await site.store.insert(topic, aTopic('a', 'Harbours'))
    await site.work.wake()
    await site.store.update(topic, 'a', (stored) => ({ ...stored, name: 'Ports' }))
    await site.store.insert(topic, aTopic('b', 'Winds'))
    await site.work.wake()
    const { topics, beside, replayed } = await restored(t, site)
    assert.deepEqual(topics, ['a Ports', 'b Winds'])
    assert.equal(replayed, 2)
    assert.deepEqual(beside.map(({ name }) => name), ['settings.json', 'backup-recipients', 'secrets', 'templates/sign-in.en.json'])
    assert.equal(beside.find(({ name }) => name === 'secrets')?.text, `${SECRET}\n`)
    for (const [key, bytes] of site.server.objects) {
      assert.ok(bytes.subarray(0, 21).equals(Buffer.from('age-encryption.org/v1')), key)
      for (const clear of ['Harbours', 'Winds', SECRET, 'SQLite format 3']) assert.equal(bytes.includes(clear), false, `${key} has ${clear}`)
    }
    const [place] = site.work.places()
    assert.equal(place?.waiting, 0)
    assert.deepEqual(place?.failures, {})
    assert.deepEqual(readdirSync(site.dataDir).filter((name) => name.startsWith('offsite-')), [])
  })

  it('cannot be read with the machine alone, nor by another key', async (t) => {
    const site = await siteOn(t)
    await site.work.wake()
    const place = bucketOn(site.server, { prefix: 'site' })
    await assert.rejects(findRestorable(place, [parseIdentity(newIdentity().identity)]), (error) => error instanceof AgeError && /encrypted for other keys/.test(error.message))
    for (const name of readdirSync(site.dataDir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())) {
      assert.notEqual(name.name, KEY.identity)
    }
    assert.equal(site.lines.join('').includes('AGE-SECRET-KEY'), false)
  })

  it('are not made without a key, and say how to make one', async (t) => {
    const site = await siteOn(t, { hasKey: false })
    await site.work.wake()
    assert.equal(site.server.objects.size, 0)
    assert.match(site.work.places()[0]?.failures.snapshot?.message ?? '', /no key to encrypt for: run "dateline backup key"/)
  })

  it('give the site as it was at a time, before and after a mistake', async (t) => {
    const site = await siteOn(t)
    await site.work.wake()
    const before = Math.max(...snapshotsIn(objectsOf(site)).map(({ at }) => at))
    // The clock of the store stands at 0: changes have their order, and here the time of the next start.
    await site.work.stop()
    await site.store.close()
    let now = before + 10_000
    const store = systemStore(openStore({ dir: { path: site.dataDir, database: join(site.dataDir, 'dateline.db'), secrets: '', made: { directories: [], files: [] } }, models: STORED_MODELS, version: '1.2.3', now: () => now, owner: { pid: process.pid, startedAt: 'now' } }))
    t.after(() => store.close())
    const { work } = workOn(t, { ...site, store })
    for (const name of ['one', 'two', 'three']) {
      await store.insert(topic, aTopic(name))
      now += 10_000
    }
    await store.remove(topic, 'one')
    await work.wake()
    assert.deepEqual((await restored(t, site)).topics, ['three three', 'two two'])
    assert.deepEqual((await restored(t, site, before + 30_000)).topics, ['one one', 'three three', 'two two'])
    assert.deepEqual((await restored(t, site, before + 29_999)).topics, ['one one', 'two two'])
    assert.deepEqual((await restored(t, site, before)).topics, [])
    await assert.rejects(restored(t, site, before - 3_600_000), /the oldest snapshot is of .*: choose a time from then on/)
  })

  it('go on over a restart with the same chain, and store nothing twice', async (t) => {
    const site = await siteOn(t)
    await site.work.wake()
    await site.store.insert(topic, aTopic('a'))
    await site.work.wake()
    await site.work.stop()
    await site.store.insert(topic, aTopic('b'))
    const { work } = workOn(t, site)
    await work.wake()
    assert.equal(snapshotsIn(objectsOf(site)).length, 1)
    assert.deepEqual(segmentsIn(objectsOf(site)).map(({ first, last }) => [first, last]), [[1, 1], [2, 2]])
    await site.work.stop()
    await work.wake()
    assert.equal((await restored(t, site)).topics.length, 2)
  })

  it('have each change in a segment, also those that waited while a snapshot was stored: an earlier one leads on without it', async (t) => {
    let refuses = false
    const site = await siteOn(t, { fault: ({ method, path }) => (refuses && method === 'PUT' && path.includes('changes/') ? { kind: 'error', status: 403, code: 'AccessDenied' } : undefined) })
    await site.work.wake()
    await site.store.insert(topic, aTopic('a'))
    await site.work.wake()
    refuses = true
    await site.store.insert(topic, aTopic('b'))
    await site.work.make()
    assert.deepEqual([site.work.places()[0]?.snapshot?.seq, site.work.places()[0]?.waiting], [2, 1])
    refuses = false
    await site.store.insert(topic, aTopic('c'))
    await site.work.wake()
    assert.deepEqual(segmentsIn(objectsOf(site)).map(({ first, last }) => [first, last]), [[1, 1], [2, 3]])
    const whole = await restored(t, site)
    assert.deepEqual([whole.found.snapshot.seq, whole.topics], [2, ['a a', 'b b', 'c c']])
    for (const key of Object.values(snapshotKeys(whole.found.snapshot))) site.server.objects.delete(`site/${key}`)
    const without = await restored(t, site)
    assert.deepEqual([without.found.snapshot.seq, without.topics], [0, whole.topics])
  })

  it('go on behind the newest snapshot of a place that was away while another one took the changes', async (t) => {
    let isAway = false
    const site = await siteOn(t, { fault: ({ path }) => (isAway && path.includes('away/') ? { kind: 'error', status: 403, code: 'AccessDenied' } : undefined) })
    const { endpoint } = site.server
    site.settings.places = parsePlaces(`s3://backups/site?endpoint=${endpoint} s3://backups/away?endpoint=${endpoint}`)
    await site.work.wake()
    isAway = true
    // More than half of the bytes that may wait.
    for (let n = 0; n < 3; n++) {
      await site.store.writeMeta(`long ${n}`, 'x'.repeat(PENDING_BYTES_MAX / 6))
      await site.work.wake()
    }
    isAway = false
    site.clock.now += 3_600_000
    await site.work.wake()
    await site.work.wake()
    await site.store.insert(topic, aTopic('later'))
    await site.work.wake()
    assert.deepEqual(site.work.places().map(({ waiting, hasGap }) => [waiting, hasGap]), [[0, false], [0, false]])
    const away = [...site.server.objects.keys()].filter((key) => key.startsWith('away/')).map((key) => ({ key: key.replace('away/', ''), bytes: 0 }))
    assert.deepEqual(segmentsIn(away).map(({ first, last }) => [first, last]), [[4, 4]])
    assert.deepEqual(snapshotsIn(away).map(({ seq }) => seq), [0, 3])
  })

  it('survive the loss of each response: what was stored before is found, and read once', async (t) => {
    let lose = -1
    const site = await siteOn(t, { fault: ({ nth }) => (nth === lose ? { kind: 'lost' } : undefined) })
    await site.work.wake()
    for (let n = 0; n < 6; n++) {
      lose = site.server.calls.length + n
      await site.store.insert(topic, aTopic(`t${n}`))
      await site.work.wake()
      await site.work.wake()
    }
    assert.equal((await restored(t, site)).topics.length, 6)
  })

  it('close the gap that a place leaves which was gone until the changes filled their room', async (t) => {
    let isGone = false
    const site = await siteOn(t, { fault: () => (isGone ? { kind: 'error', status: 403, code: 'AccessDenied' } : undefined) })
    await site.work.wake()
    isGone = true
    // The second change has the text of the first one as well.
    for (const text of ['x', 'y']) await site.store.writeMeta('long', text.repeat(PENDING_BYTES_MAX / 3))
    await site.store.insert(topic, aTopic('late'))
    await site.work.wake()
    const [gone] = site.work.places()
    assert.equal(gone?.hasGap, true)
    assert.match(site.lines.join(''), /"event":"offsite.gap".*more than 64 MiB of changes waited/)
    assert.match(gone?.failures.snapshot?.message ?? '', /denies this \(403 AccessDenied\): let the access key/)
    isGone = false
    site.clock.now += 3_600_000
    await site.work.wake()
    assert.equal(site.work.places()[0]?.hasGap, false)
    await site.store.insert(topic, aTopic('later'))
    await site.work.wake()
    assert.deepEqual((await restored(t, site)).topics, ['late late', 'later later'])
  })

  it('begin another chain where the place has changes that this database has not: it was set back', async (t) => {
    const site = await siteOn(t)
    await site.work.wake()
    const { chain } = site.work.places()[0]?.snapshot ?? {}
    site.server.objects.set(`site/changes/${chain}/000000000001-000000000009-20261124T093100Z.zst.age`, Buffer.from('of another service'))
    await site.store.insert(topic, aTopic('a'))
    await site.work.wake()
    await site.work.wake()
    assert.notEqual(site.work.places()[0]?.snapshot?.chain, chain)
    assert.deepEqual((await restored(t, site)).topics, ['a a'])
  })

  it('are read back: a place that changes a bit is found out, and what it has is not taken', async (t) => {
    let flips = false
    const site = await siteOn(t, { fault: ({ method, path }) => (flips && method === 'GET' && path.includes('snapshots/') ? { kind: 'flipped' } : undefined) })
    flips = true
    await site.work.wake()
    assert.match(site.work.places()[0]?.failures.snapshot?.message ?? '', /what was read back differs from what was stored/)
    assert.deepEqual(snapshotsIn(objectsOf(site)), [])
  })

  it('without their manifests are no snapshots, and are swept', async (t) => {
    const site = await siteOn(t)
    await site.work.wake()
    const [snapshot] = snapshotsIn(objectsOf(site))
    assert.ok(snapshot !== undefined)
    const half = snapshotKeys({ ...snapshot, at: snapshot.at + 5_000 })
    site.server.objects.set(`site/${half.archive}`, Buffer.from('half'))
    assert.equal((await restored(t, site)).found.snapshot.at, snapshot.at)
    await site.work.make()
    assert.equal(site.server.objects.has(`site/${half.archive}`), false)
    assert.equal(snapshotsIn(objectsOf(site)).length, 2)
  })

  it('of a place that is taken out of the settings end, and so do the changes that wait', async (t) => {
    const site = await siteOn(t)
    await site.work.wake()
    site.settings.places = []
    await site.work.wake()
    assert.deepEqual(site.work.places(), [])
    assert.equal(site.store.pending.chain(), undefined)
  })
})

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

  it('that came since the snapshot follow the changes, and stay when the site removes them', async (t) => {
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

/** A site with a snapshot of nothing, and the topics a, b and c in a segment each, with the chain of another site at the same place. */
async function segmentedSite(t: Cleanup) {
  const site = await siteOn(t)
  await site.work.wake()
  for (const id of ['a', 'b', 'c']) {
    await site.store.insert(topic, aTopic(id))
    await site.work.wake()
  }
  const keys = segmentsIn(objectsOf(site)).map((segment) => `site/${segmentKey(segment)}`)
  assert.equal(keys.length, 3)
  const [first = '', second = '', third = ''] = keys
  const contentOf = (key: string): Buffer => site.server.objects.get(key) ?? assert.fail(key)
  const whole = new Map(site.server.objects)
  const reset = (): void => {
    site.server.objects.clear()
    for (const [key, bytes] of whole) site.server.objects.set(key, bytes)
  }
  return { site, first, second, third, contentOf, reset, objects: site.server.objects }
}

describe('a segment of changes', () => {
  it('under the key of another one is refused by name: swapped, renamed to more numbers or a later time, or of another chain', async (t) => {
    const { site, first, second, third, contentOf, reset, objects } = await segmentedSite(t)
    const other = await segmentedSite(t)
    const renamed = (key: string, to: string): string => {
      assert.notEqual(key, to)
      objects.set(to, contentOf(key))
      objects.delete(key)
      return to
    }
    const attacks: readonly (() => string)[] = [
      () => {
        const [one, two] = [contentOf(first), contentOf(second)]
        objects.set(first, two).set(second, one)
        return first
      },
      () => {
        objects.delete(third)
        return renamed(second, second.replace('000000000002-000000000002', '000000000002-000000000003'))
      },
      () => renamed(first, first.replace(/-\d{8}T/, '-20990101T')),
      () => {
        objects.set(second, other.contentOf(other.second))
        return second
      },
    ]
    for (const attack of attacks) {
      const key = attack().replace('site/', '')
      await assert.rejects(restored(t, site), (error) => {
        assert.ok(error instanceof PlaceError && error.kind === 'damaged')
        assert.match(error.message, /^changes\/\S+: the backup is damaged: it has the content of changes\/\S+: restore up to before it with --at \d{4}-\S+Z$/)
        return error.message.startsWith(`${key}: `)
      })
      reset()
    }
    assert.equal((await restored(t, site)).replayed, 3)
  })

  it('that is damaged is named, and what is before it can be restored with the time that the error gives', async (t) => {
    const { site, second, contentOf, reset, objects } = await segmentedSite(t)
    const flipped = Buffer.from(contentOf(second))
    flipped.writeUInt8(flipped.readUInt8(flipped.length - 20) ^ 1, flipped.length - 20)
    for (const content of [flipped, contentOf(second).subarray(0, -1), Buffer.from('nothing'), Buffer.alloc(0)]) {
      objects.set(second, content)
      let message = ''
      await assert.rejects(restored(t, site), (error) => error instanceof PlaceError && (message = error.message) !== '')
      const [, key, time = ''] = /^(\S+): (?:the file|s3:.* the object) .*: restore up to before it with --at (\S+)$/.exec(message) ?? assert.fail(message)
      assert.equal(`site/${key}`, second)
      assert.deepEqual((await restored(t, site, Date.parse(time))).topics, ['a a'])
      reset()
    }
  })

  it('that is missing in the middle is told with what does not follow', async (t) => {
    const { site, first, second, third, objects } = await segmentedSite(t)
    assert.equal((await restored(t, site)).found.hole, undefined)
    objects.delete(second)
    const { found, topics } = await restored(t, site)
    assert.deepEqual(topics, ['a a'])
    assert.deepEqual([found.hole?.first, found.hole?.last], [2, 2])
    assert.equal(found.hole?.laterAt, segmentsIn([{ key: third.replace('site/', ''), bytes: 0 }])[0]?.at)
    objects.delete(first)
    assert.deepEqual((await restored(t, site)).found.hole, { ...found.hole, first: 1 })
    assert.equal((await restored(t, site, found.snapshot.at)).found.hole, undefined, 'the time of the snapshot needs no change')
  })
})

describe('a forged or damaged backup', () => {
  it('is named, and the time before it can be restored where there is an earlier one', async (t) => {
    const site = await siteOn(t)
    await site.work.wake()
    await site.store.insert(topic, aTopic('a'))
    await site.work.make()
    await site.work.wake()
    const [older, newer] = snapshotsIn(objectsOf(site))
    assert.ok(older !== undefined && newer !== undefined)
    for (const key of Object.values(snapshotKeys(newer))) {
      const content = site.server.objects.get(`site/${key}`) ?? assert.fail(key)
      site.server.objects.set(`site/${key}`, content.subarray(0, -100))
      let message = ''
      await assert.rejects(restored(t, site), (error) => error instanceof PlaceError && (message = error.message).startsWith(`${key}: `))
      const [, time = ''] = /: restore up to before it with --at (\S+)$/.exec(message) ?? assert.fail(message)
      assert.equal((await restored(t, site, Date.parse(time))).found.snapshot.at, older.at)
      site.server.objects.set(`site/${key}`, content)
    }
    const { manifest } = snapshotKeys(older)
    site.server.objects.set(`site/${manifest}`, Buffer.from('nothing'))
    await assert.rejects(restored(t, site, older.at), /^PlaceError: snapshots\/\S+: the file is not one of age .*: there is no earlier snapshot$/)
  })

  it('is not restored, and leaves nothing behind', async (t) => {
    const site = await siteOn(t)
    await site.store.insert(topic, aTopic('a'))
    await site.work.wake()
    const [snapshot] = snapshotsIn(objectsOf(site))
    assert.ok(snapshot !== undefined)
    const { archive, manifest } = snapshotKeys(snapshot)
    const place = bucketOn(site.server, { prefix: 'site' })
    const good = new Map(site.server.objects)
    const attacks: readonly (() => void)[] = [
      () => void site.server.objects.set(`site/${archive}`, (good.get(`site/${archive}`) ?? Buffer.alloc(0)).subarray(0, -100)),
      () => void site.server.objects.set(`site/${archive}`, good.get(`site/${manifest}`) ?? Buffer.alloc(0)),
      () => void site.server.objects.set(`site/${manifest}`, good.get(`site/${archive}`) ?? Buffer.alloc(0)),
      () => void site.server.objects.set(`site/${archive}`, Buffer.alloc(0)),
    ]
    for (const attack of attacks) {
      for (const [key, bytes] of good) site.server.objects.set(key, bytes)
      attack()
      const directory = temporaryDirectory(t)
      await assert.rejects(
        (async () => restoreSite(await findRestorable(place, IDENTITIES), { place, identities: IDENTITIES, directory, models: STORED_MODELS }))(),
        (error) => error instanceof AgeError || error instanceof PlaceError,
      )
      assert.equal(existsSync(join(directory, 'dateline.db')), false)
      rmSync(directory, { recursive: true })
    }
  })
})
