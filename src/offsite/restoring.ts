/**
 * From a place to a database file: the newest snapshot of a time, decrypted and checked against its manifest, and the changes behind
 * it, each in its order, up to that time. Then the pictures that the database names by that time.
 */
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DamagedAge } from '../age/age-error.ts'
import type { AgeIdentity } from '../age/age-keys.ts'
import { byteSource, type Bytes } from '../base/byte-source.ts'
import { isoDate } from '../base/dates.ts'
import type { Model } from '../models/schema.ts'
import { Divergence } from '../store/cluster/changeset-applier.ts'
import { picturesBeside } from '../store/backup/picture-copies.ts'
import { filesBeside } from '../store/db/database-files.ts'
import type { PictureFiles } from '../store/media/picture-files.ts'
import { openReplay } from '../store/pending/replay.ts'
import { readChanges } from './change-file.ts'
import { readManifest, type Manifest } from './manifest.ts'
import { CHANGES, SNAPSHOTS, segmentKey, segmentsBehind, segmentsIn, snapshotKeys, snapshotsIn, type Segment, type Snapshot } from './object-keys.ts'
import { fetchPictures } from './picture-objects.ts'
import { PlaceError, type Place } from './place.ts'
import { measured, openObject } from './sealed-objects.ts'
import { DATABASE_NAME, type SmallFile } from './site-archive.ts'
import { damagedArchive, readTar } from './tar.ts'

const FILE_MODE = 0o600
const SMALL_BYTES_MAX = 1024 * 1024
const SMALL_FILES_MAX = 300
const MANIFEST_BYTES_MAX = 64 * 1024

/** What can be restored for a time. */
export interface Restorable {
  readonly snapshot: Snapshot
  readonly manifest: Manifest
  /** Those behind the snapshot, without a hole, that begin by that time. */
  readonly segments: readonly Segment[]
  /** Changes that are missing behind those although later ones are there, up to this time; undefined where the wanted time is before. */
  readonly hole: { readonly first: number; readonly last: number; readonly laterAt: number } | undefined
  /** Newer snapshots that are damaged, in the order in which they were found. */
  readonly passedOver: readonly DamagedSnapshot[]
  /** The last time that needs an earlier snapshot; undefined without one. */
  readonly before: number | undefined
  /** Bytes to be read. */
  readonly bytes: number
}

/** A snapshot that cannot be read; the changes behind it may follow an earlier one all the same. */
export class DamagedSnapshot extends PlaceError {
  override readonly name = 'PlaceError'
  readonly snapshot: Snapshot
  /** Whether there is an earlier one. */
  readonly hasEarlier: boolean

  constructor({ message, cause }: PlaceError, snapshot: Snapshot, hasEarlier: boolean) {
    super('damaged', message, cause)
    this.snapshot = snapshot
    this.hasEarlier = hasEarlier
  }
}

/**
 * Finds the newest snapshot of a time, or of all times, with the changes behind it. Without a time, one whose manifest is damaged is
 * passed over, as are those that the caller has found to be. Rejects with a PlaceError, also where there is none, and an AgeError
 * where the identities cannot read it.
 */
export async function findRestorable(place: Place, identities: readonly AgeIdentity[], until = Infinity, passedOver: readonly DamagedSnapshot[] = []): Promise<Restorable> {
  try {
    return await findSnapshot(place, identities, until, passedOver)
  } catch (error) {
    if (!(error instanceof DamagedSnapshot) || !error.hasEarlier || until !== Infinity) throw error
    return findRestorable(place, identities, until, [...passedOver, error])
  }
}

async function findSnapshot(place: Place, identities: readonly AgeIdentity[], until: number, passedOver: readonly DamagedSnapshot[]): Promise<Restorable> {
  const oldest = Math.min(Infinity, ...passedOver.map(({ snapshot }) => snapshot.at))
  const snapshots = snapshotsIn(await place.list(SNAPSHOTS))
  const snapshot = snapshots.findLast(({ at }) => at <= until && at < oldest)
  if (snapshot === undefined) {
    const [oldest] = snapshots
    if (oldest === undefined) throw new PlaceError('missing', `${place.name}: there is no snapshot: check the prefix of the address`)
    throw new PlaceError('missing', `${place.name}: the oldest snapshot is of ${isoDate(oldest.at)}: choose a time from then on`)
  }
  const before = snapshots.some(({ at }) => at < snapshot.at) ? snapshot.at - 1 : undefined
  const key = snapshotKeys(snapshot).manifest
  const manifest = await readOwnManifest(snapshot, openObject(identities, place.get(key))).catch((error: unknown) => {
    throw damagedSnapshot(error, snapshot, { key, before })
  })
  const ofChain = segmentsIn(await place.list(`${CHANGES}${snapshot.chain}/`))
  const behind = segmentsBehind(ofChain, snapshot.chain, snapshot.seq)
  // The time of a segment is that of its last commit: the one that goes past the wanted time is read as well.
  const past = behind.findIndex(({ at }) => at > until)
  const segments = past === -1 ? behind : behind.slice(0, past + 1)
  const newest = behind.at(-1)
  const reached = newest?.last ?? snapshot.seq
  const later = until > (newest ?? snapshot).at ? ofChain.filter(({ first }) => first > reached + 1) : []
  const hole = later[0] && { first: reached + 1, last: later[0].first - 1, laterAt: Math.max(...later.map(({ at }) => at)) }
  return { snapshot, manifest, segments, hole, passedOver, before, bytes: segments.reduce((sum, { bytes }) => sum + bytes, snapshot.bytes + manifest.pictures.bytes) }
}

export interface RestoringOptions {
  readonly place: Place
  readonly identities: readonly AgeIdentity[]
  /** Commits of later than this are left out, in milliseconds since the epoch. */
  readonly until?: number | undefined
  /** A directory without files of the names of an archive. */
  readonly directory: string
  readonly models: readonly Model[]
  /** Pictures that are there already, and are not fetched. */
  readonly existing?: PictureFiles | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((share: number) => void) | undefined
}

export interface RestoredSite {
  /** The database, in the directory, with its pictures in `media` beside it, without those that the place lacks. */
  readonly file: string
  readonly beside: readonly SmallFile[]
  readonly replayed: number
  /** Of the last commit that was replayed; undefined for none. */
  readonly lastAt: number | undefined
}

/** Rejects with PlaceError, AgeError and what the disk says; then there is no file. */
export async function restoreSite(found: Restorable, options: RestoringOptions): Promise<RestoredSite> {
  const { place, identities, until = Infinity, directory, models, existing, signal, onProgress } = options
  const file = join(directory, DATABASE_NAME)
  let read = 0
  const counted = async function* (key: string): AsyncGenerator<Uint8Array> {
    for await (const chunk of place.get(key)) {
      if (signal?.aborted === true) throw new PlaceError('network', 'The restore was interrupted')
      read += chunk.length
      onProgress?.(Math.min(1, read / found.bytes))
      yield chunk
    }
  }
  try {
    const { archive } = snapshotKeys(found.snapshot)
    const beside = await unpack(found, counted(archive), identities, file).catch((error: unknown) => {
      throw damagedSnapshot(error, found.snapshot, { key: archive, before: found.before })
    })
    const replay = openReplay(file, models)
    let [replayed, lastAt] = [0, undefined as number | undefined]
    try {
      const { chain, seq, at } = found.snapshot
      if (replay.chain !== undefined && (replay.chain !== chain || replay.reached() !== seq)) {
        throw damagedSnapshot(damagedArchive('its number is not that of its database'), found.snapshot, { key: archive, before: found.before })
      }
      replaying: for (const segment of found.segments) {
        const key = segmentKey(segment)
        try {
          for await (const change of readChanges(openObject(identities, counted(key)), segment)) {
            if (change.at > until) break replaying
            if (change.seq <= replay.reached()) continue
            replay.apply(change)
            ;[replayed, lastAt] = [replayed + 1, change.at]
          }
        } catch (error) {
          const reachedAt = Math.max(at, lastAt ?? at)
          // All up to the wanted time was read before the damage: so the time that the error names can be restored.
          if (isDamage(error) && until <= reachedAt) break
          throw namedDamage(error, key, reachedAt)
        }
      }
      replay.commit()
    } finally {
      replay.close()
    }
    await fetchPictures({ identities, database: file, existing, get: counted })
    return { file, beside, replayed, lastAt }
  } catch (error) {
    for (const path of [file, ...filesBeside(file)]) await rm(path, { force: true })
    await rm(picturesBeside(file).directory, { recursive: true, force: true })
    throw error
  }
}

async function readOwnManifest({ at, chain, seq }: Snapshot, content: Bytes): Promise<Manifest> {
  const manifest = readManifest(await wholeOf(content, MANIFEST_BYTES_MAX))
  const isOwn = manifest.chain === chain && manifest.seq === seq && manifest.createdAt === isoDate(at)
  if (!isOwn) throw damagedArchive('its manifest is that of another one')
  return manifest
}

function isDamage(error: unknown): error is PlaceError | DamagedAge {
  return error instanceof DamagedAge || (error instanceof PlaceError && error.kind === 'damaged')
}

/** What is wrong with an object, named, and a way on: `before` is a time that can be restored without it. Other errors stay as they are. */
function namedDamage(error: unknown, key: string, before: number | undefined): unknown {
  const damage = error instanceof Divergence ? damagedArchive(`its changes do not fit (${error.message})`) : error
  if (!isDamage(damage)) return error
  const { message } = damage
  const way = before === undefined ? 'there is no earlier snapshot' : `restore up to before it with --at ${isoDate(before)}`
  return new PlaceError('damaged', `${key}: ${message.charAt(0).toLowerCase()}${message.slice(1)}: ${way}`, error)
}

function damagedSnapshot(error: unknown, snapshot: Snapshot, { key, before }: { readonly key: string; readonly before: number | undefined }): unknown {
  const named = namedDamage(error, key, before)
  return named instanceof PlaceError && named.kind === 'damaged' ? new DamagedSnapshot(named, snapshot, before !== undefined) : named
}

/** Writes the database to a file, and returns the other files. */
async function unpack({ manifest }: Restorable, sealed: Bytes, identities: readonly AgeIdentity[], file: string): Promise<readonly SmallFile[]> {
  const stored = measured(sealed)
  const source = byteSource(openObject(identities, stored.content))
  const beside: SmallFile[] = []
  let found = ''
  for await (const { name, bytes, content } of readTar(source)) {
    if (name !== DATABASE_NAME) {
      if (beside.length === SMALL_FILES_MAX) throw damagedArchive(`it has more than ${SMALL_FILES_MAX} files`)
      beside.push({ name, text: (await wholeOf(content, SMALL_BYTES_MAX)).toString('utf8') })
      continue
    }
    if (bytes !== manifest.database.bytes) throw damagedArchive('its database has another length than its manifest says')
    const database = measured(content)
    await writeDown(file, database.content)
    found = database.sha256()
  }
  await source.read(1)
  await source.close()
  if (found !== manifest.database.sha256 || stored.sha256() !== manifest.archive.sha256) throw damagedArchive('it is not what its manifest says')
  return beside
}

async function writeDown(file: string, content: Bytes): Promise<void> {
  const handle = await open(file, 'wx', FILE_MODE)
  try {
    for await (const chunk of content) await handle.writeFile(chunk)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function wholeOf(content: Bytes, bytesMax: number): Promise<Buffer> {
  const source = byteSource(content)
  const bytes = await source.read(bytesMax + 1)
  await source.close()
  if (bytes.length > bytesMax) throw damagedArchive(`it has a file of more than ${bytesMax} bytes`)
  return bytes
}
