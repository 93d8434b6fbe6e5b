// gate: fills the room of changes that wait, and loses each response
/** Off-site backups while places are away, and when they are back. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { topic } from '../../src/models/topic.ts'
import { segmentsIn, snapshotsIn } from '../../src/offsite/object-keys.ts'
import { parsePlaces } from '../../src/offsite/place-address.ts'
import { PENDING_BYTES_MAX } from '../../src/store/pending/pending-changes.ts'
import { aTopic, restored, siteOn } from '../support/offsite/offsite-site.ts'

describe('off-site backups over places that fail', () => {
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
    await site.work.wake()
    assert.deepEqual(site.work.places()[0]?.failures, {}, 'the changes that could not be stored came with the snapshot')
    await site.store.insert(topic, aTopic('later'))
    await site.work.wake()
    assert.deepEqual((await restored(t, site)).topics, ['late late', 'later later'])
  })
})
