/** One behaviour for all places: directories, and buckets on a server that checks signatures. */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, it } from 'node:test'
import { s3Server } from '../../scripts/tools/offsite/s3-server.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { streamOf } from '../../src/base/byte-source.ts'
import { createDirectoryPlace } from '../../src/offsite/directory-place.ts'
import { parsePlace, type DirectoryAddress } from '../../src/offsite/place-address.ts'
import { PlaceError, type Place } from '../../src/offsite/place.ts'
import { createTransferRate } from '../../src/offsite/transfer-rate.ts'
import { bucketOn, bytesOf, noPause } from '../support/offsite/places.ts'

const DAY_MS = 24 * 60 * 60_000
const RATE = createTransferRate(undefined, noPause)

function directoryPlace(path: string, wasUsed = false): Place {
  return createDirectoryPlace({ address: parsePlace(pathToFileURL(path).href) as DirectoryAddress, rate: RATE, wasUsed })
}

const PLACES: Readonly<Record<string, (t: Cleanup) => Promise<Place>>> = {
  'a directory': async (t) => directoryPlace(temporaryDirectory(t)),
  'a bucket, by its path': async (t) => bucketOn(await s3Server(t, { pageObjects: 3 }), { prefix: 'site/one' }),
  'a bucket, by its host': async (t) => bucketOn(await s3Server(t, { pageObjects: 3, isVirtual: true }), { style: 'virtual' }),
}

for (const [name, open] of Object.entries(PLACES)) {
  describe(name, () => {
    it('stores objects of any length, and reads them from any byte on', async (t) => {
      const place = await open(t)
      for (const length of [1, 1_000, 9 * 1024 * 1024, 17 * 1024 * 1024 + 3]) {
        const bytes = Buffer.alloc(length, `${length} `)
        await place.put(`snapshots/${length}.age`, streamOf(bytes), length)
        assert.ok(bytes.equals(await bytesOf(place.get(`snapshots/${length}.age`))), `${length} bytes`)
        assert.ok(bytes.subarray(length - 1).equals(await bytesOf(place.get(`snapshots/${length}.age`, length - 1))))
      }
    })

    it('lists by prefix, in order, over pages', async (t) => {
      const place = await open(t)
      const keys = Array.from({ length: 8 }, (_, i) => `changes/aa/${i}.age`)
      for (const key of [...keys.toReversed(), 'changes/ab.age', 'snapshots/x.age']) await place.put(key, streamOf(Buffer.from(key)), 100)
      assert.deepEqual(await place.list('changes/aa/'), keys.map((key) => ({ key, bytes: key.length })))
      assert.deepEqual((await place.list('')).map(({ key }) => key), [...keys, 'changes/ab.age', 'snapshots/x.age'])
      assert.deepEqual((await place.list('changes/ab')).map(({ key }) => key), ['changes/ab.age'])
      assert.deepEqual(await place.list('none/'), [])
    })

    it('replaces and removes; what is missing is said to be', async (t) => {
      const place = await open(t)
      await place.put('a.age', streamOf(Buffer.from('old')), 10)
      await place.put('a.age', streamOf(Buffer.from('new')), 10)
      assert.equal(String(await bytesOf(place.get('a.age'))), 'new')
      await place.remove('a.age')
      await place.remove('a.age')
      await assert.rejects(bytesOf(place.get('a.age')), (error) => error instanceof PlaceError && error.kind === 'missing')
      assert.deepEqual(await place.list(''), [])
    })

    it('has nothing of an object whose content fails, and what was there stays', async (t) => {
      const place = await open(t)
      await place.put('a.age', streamOf(Buffer.from('old')), 10)
      const failing = async function* (): AsyncGenerator<Uint8Array> {
        for (let n = 0; n < 20; n++) yield Buffer.alloc(1024 * 1024)
        throw new Error('the disk of the database failed')
      }
      await assert.rejects(place.put('a.age', failing(), 30 * 1024 * 1024), /the disk of the database failed/)
      assert.equal(String(await bytesOf(place.get('a.age'))), 'old')
      assert.deepEqual((await place.list('')).map(({ key }) => key), ['a.age'])
    })
  })
}

describe('a directory', () => {
  it('that is not there is not made: a disk may not be mounted', async (t) => {
    const place = directoryPlace(join(temporaryDirectory(t), 'nas'))
    await assert.rejects(place.put('a.age', streamOf(Buffer.from('x')), 10), /nas: no such file or directory: mount the disk, or correct the address/)
  })

  it('that was used and is empty again is not used: a disk is not mounted', async (t) => {
    const path = temporaryDirectory(t)
    await directoryPlace(path).put('a.age', streamOf(Buffer.from('x')), 10)
    assert.deepEqual((await directoryPlace(path, true).list('')).length, 1)
    for (const name of readdirSync(path)) rmSync(join(path, name))
    for (const use of [(place: Place) => place.list(''), (place: Place) => place.put('a.age', streamOf(Buffer.from('x')), 10)]) {
      await assert.rejects(use(directoryPlace(path, true)), /lacks its mark dateline-backups: mount the disk/)
    }
  })

  it('loses what killed uploads left after a day, and files of others stay', async (t) => {
    const path = temporaryDirectory(t)
    const place = directoryPlace(path)
    await place.put('snapshots/a.age', streamOf(Buffer.from('x')), 10)
    for (const [name, hours] of [['b.age.partial-7-1', 25], ['c.age.partial-8-1', 1], ['photo.jpg', 1_000]] as const) {
      const file = join(path, 'snapshots', name)
      writeFileSync(file, 'x')
      utimesSync(file, 0, (100 * DAY_MS - hours * 3_600_000) / 1_000)
    }
    await place.sweep(100 * DAY_MS)
    assert.deepEqual(readdirSync(join(path, 'snapshots')).sort(), ['a.age', 'c.age.partial-8-1', 'photo.jpg'])
    assert.deepEqual((await place.list('snapshots/')).map(({ key }) => key), ['snapshots/a.age', 'snapshots/photo.jpg'])
  })

  it('that cannot be written says so', { skip: process.getuid?.() === 0 }, async (t) => {
    const path = join(temporaryDirectory(t), 'nas')
    mkdirSync(path)
    chmodSync(path, 0o500)
    await assert.rejects(directoryPlace(path).put('a.age', streamOf(Buffer.from('x')), 10), (error) => error instanceof PlaceError && error.kind === 'denied')
  })
})

describe('a bandwidth bound', () => {
  it('makes pauses as long as the bytes take, and reads less at once', async () => {
    const waits: number[] = []
    const rate = createTransferRate(100_000, async (ms) => void waits.push(ms))
    const read = await bytesOf(rate.paced(Buffer.alloc(1_000_000)))
    assert.equal(read.length, 1_000_000)
    assert.equal(Math.round(waits.reduce((sum, ms) => sum + ms, 0)), 10_000)
    assert.equal(rate.rangeBytes, 400_000)
  })
})
