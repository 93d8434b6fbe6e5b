/** Off-site backups of a store, by the threads of the service, and what a restore makes of them. */
import { passedOverText } from '../../src/app/restoring/site-fetch.ts'
import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { systemStore } from '../../scripts/tools/stores.ts'
import { suiteCleanup, temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { offsiteConcerns } from '../../src/app/offsite-concerns.ts'
import { AgeError } from '../../src/age/age-error.ts'
import { newIdentity, parseIdentity } from '../../src/age/age-keys.ts'
import { topic } from '../../src/models/topic.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { segmentKey, segmentsIn, snapshotKeys, snapshotsIn } from '../../src/offsite/object-keys.ts'
import { PlaceError } from '../../src/offsite/place.ts'
import { findRestorable, restoreSite } from '../../src/offsite/restoring.ts'
import { parseRetention } from '../../src/offsite/retention.ts'
import { openStore } from '../../src/store/open-store.ts'
import { bucketOn, KEYS } from '../support/offsite/places.ts'
import { aTopic, IDENTITIES, KEY, objectsOf, restored, SECRET, siteOn, workOn } from '../support/offsite/offsite-site.ts'

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
    assert.deepEqual(readdirSync(site.dataDir).filter((name) => /^offsite-\d/.test(name)), [])
  })

  it('lose no changes that are being stored to the tidying behind a snapshot that has them', async (t) => {
    let [isHeld, waits] = [false, false]
    const [tidied, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const site = await siteOn(t, {
      fault({ method, path, query }) {
        if (!isHeld) return undefined
        if (method === 'GET' && path.includes('/changes/')) {
          waits = true
          sent.resolve()
          return { kind: 'held', until: tidied.promise }
        }
        // The snapshot ends behind the changes, and tidying with this.
        if (method === 'PUT' && path.includes('/snapshots/')) return { kind: 'held', until: sent.promise }
        if (method === 'GET' && query.has('uploads')) tidied.resolve()
        return undefined
      },
    })
    site.settings.retention = parseRetention('latest:1')
    await site.work.wake()
    await site.store.insert(topic, aTopic('a'))
    isHeld = true
    await site.work.make()
    assert.deepEqual([waits, site.work.places()[0]?.failures, site.work.places()[0]?.waiting], [true, {}, 0])
    assert.equal(segmentsIn(objectsOf(site)).length, 1)
    isHeld = false
    await site.work.make()
    assert.equal(segmentsIn(objectsOf(site)).length, 0)
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

  it('tell once that a place works again, and for how long it failed, without a secret; it needs no attention then', async (t) => {
    let isGone = true
    const site = await siteOn(t, { fault: () => (isGone ? { kind: 'error', status: 403, code: 'AccessDenied' } : undefined) })
    const concerns = () => offsiteConcerns({ places: site.work.places, everyMs: site.work.everyMs }, site.clock.now)
    const recovered = () => site.lines.filter((line) => line.includes('offsite.recovered')).map((line) => JSON.parse(line) as Record<string, unknown>)
    await site.work.wake()
    site.clock.now += 10 * 60_000
    await site.store.insert(topic, aTopic('a'))
    await site.work.wake()
    assert.deepEqual(Object.keys(site.work.places()[0]?.failures ?? {}).sort(), ['changes', 'snapshot'])
    assert.deepEqual([concerns().length, recovered()], [1, []])
    isGone = false
    site.clock.now += 60 * 60_000
    await site.work.wake()
    assert.deepEqual([concerns(), site.work.places()[0]?.failures], [[], {}])
    assert.deepEqual(recovered().map(({ level, place, failedMs }) => ({ level, place, failedMs })), [
      { level: 'info', place: site.work.places()[0]?.name, failedMs: 70 * 60_000 },
    ])
    assert.equal(site.lines.some((line) => [...KEYS.values()].some((secret) => line.includes(secret))), false)
    await site.work.wake()
    assert.equal(recovered().length, 1)
  })

  it('remove later what a place did not let them remove, without another snapshot', async (t) => {
    let isKept = true
    const site = await siteOn(t, { fault: ({ method }) => (isKept && method === 'DELETE' ? { kind: 'error', status: 403, code: 'AccessDenied' } : undefined) })
    site.settings.retention = parseRetention('latest:1')
    await site.work.wake()
    await site.work.make()
    assert.deepEqual([snapshotsIn(objectsOf(site)).length, Object.keys(site.work.places()[0]?.failures ?? {})], [2, ['tidy']])
    isKept = false
    await site.work.wake()
    assert.equal(snapshotsIn(objectsOf(site)).length, 2, 'not before its time')
    site.clock.now += 60_000
    await site.work.wake()
    assert.deepEqual([snapshotsIn(objectsOf(site)).length, site.work.places()[0]?.failures], [1, {}])
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
    // Of a second in which no other snapshot is stored, which would have the same names.
    const half = snapshotKeys({ ...snapshot, at: snapshot.at + 3_600_000 })
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
  /** The site of all tests, which reset it. */
  let segmented: Awaited<ReturnType<typeof segmentedSite>>
  const cleanup = suiteCleanup(after)
  before(async () => {
    segmented = await segmentedSite(cleanup)
  })
  afterEach(() => segmented.reset())

  it('under the key of another one is refused by name: swapped, renamed to more numbers or a later time, or of another chain', async (t) => {
    const { site, first, second, third, contentOf, reset, objects } = segmented
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
    const { site, second, contentOf, reset, objects } = segmented
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
    const { site, first, second, third, objects } = segmented
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
      await assert.rejects(restored(t, site, newer.at), (error) => error instanceof PlaceError && (message = error.message).startsWith(`${key}: `))
      const [, time = ''] = /: restore up to before it with --at (\S+)$/.exec(message) ?? assert.fail(message)
      assert.equal((await restored(t, site, Date.parse(time))).found.snapshot.at, older.at)
      site.server.objects.set(`site/${key}`, content)
    }
    const { manifest } = snapshotKeys(older)
    site.server.objects.set(`site/${manifest}`, Buffer.from('nothing'))
    await assert.rejects(restored(t, site, older.at), /^PlaceError: snapshots\/\S+: the file is not one of age .*: there is no earlier snapshot$/)
  })

  it('is passed over where no time is asked for, and changes of another chain behind it are said to be lost', async (t) => {
    const site = await siteOn(t)
    await site.work.wake()
    await site.store.insert(topic, aTopic('a'))
    await site.work.wake()
    await site.store.breakChain('of a test')
    await site.work.make()
    await site.store.insert(topic, aTopic('b'))
    await site.work.wake()
    const [older, newer] = snapshotsIn(objectsOf(site))
    assert.ok(older !== undefined && newer !== undefined && older.chain !== newer.chain)
    site.server.objects.set(`site/${snapshotKeys(newer).manifest}`, Buffer.from('nothing'))
    const { found, topics } = await restored(t, site)
    assert.deepEqual([found.snapshot.at, topics], [older.at, ['a a']])
    assert.match(passedOverText(found).join(), /^snapshots\/\S+: the file is not one of age .*: the snapshot of \S+Z is taken in its place, and changes behind the damaged one do not follow without it$/)
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
