/**
 * Pictures at a place: `pictures/HASH.EXT.age`, each once for all snapshots that name it, encrypted and not compressed: `age -d` gives
 * the file. They are named by the SHA-256 of their bytes, so a forged or damaged object is found out.
 */
import { decryptAge } from '../age/age.ts'
import { AgeError } from '../age/age-error.ts'
import type { AgeIdentity } from '../age/age-keys.ts'
import { byteSource, streamOf, type Bytes } from '../base/byte-source.ts'
import { PICTURE_BYTES_MAX } from '../media/read-picture.ts'
import { hasPictures, picturesBeside } from '../store/backup/picture-copies.ts'
import { openDatabase } from '../store/db/database.ts'
import { hashOfBytes, type PictureFiles } from '../store/media/picture-files.ts'
import { pictureFaults, picturesAfter, picturesBehind, type PictureFile, type PictureName, type PicturePlace } from '../store/media/picture-table.ts'
import { pictureKey, PICTURES } from './object-keys.ts'
import { PlaceError, type Place } from './place.ts'
import { putProved, UNCOMPRESSED, type Storing } from './proved-objects.ts'
import { measured } from './sealed-objects.ts'
import { damagedArchive } from './tar.ts'
import type { UnnamedPictures } from './unnamed-pictures.ts'

const ROWS_MAX = 500

export interface PicturesJob {
  /** The database file whose rows are meant. */
  readonly rows: string
  readonly files: PictureFiles
  /** Only those that came after this one; undefined for all. */
  readonly after: PicturePlace | undefined
  /** Learns of each that it is needed. */
  readonly unnamed: UnnamedPictures
}

export interface StoredPictures {
  readonly count: number
  /** Of their files. */
  readonly bytes: number
  /** How many the place did not have. */
  readonly sent: number
  /** How many it does not have, because their files are missing or damaged here. */
  readonly missing: number
  /** The one that came last; undefined for none. */
  readonly reached: PicturePlace | undefined
}

/** Stores pictures that the place does not have. Holds one at a time. Rejects with a PlaceError, and the error of the system. */
export async function storePictures(storing: Storing, { rows, files, after, unnamed }: PicturesJob): Promise<StoredPictures> {
  let [count, bytes, sent, missing, reached] = [0, 0, 0, 0, after]
  const hasObject = objectsByHash(storing.place)
  for (const picture of picturesIn(rows, after)) {
    if (reached === undefined || isLater(picture, reached)) reached = { createdAt: picture.createdAt, hash: picture.hash }
    count++
    bytes += picture.bytes
    unnamed.name(picture)
    if (await hasObject(picture)) continue
    const content = readPicture(files, picture)
    if (content === undefined) {
      missing++
      continue
    }
    await putProved(storing, pictureKey(picture), streamOf(content), content.length, (read) => isPicture(picture, read), UNCOMPRESSED)
    sent++
  }
  unnamed.save()
  return { count, bytes, sent, missing, reached }
}

/** Whether a place has a picture. There may be those of years, so one list holds those of one first digit only. */
function objectsByHash(place: Place): (picture: PictureFile) => Promise<boolean> {
  let [digit, listed] = ['', new Map<string, number>()]
  return async (picture) => {
    const first = picture.hash.slice(0, 1)
    if (first !== digit) listed = new Map((await place.list(`${PICTURES}${first}`)).map(({ key, bytes }) => [key, bytes]))
    digit = first
    // A shorter object is what a disk lost its end of.
    return (listed.get(pictureKey(picture)) ?? 0) > picture.bytes
  }
}

function isLater(a: PicturePlace, b: PicturePlace): boolean {
  return a.createdAt > b.createdAt || (a.createdAt === b.createdAt && a.hash > b.hash)
}

export interface FetchedPictures {
  readonly identities: readonly AgeIdentity[]
  /** A database file, which gets the pictures beside it. */
  readonly database: string
  /** Those that are there already, and are not fetched. */
  readonly existing: PictureFiles | undefined
  /** The content of an object. */
  readonly get: (key: string) => Bytes
}

/**
 * Fetches the pictures of a restored database. One that is missing or damaged at the place is left out: who restores the database
 * counts it. Rejects with a PlaceError, also for a database with a picture that none can have, and the error of the system.
 */
export async function fetchPictures({ identities, database, existing, get }: FetchedPictures): Promise<void> {
  const files = picturesBeside(database)
  for (const picture of picturesIn(database, undefined)) {
    if (existing !== undefined && readPicture(existing, picture) !== undefined) continue
    const content = await openPicture(identities, get(pictureKey(picture)))
    if (content !== undefined && hashOfBytes(content) === picture.hash) await files.write(picture, content)
  }
}

/**
 * Those that came after one, or all, by their hashes as far as that goes. In pages: a transaction that stays open during an upload
 * would keep the WAL of the database in use.
 */
function* picturesIn(file: string, after: PicturePlace | undefined): Generator<PictureFile & PicturePlace> {
  const database = openDatabase(file, { readOnly: true })
  try {
    if (!hasPictures(database)) return
    const [fault] = pictureFaults(database)
    if (fault !== undefined) throw damagedArchive(fault)
    let reached = after ?? { createdAt: 0, hash: '' }
    for (;;) {
      const rows = after === undefined ? picturesBehind(database, reached.hash, ROWS_MAX) : picturesAfter(database, reached, ROWS_MAX)
      const last = rows.at(-1)
      if (last === undefined) return
      yield* rows.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
      reached = last
    }
  } finally {
    database.close()
  }
}

/** Undefined where there is none that can be read. */
function readPicture(files: PictureFiles, picture: PictureName): Buffer | undefined {
  try {
    return files.read(picture)
  } catch {
    return undefined
  }
}

async function openPicture(identities: readonly AgeIdentity[], sealed: Bytes): Promise<Buffer | undefined> {
  const source = byteSource(decryptAge(identities, sealed))
  try {
    return await source.read(PICTURE_BYTES_MAX + 1)
  } catch (error) {
    if (error instanceof AgeError || (error instanceof PlaceError && (error.kind === 'missing' || error.kind === 'damaged'))) return undefined
    throw error
  } finally {
    await source.close()
  }
}

async function isPicture({ hash }: PictureName, read: Bytes): Promise<boolean> {
  const { content, sha256 } = measured(read)
  for await (const _ of content) continue
  return sha256() === hash
}
