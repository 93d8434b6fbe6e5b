// gate: stores and removes pictures over months, again and again
/** Pictures of a place that the site has no more: none that a kept snapshot or a change behind it names is removed, and the others are. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { longRun } from '../../scripts/tools/long-run.ts'
import { seededRandom, type Random } from '../../scripts/tools/random.ts'
import { testStore } from '../../scripts/tools/stores.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { newIdentity, parseIdentity, parseRecipient } from '../../src/age/age-keys.ts'
import { DAY_MS } from '../../src/base/duration.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { createDirectoryPlace } from '../../src/offsite/directory-place.ts'
import { pictureKey, picturesListed, PICTURES, SNAPSHOTS, snapshotKeys, snapshotsIn, type Snapshot } from '../../src/offsite/object-keys.ts'
import { storePictures } from '../../src/offsite/picture-objects.ts'
import { PlaceError, type Place } from '../../src/offsite/place.ts'
import { findRestorable, restoreSite } from '../../src/offsite/restoring.ts'
import { parseRetention } from '../../src/offsite/retention.ts'
import { storeSnapshot, tidyPlace } from '../../src/offsite/storing.ts'
import { createTransferRate } from '../../src/offsite/transfer-rate.ts'
import { openUnnamedPictures } from '../../src/offsite/unnamed-pictures.ts'
import { picturesBeside } from '../../src/store/backup/picture-copies.ts'
import { hashOfBytes, pictureFiles } from '../../src/store/media/picture-files.ts'
import type { PictureName } from '../../src/store/media/picture-table.ts'
import { noPause } from '../support/offsite/places.ts'

const KEY = newIdentity()
const IDENTITIES = [parseIdentity(KEY.identity)]
const bytesOf = (text: string): Buffer => Buffer.alloc(200, text)
const nameOf = (text: string): PictureName => ({ hash: hashOfBytes(bytesOf(text)), format: 'jpeg' })

function siteOn(t: Cleanup) {
  const { store, dir } = testStore(t)
  const path = join(temporaryDirectory(t), 'place')
  mkdirSync(path)
  const honest = createDirectoryPlace({ address: { kind: 'directory', name: 'file:///place', path }, rate: createTransferRate(undefined, noPause), wasUsed: false })
  const clock = { now: Date.UTC(2026, 0, 1) }
  const files = pictureFiles(join(dir.path, 'media'))
  const { database } = dir
  const recipients = [parseRecipient(KEY.recipient)]
  const now = (): number => clock.now
  return {
    honest,
    clock,
    dataDir: dir.path,
    async add(text: string): Promise<void> {
      const picture = nameOf(text)
      await files.write(picture, bytesOf(text))
      await store.addPicture({ ...picture, bytes: 200, width: 1, height: 1, frames: 1, alt: '', focus: undefined, createdAt: clock.now, actor: undefined }, 2 ** 30)
    },
    async remove(text: string): Promise<void> {
      await store.removePicture(nameOf(text).hash)
      files.remove(nameOf(text))
    },
    snapshot: (place: Place) =>
      storeSnapshot({ place, recipients, now }, { database, copy: join(dir.path, 'copy.db'), beside: [], version: '1.0.0', models: STORED_MODELS, lastAt: 0, isWholeProofDue: true }),
    look: (place: Place) => storePictures({ place, recipients, now }, { rows: database, files, after: { createdAt: 0, hash: '' }, unnamed: openUnnamedPictures(database, place.name) }),
    tidy: (place: Place, keep: string) => tidyPlace({ place, now }, { database, retention: parseRetention(keep) }),
    snapshots: async (): Promise<readonly Snapshot[]> => snapshotsIn(await honest.list(SNAPSHOTS)),
    pictures: async (): Promise<readonly string[]> => picturesListed(await honest.list(PICTURES)).map(pictureKey),
  }
}

type Site = ReturnType<typeof siteOn>

/** Lists leave out some objects, and there is a request after which the process is gone. */
function misbehaving(place: Place, random: Random, killAt: number): Place {
  let requests = 0
  const request = (): void => {
    if (++requests >= killAt) throw new PlaceError('network', 'killed')
  }
  return {
    ...place,
    async put(key, content, bytesMax) {
      request()
      await place.put(key, content, bytesMax)
      request()
    },
    async list(prefix) {
      request()
      return (await place.list(prefix)).filter(() => !random.oneIn(6))
    },
    async remove(key) {
      request()
      await place.remove(key)
      request()
    },
  }
}

const notesOf = (dataDir: string): string => join(dataDir, readdirSync(dataDir).find((name) => name.startsWith('offsite-pictures-')) ?? 'offsite-pictures-none')

/** Returns whether the work was killed: such a process writes nothing more. */
async function killed(site: Site, work: () => Promise<unknown>): Promise<boolean> {
  const file = notesOf(site.dataDir)
  const before = existsSync(file) ? readFileSync(file) : undefined
  try {
    await work()
    return false
  } catch (error) {
    assert.ok(error instanceof PlaceError && error.message === 'killed', String(error))
    if (before !== undefined) writeFileSync(file, before)
    else rmSync(notesOf(site.dataDir), { force: true })
    return true
  }
}

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9))
const STEPS = longRun(60, 600)
const TEXTS = [...'abcdefgh']

describe('pictures that the site has no more', () => {
  it(`stay while a snapshot or a change behind it names them, over kills, lists with holes and clocks that jump, and go then (SEED=${SEED})`, async (t) => {
    const random = seededRandom(SEED)
    const site = siteOn(t)
    const own = new Set<string>()
    const needed = new Map<string, Set<string>>()
    let stored = 0
    /** All that a restore to a time from each snapshot on may name. */
    const looked = async (): Promise<void> => {
      for (const snapshot of await site.snapshots()) {
        const { manifest } = snapshotKeys(snapshot)
        if (!needed.has(manifest)) stored++
        needed.set(manifest, new Set([...(needed.get(manifest) ?? []), ...own]))
      }
    }
    const check = async (step: string): Promise<void> => {
      const there = new Set(await site.pictures())
      for (const snapshot of await site.snapshots()) {
        for (const text of needed.get(snapshotKeys(snapshot).manifest) ?? assert.fail('a snapshot that is not known')) {
          assert.ok(there.has(pictureKey(nameOf(text))), `${step}: the picture ${text} is gone, which a snapshot of ${new Date(snapshot.at).toISOString()} needs`)
        }
      }
    }
    for (let n = 0; n < STEPS; n++) {
      const place = misbehaving(site.honest, random, random.oneIn(3) ? 1 + random.below(30) : Infinity)
      const text = random.pick(TEXTS)
      const step = random.pick(['picture', 'picture', 'look', 'snapshot', 'tidy', 'clock', 'months'] as const)
      if (step === 'picture' && own.has(text)) {
        own.delete(text)
        await site.remove(text)
      } else if (step === 'picture') {
        own.add(text)
        await site.add(text)
      } else if (step === 'clock') {
        site.clock.now = random.oneIn(4) ? Date.UTC(2020 + random.below(10), random.below(12), 1) : site.clock.now + random.below(40 * DAY_MS)
      } else if (step === 'tidy') {
        await killed(site, () => site.tidy(place, random.pick(['latest:1', 'latest:2,days:1', 'latest:1,months:2'])))
      } else if (step === 'months') {
        // Without faults: what is not needed has the time to go.
        for (let month = 0; month < 2; month++) {
          site.clock.now += 31 * DAY_MS
          await site.snapshot(site.honest)
          await looked()
          await site.tidy(site.honest, 'latest:1')
          await check(`${n} months`)
        }
      } else if (step === 'look') {
        // Only behind a snapshot, as the service does.
        if ((await site.snapshots()).length > 0) {
          await site.look(site.honest)
          await looked()
        }
      } else {
        site.clock.now += 1_000
        const { length } = await site.snapshots()
        const isKilled = await killed(site, () => site.snapshot(place))
        // What was killed ahead of its manifest has stored some pictures at most, which nothing names.
        if (!isKilled || (await site.snapshots()).length > length) await looked()
      }
      await check(`${n} ${step}`)
    }
    assert.ok(stored > 3, `${stored} snapshots are too few to prove anything`)
    for (const snapshot of await site.snapshots()) {
      const found = await findRestorable(site.honest, IDENTITIES, snapshot.at)
      const { file } = await restoreSite(found, { place: site.honest, identities: IDENTITIES, directory: temporaryDirectory(t), models: STORED_MODELS })
      const { directory } = picturesBeside(file)
      // A site without pictures has no directory of them.
      const restored = existsSync(directory) ? readdirSync(directory, { recursive: true }) : []
      assert.equal(restored.filter((name) => String(name).endsWith('.jpg')).length, found.manifest.pictures.count)
    }
    // A snapshot of a clock that was ahead stays the latest until then.
    await site.add('last')
    await site.look(site.honest)
    await site.remove('last')
    assert.ok((await site.pictures()).includes(pictureKey(nameOf('last'))))
    for (let n = 0; n < 3; n++) {
      site.clock.now = Math.max(site.clock.now, Date.UTC(2031, 0, 1)) + 31 * DAY_MS
      await site.snapshot(site.honest)
      await site.tidy(site.honest, 'latest:1')
    }
    assert.deepEqual(await site.pictures(), [...own].map((text) => pictureKey(nameOf(text))).sort())
  })

  it('stay for thirty days, and longer where the notes are lost or unreadable', async (t) => {
    const site = siteOn(t)
    const round = async (days: number): Promise<readonly string[]> => {
      site.clock.now += days * DAY_MS
      await site.snapshot(site.honest)
      await site.tidy(site.honest, 'latest:1')
      return site.pictures()
    }
    await site.add('a')
    assert.equal((await round(0)).length, 1)
    await site.remove('a')
    assert.equal((await round(1)).length, 1, 'noted')
    assert.equal((await round(29)).length, 1, 'a day too early')
    for (const text of ['', '[]', '{"format":2}', '{"format":1,"next":0,"snapshots":[],"unnamed":[]}', '{"format":1,"next":9,"snapshots":[["x"]],"unnamed":[]}', '{"format":1,"next":9,"snapshots":[],"unnamed":[["x",[1]]]}']) {
      writeFileSync(notesOf(site.dataDir), text)
      assert.equal((await round(40)).length, 1, text)
    }
    assert.equal((await round(29)).length, 1)
    assert.deepEqual(await round(1), [])
  })

  it('stay for a snapshot that this service does not know, such as that of another node', async (t) => {
    const site = siteOn(t)
    await site.add('a')
    const { at, chain, seq } = await site.snapshot(site.honest)
    rmSync(notesOf(site.dataDir))
    await site.remove('a')
    for (let n = 0; n < 3; n++) {
      site.clock.now += 40 * DAY_MS
      await site.snapshot(site.honest)
      await site.tidy(site.honest, 'latest:1,months:12')
      assert.equal((await site.pictures()).length, 1)
    }
    // The three that this service stored are younger than the note, but for the first.
    await site.honest.remove(snapshotKeys({ at, chain, seq }).manifest)
    await site.tidy(site.honest, 'latest:2')
    assert.deepEqual(await site.pictures(), [])
  })

  /** A site whose picture is noted as one that it has no more, with the one snapshot that names it. */
  async function notedSite(t: Cleanup) {
    const site = siteOn(t)
    await site.add('a')
    const first = await site.snapshot(site.honest)
    await site.remove('a')
    await site.tidy(site.honest, 'latest:1')
    return { site, first, notes: readFileSync(notesOf(site.dataDir)) }
  }
  const monthLater = async (site: Site, keep: string, place = site.honest): Promise<number> => {
    site.clock.now += 31 * DAY_MS
    await site.snapshot(site.honest)
    await site.tidy(place, keep)
    return (await site.pictures()).length
  }

  it('stay for a snapshot of a time at which the site had them again', async (t) => {
    const { site } = await notedSite(t)
    await site.add('a')
    site.clock.now += DAY_MS
    await site.snapshot(site.honest)
    await site.remove('a')
    assert.equal(await monthLater(site, 'latest:2'), 1)
    // The same where the process was killed before it had noted that snapshot.
    const second = await notedSite(t)
    await second.site.add('a')
    second.site.clock.now += DAY_MS
    await second.site.snapshot(second.site.honest)
    writeFileSync(notesOf(second.site.dataDir), second.notes)
    await second.site.remove('a')
    assert.equal(await monthLater(second.site, 'latest:2'), 1)
  })

  it('stay for a snapshot that a list leaves out', async (t) => {
    const { site, first } = await notedSite(t)
    const hidden: readonly string[] = Object.values(snapshotKeys(first))
    for (const left of [hidden, hidden.slice(0, 1), hidden.slice(1)]) {
      const place: Place = { ...site.honest, list: async (prefix) => (await site.honest.list(prefix)).filter(({ key }) => !left.includes(key)) }
      assert.equal(await monthLater(site, 'latest:9', place), 1)
      assert.ok((await site.snapshots()).some(({ at }) => at === first.at), 'nor is the snapshot taken for one whose upload ended early')
    }
    assert.equal(await monthLater(site, 'latest:1'), 0)
  })
})
