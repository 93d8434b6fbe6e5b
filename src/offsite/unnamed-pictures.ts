/**
 * Which pictures of a place may go. The service has no key to read what its snapshots name, so it notes what it knows when it looks:
 * a picture that the site has no more is in no later snapshot, until the site has it again. It goes when all snapshots that were there
 * at that time are gone, and some weeks have passed.
 *
 * Snapshots are numbered as they are stored, so that no clock decides. One that this file does not know, as after its loss or of
 * another node, counts as older than all notes. What a list leaves out is gone only if the place says so when it is asked for it.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replaceFile } from '../base/directory.ts'
import { DAY_MS } from '../base/duration.ts'
import { isCount, parseJsonObject, type Json } from '../base/json.ts'
import { readRegularFile } from '../base/regular-file.ts'
import { hasPictures } from '../store/backup/picture-copies.ts'
import { openDatabase } from '../store/db/database.ts'
import type { PictureName } from '../store/media/picture-table.ts'
import { pictureKey, PICTURES, picturesListed, snapshotKeys, type SnapshotId } from './object-keys.ts'
import { PlaceError, type Place } from './place.ts'

const FORMAT = 1
const FILE_MODE = 0o600
const FILE_BYTES_MAX = 16 * 1024 * 1024
/** More are noted when some of these have gone. */
const UNNAMED_MAX = 20_000
/** As long as the site keeps a picture that nothing names. */
const GRACE_MS = 30 * DAY_MS
const UNKNOWN = 0
const FIRST_DIGITS = [...'0123456789abcdef']

/** The number of the next snapshot, and when it was noted. */
type Noted = readonly [next: number, at: number]

interface Notes {
  next: number
  /** Numbers of the snapshots that are there, by the keys of their manifests. */
  readonly snapshots: Map<string, number>
  /** By the keys of the pictures. */
  readonly unnamed: Map<string, Noted>
}

export interface UnnamedPictures {
  /** A picture that a snapshot or a change to come names. */
  name(picture: PictureName): void
  /** Throws the system's error. Call it before the snapshot can be restored. */
  save(): void
  /** A snapshot that is there from now on, and names no other pictures. Throws the system's error. */
  stored(snapshot: SnapshotId): void
  /** Whether a snapshot is there, although a list may leave it out. */
  has(manifest: string): boolean
  /** Compares with the whole snapshots of a list. Rejects with a PlaceError. */
  compare(place: Place, whole: readonly SnapshotId[]): Promise<void>
  /** A snapshot whose manifest was removed. */
  removed(manifest: string): void
  /** Notes the pictures that the database does not have, and removes those that may go. Returns their number. Rejects with a PlaceError. */
  tidy(place: Place, now: number): Promise<number>
}

/** What is noted of a place, in a file beside the database; where that is lost, all begins again. */
export function openUnnamedPictures(database: string, placeName: string): UnnamedPictures {
  const file = join(dirname(database), `offsite-pictures-${createHash('sha256').update(placeName).digest('hex').slice(0, 16)}.json`)
  const notes = readNotes(file)
  let isChanged = false
  const { snapshots, unnamed } = notes
  const forget = (key: string): void => void (isChanged = unnamed.delete(key) || isChanged)
  const save = (): void => {
    if (!isChanged) return
    replaceFile(file, JSON.stringify({ format: FORMAT, next: notes.next, snapshots: [...snapshots], unnamed: [...unnamed] }), FILE_MODE)
    isChanged = false
  }
  const tidyDigit = async (place: Place, digit: string, now: number, isNamed: (picture: PictureName) => boolean): Promise<number> => {
    const listed = picturesListed(await place.list(`${PICTURES}${digit}`))
    const keys = new Set(listed.map(pictureKey))
    for (const key of unnamed.keys()) if (key.startsWith(`${PICTURES}${digit}`) && !keys.has(key)) forget(key)
    const oldest = Math.min(...snapshots.values())
    let removed = 0
    for (const picture of listed) {
      const key = pictureKey(picture)
      const noted = unnamed.get(key)
      if (isNamed(picture)) forget(key)
      else if (noted === undefined || noted[1] > now) {
        if (noted === undefined && unnamed.size >= UNNAMED_MAX) continue
        // A time to come is of a clock that was wrong.
        unnamed.set(key, [noted?.[0] ?? notes.next, now])
        isChanged = true
      } else if (oldest >= noted[0] && now - noted[1] >= GRACE_MS) {
        await place.remove(key)
        forget(key)
        removed++
      }
    }
    return removed
  }
  return {
    name: (picture) => forget(pictureKey(picture)),
    save,
    stored(snapshot) {
      snapshots.set(snapshotKeys(snapshot).manifest, notes.next++)
      isChanged = true
      save()
    },
    has: (manifest) => snapshots.has(manifest),
    async compare(place, whole) {
      const listed = new Map(whole.map((snapshot) => [snapshotKeys(snapshot).manifest, snapshot]))
      for (const manifest of listed.keys()) {
        if (snapshots.has(manifest)) continue
        snapshots.set(manifest, UNKNOWN)
        isChanged = true
      }
      for (const manifest of snapshots.keys()) {
        if (listed.has(manifest)) continue
        const isGone = (await isMissing(place, manifest)) || (await isMissing(place, manifest.replace(/\.json\.age$/, '.tar.zst.age')))
        if (isGone) isChanged = snapshots.delete(manifest) || isChanged
      }
    },
    removed(manifest) {
      isChanged = snapshots.delete(manifest) || isChanged
    },
    async tidy(place, now) {
      // Without a snapshot, nothing is known.
      if (snapshots.size === 0) return 0
      const rows = openDatabase(database, { readOnly: true })
      try {
        if (!hasPictures(rows)) return 0
        let removed = 0
        for (const digit of FIRST_DIGITS) {
          removed += await tidyDigit(place, digit, now, ({ hash }) => rows.get('SELECT 1 FROM picture WHERE hash = ?', hash) !== undefined)
        }
        return removed
      } finally {
        rows.close()
        save()
      }
    },
  }
}

async function isMissing(place: Place, key: string): Promise<boolean> {
  try {
    for await (const _ of place.get(key)) break
    return false
  } catch (error) {
    if (error instanceof PlaceError && error.kind === 'missing') return true
    throw error
  }
}

function readNotes(file: string): Notes {
  const read = existsSync(file) ? parsedFile(file) : undefined
  const [snapshots, unnamed] = [pairsOf(read?.['snapshots'], isCount), pairsOf(read?.['unnamed'], isNoted)]
  const next = read?.['next']
  if (read?.['format'] !== FORMAT || !isCount(next) || next === UNKNOWN || snapshots === undefined || unnamed === undefined) {
    return { next: UNKNOWN + 1, snapshots: new Map(), unnamed: new Map() }
  }
  return { next, snapshots, unnamed }
}

function parsedFile(file: string) {
  try {
    return parseJsonObject(readRegularFile(file, FILE_BYTES_MAX).toString('utf8'))
  } catch {
    return undefined
  }
}

function isNoted(value: unknown): value is Noted {
  return Array.isArray(value) && value.length === 2 && value.every((one) => isCount(one as Json))
}

function pairsOf<T>(list: Json | undefined, isValue: (value: Json) => value is T & Json): Map<string, T> | undefined {
  if (!Array.isArray(list)) return undefined
  const pairs = new Map<string, T>()
  for (const pair of list) {
    if (!Array.isArray(pair) || pair.length !== 2) return undefined
    const [key, value] = pair
    if (typeof key !== 'string' || value === undefined || !isValue(value)) return undefined
    pairs.set(key, value)
  }
  return pairs
}
