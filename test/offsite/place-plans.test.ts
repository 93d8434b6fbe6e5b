/** Addresses and keys of places, what is chosen from their lists, and what retention keeps. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRandomKeys } from '../support/offsite/places.ts'
import { segmentKey, segmentsBehind, segmentsIn, snapshotKeys, snapshotsIn, unfinishedIn } from '../../src/offsite/object-keys.ts'
import { keyFor, maskPlaces, parsePlaceKeys, parsePlaces, type S3Address } from '../../src/offsite/place-address.ts'
import { DEFAULT_RETENTION, parseRetention, showRetention, surplus } from '../../src/offsite/retention.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const CHAIN = '0123456789abcdef'
const objects = (keys: readonly string[]) => keys.map((key) => ({ key, bytes: 1 }))
const snapshotAt = (at: number, seq = 0, chain = CHAIN): readonly string[] => Object.values(snapshotKeys({ at, chain, seq }))

describe('addresses of places', () => {
  it('are read with what they leave out', () => {
    assert.deepEqual(parsePlaces('s3://AKID@backups/news/one?region=eu-central-1  file:///mnt/nas/dateline/').map((place) => ({ ...place })), [
      { kind: 's3', name: 's3://backups/news/one', keyId: 'AKID', bucket: 'backups', prefix: 'news/one', endpoint: 'https://s3.eu-central-1.amazonaws.com', region: 'eu-central-1', style: 'virtual' },
      { kind: 'directory', name: 'file:///mnt/nas/dateline', path: '/mnt/nas/dateline' },
    ])
    const [own] = parsePlaces('s3://backups?endpoint=s3.example.org:9000') as readonly S3Address[]
    assert.deepEqual([own?.endpoint, own?.style, own?.prefix, own?.name], ['https://s3.example.org:9000', 'path', '', 's3://backups?endpoint=https://s3.example.org:9000'])
    // A name with dots has no certificate as a host.
    assert.equal((parsePlaces('s3://my.backups')[0] as S3Address).style, 'path')
  })

  const wrong: readonly (readonly [string, RegExp])[] = [
    ['', /found nothing/],
    ['ftp://host/x', /expected s3:\/\/bucket\/prefix or file:\/\/\/directory, found "ftp:/],
    ['s3://AKID:hunter2@backups', /expected no secret key in the address: it belongs in offsiteKeys/],
    ['s3://', /found/],
    ['s3://b', /name of a bucket behind s3:\/\/, of 2 to 255 letters, .*, found "b"/],
    ['s3://backups/a b', /expected/],
    ['s3://backups?region=EU', /expected a region/],
    ['s3://backups?style=host', /style=path or style=virtual/],
    ['s3://backups?endpoint=https://u:p@host', /expected an endpoint such as/],
    ['s3://backups?endpoint=https://host/path', /expected an endpoint/],
    ['s3://backups?secret=hunter2', /expected the parameters endpoint, region, style, found "secret"/],
    ['file://host/x', /expected the directory of a mounted disk/],
    ['file:///', /expected the directory of a mounted disk/],
    ['s3://backups s3://backups', /each place once/],
    [Array.from({ length: 9 }, (_, i) => `s3://backups${i}`).join(' '), /at most 8 places, found 9/],
  ]
  for (const [text, problem] of wrong) {
    it(`"${text.slice(0, 40)}" is refused, without a secret`, () => {
      assert.throws(() => parsePlaces(text), (error: Error) => {
        assert.match(error.message, problem)
        return !error.message.includes('hunter2')
      })
    })
  }

  it('are shown without secrets, and keys are read without showing any', () => {
    assert.equal(maskPlaces('s3://AKID:hunter2@backups s3://x:y@z'), 's3://AKID:***@backups s3://x:***@z')
    const keys = parsePlaceKeys('AKID:hunter2\nOTHER:with:colon\n')
    assert.deepEqual([...keys], [['AKID', 'hunter2'], ['OTHER', 'with:colon']])
    for (const text of ['', 'hunter2', 'AKID: hunter2', createRandomKeys(33)]) {
      assert.throws(() => parsePlaceKeys(text), (error: Error) => !error.message.includes('hunter2'))
    }
    const [place] = parsePlaces('s3://backups') as readonly S3Address[]
    assert.ok(place !== undefined)
    assert.equal(keyFor(place, new Map([['AKID', 'x']])).id, 'AKID')
    assert.throws(() => keyFor(place, keys), /which of 2 access keys it is for, as in s3:\/\/KEYID@backups/)
    assert.throws(() => keyFor({ ...place, keyId: 'GONE' }, keys), /the secret of the access key GONE: see offsiteKeys/)
  })
})

describe('lists of places', () => {
  it('have a snapshot where archive and manifest are there, and segments without holes', () => {
    const [first, half] = [snapshotAt(0, 5), snapshotAt(DAY_MS, 9)]
    const listed = objects([...first, half[0] ?? '', 'snapshots/readme.txt', 'other'])
    assert.deepEqual(snapshotsIn(listed), [{ at: 0, chain: CHAIN, seq: 5, bytes: 1 }])
    assert.deepEqual(unfinishedIn(listed), [half[0]])
    const segment = (from: number, to: number, chain = CHAIN) => segmentKey({ chain, first: from, last: to, at: to * 1_000 })
    const all = segmentsIn(objects([segment(1, 5), segment(6, 8), segment(7, 9), segment(10, 10), segment(12, 13), segment(6, 6, 'f'.repeat(16)), 'changes/x']))
    assert.deepEqual(segmentsBehind(all, CHAIN, 5).map(({ first: from, last }) => [from, last]), [[6, 8], [7, 9], [10, 10]])
    assert.deepEqual(segmentsBehind(all, CHAIN, 10), [])
    assert.deepEqual(segmentsBehind(all, CHAIN, 3).map(({ first: from }) => from), [1, 6, 7, 10])
  })
})

describe('retention', () => {
  it('is read, and shown as it is read', () => {
    assert.deepEqual(parseRetention(showRetention(DEFAULT_RETENTION)), DEFAULT_RETENTION)
    assert.deepEqual(parseRetention('latest:3'), { latest: 3, days: 0, weeks: 0, months: 0 })
    for (const text of ['', 'latest:0', 'days:7', 'latest:8,years:1', 'latest:-1', 'latest:99999']) assert.throws(() => parseRetention(text), /expected/, text)
  })

  it('keeps the latest, and the last of each day, week and month', () => {
    // A snapshot every six hours of a year.
    const begin = Date.UTC(2026, 0, 1)
    const listed = objects(Array.from({ length: 365 * 4 }, (_, i) => snapshotAt(begin + i * 6 * HOUR_MS)).flat())
    const gone = new Set(surplus(listed, DEFAULT_RETENTION))
    const kept = snapshotsIn(listed.filter(({ key }) => !gone.has(key))).map(({ at }) => new Date(at).toISOString().slice(0, 13))
    assert.deepEqual(kept.slice(-8), ['2026-12-30T00', '2026-12-30T06', '2026-12-30T12', '2026-12-30T18', '2026-12-31T00', '2026-12-31T06', '2026-12-31T12', '2026-12-31T18'])
    assert.deepEqual(kept.slice(0, -8), [
      ...['01-31', '02-28', '03-31', '04-30', '05-31', '06-30', '07-31', '08-31', '09-30', '10-31', '11-30'].map((day) => `2026-${day}T18`),
      ...['12-13', '12-20', '12-25', '12-26', '12-27', '12-28', '12-29'].map((day) => `2026-${day}T18`),
    ])
    // What is left is left by the next time as well.
    assert.deepEqual(surplus(listed.filter(({ key }) => !gone.has(key)), DEFAULT_RETENTION), [])
  })

  it('removes a manifest before its archive, so that what a killed removal leaves is no snapshot', () => {
    const listed = objects([...snapshotAt(0), ...snapshotAt(DAY_MS)])
    const { manifest, archive } = snapshotKeys({ at: 0, chain: CHAIN, seq: 0 })
    assert.deepEqual(surplus(listed, { latest: 1, days: 0, weeks: 0, months: 0 }), [manifest, archive])
    for (let left = 0; left <= 2; left++) {
      const after = listed.filter(({ key }) => ![manifest, archive].slice(0, left).includes(key))
      assert.equal(snapshotsIn(after).length, left === 0 ? 2 : 1)
    }
  })

  it('keeps the changes from the oldest of the latest snapshots on, and those of a chain whose first snapshot is on its way', () => {
    const other = 'f'.repeat(16)
    const segment = (first: number, chain: string, at: number) => segmentKey({ chain, first, last: first, at })
    const listed = objects([...snapshotAt(0, 10), ...snapshotAt(DAY_MS, 20), ...snapshotAt(2 * DAY_MS, 30)])
    const changes = [segment(5, CHAIN, 0), segment(20, CHAIN, DAY_MS), segment(21, CHAIN, DAY_MS), segment(31, CHAIN, 3 * DAY_MS), segment(1, other, 0), segment(1, other, 3 * DAY_MS)]
    const gone = surplus([...listed, ...objects(changes)], { latest: 2, days: 0, weeks: 0, months: 0 })
    assert.deepEqual(gone.filter((key) => key.startsWith('changes/')).sort(), [changes[0], changes[1], changes[4]].sort())
  })

  it('removes nothing where there is no snapshot', () => {
    assert.deepEqual(surplus(objects([segmentKey({ chain: CHAIN, first: 1, last: 1, at: 0 })]), DEFAULT_RETENTION), [])
  })
})
