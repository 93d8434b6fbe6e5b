/** Storing snapshots and changes at a place, each with its proof (proved-objects.ts), and removing what is not to be kept. */
import { rm, stat } from 'node:fs/promises'
import type { AgeIdentity } from '../age/age-keys.ts'
import { byteSource, streamOf, type Bytes } from '../base/byte-source.ts'
import { isoDate } from '../base/dates.ts'
import { MINUTE_MS, SECOND_MS } from '../base/duration.ts'
import type { Model } from '../models/schema.ts'
import { writeBackup } from '../store/backup/backup.ts'
import { picturesBeside } from '../store/backup/picture-copies.ts'
import { filesBeside } from '../store/db/database-files.ts'
import { lookInto, openDatabase } from '../store/db/database.ts'
import { pendingBehind, readChain, type PendingChange } from '../store/pending/pending-changes.ts'
import { readChanges, writeChanges } from './change-file.ts'
import { writeManifest } from './manifest.ts'
import { CHANGES, manifestOf, segmentKey, segmentsIn, SNAPSHOTS, snapshotKeys, snapshotsIn, unfinishedIn, type SnapshotId } from './object-keys.ts'
import { storePictures, type StoredPictures } from './picture-objects.ts'
import type { Place } from './place.ts'
import { oneTime, provedOr, putProved, unlikeStored, type Storing } from './proved-objects.ts'
import { surplus, type Retention, type UnprovedChanges } from './retention.ts'
import { measured, openObject, sealObject } from './sealed-objects.ts'
import { archiveSite, DATABASE_NAME, type SmallFile } from './site-archive.ts'
import { readTar } from './tar.ts'
import { openUnnamedPictures } from './unnamed-pictures.ts'

/** A longer snapshot is read back as a whole once a week, and in between a share of it. */
const WHOLE_PROOF_BYTES_MAX = 1024 ** 3
const SHARE_BYTES = 64 * 1024 * 1024
const SEGMENT_BYTES_MAX = 16 * 1024 * 1024
/** The chain of a site that records no changes, such as a node of a cluster. */
const NO_CHAIN = '0'.repeat(16)

export interface StoredSnapshot extends SnapshotId {
  /** As it is stored. */
  readonly bytes: number
  readonly items: number
  readonly ms: number
  readonly proof: 'whole' | 'share'
  readonly pictures: StoredPictures
}

export interface SnapshotJob {
  readonly database: string
  /** A file that is not there, for the copy. */
  readonly copy: string
  readonly beside: readonly SmallFile[]
  readonly version: string
  readonly models: readonly Model[]
  /** The time of the snapshot that the place got last; 0 without one. */
  readonly lastAt: number
  /** Whether a long one is to be read back as a whole this time. */
  readonly isWholeProofDue: boolean
}

/** Stores a snapshot of now. Rejects with a PlaceError, or a DatabaseFileError for the copy. */
export async function storeSnapshot(storing: Storing, job: SnapshotJob): Promise<StoredSnapshot> {
  const { place, recipients, now } = storing
  const { database, copy, beside, version, models, isWholeProofDue } = job
  const startedAt = now()
  try {
    const { schema, items } = await writeBackup({ database, target: copy, makesDirectory: false, keepsPictures: false, models, now })
    const { size } = await stat(copy)
    // Behind the copy, so that no commit in it is later: a restore to a time takes a snapshot from before that. And behind the
    // snapshot before, of which a restore takes the later one.
    const second = Math.ceil(now() / SECOND_MS) * SECOND_MS
    const at = Math.max(second, Math.min(job.lastAt + SECOND_MS, second + MINUTE_MS))
    const id = { at, ...chainOf(copy) }
    // Before the manifest: a snapshot that is one has its pictures.
    const unnamed = openUnnamedPictures(database, place.name)
    const pictures = await storePictures(storing, { rows: copy, files: picturesBeside(database), after: undefined, unnamed })
    const { archive, manifest } = snapshotKeys(id)
    const own = oneTime()
    const content = { measure: undefined as ReturnType<typeof measured> | undefined }
    const pass = (bytes: Bytes): Bytes => (content.measure = measured(bytes)).content
    const sealed = measured(sealObject([...recipients, own.recipient], archiveSite({ file: copy, bytes: size, pass }, beside)))
    await place.put(archive, sealed.content, size + Math.ceil(size / 50) + 4 * 1024 * 1024)
    const sha256 = content.measure?.sha256() ?? ''
    const isWhole = isWholeProofDue || sealed.bytes() <= WHOLE_PROOF_BYTES_MAX
    if (isWhole) await proveArchive(place, archive, own.identity, { sha256, stored: sealed.sha256() })
    else await proveShare(place, archive, sealed.bytes(), own.identity)
    const told = writeManifest({
      ...{ createdAt: isoDate(at), version, schema, chain: id.chain, seq: id.seq, items },
      database: { bytes: size, sha256 },
      archive: { bytes: sealed.bytes(), sha256: sealed.sha256() },
      pictures: { count: pictures.count, bytes: pictures.bytes },
    })
    await putProved(storing, manifest, streamOf(told), told.length, async (read) => told.equals(Buffer.concat(await Array.fromAsync(read))))
    unnamed.stored(id)
    const count = Object.values(items).reduce((sum, n) => sum + n, 0)
    return { ...id, bytes: sealed.bytes(), items: count, ms: now() - startedAt, proof: isWhole ? 'whole' : 'share', pictures }
  } finally {
    for (const path of [copy, ...filesBeside(copy)]) await rm(path, { force: true })
  }
}

export interface StoredChanges {
  /** The last number that is stored. */
  readonly seq: number
  /** When that was committed. */
  readonly at: number
  readonly bytes: number
}

export interface ChangesJob {
  readonly database: string
  readonly chain: string
  /** Behind this number, up to that one, which are on the disk. */
  readonly after: number
  readonly upTo: number
  /** The newest snapshot of the chain there: where changes are gone that follow, those behind it are next. */
  readonly snapshot: { readonly seq: number; readonly at: number } | undefined
  /** Whether to look for changes of the chain that this database does not have. */
  readonly looksForFork: boolean
}

/** The place has later changes of the chain than the database: it was set back, or another service goes on with a copy of it. */
export class ForkedChain extends Error {
  override readonly name = 'ForkedChain'
}

/**
 * Stores what waits, a segment after the other, also what a snapshot has: so a restore needs no certain snapshot. Undefined where there
 * is nothing, or a hole ahead of it that no snapshot closes. Rejects with PlaceError and ForkedChain.
 */
export async function storeChanges(storing: Storing, { database: file, chain, after, upTo, snapshot, looksForFork }: ChangesJob): Promise<StoredChanges | undefined> {
  if (looksForFork) {
    const last = segmentsIn(await storing.place.list(`${CHANGES}${chain}/`)).at(-1)?.last ?? 0
    if (last > upTo) throw new ForkedChain(`${storing.place.name} has changes up to number ${last} of the chain, and the database up to ${upTo}`)
  }
  const database = openDatabase(file, { readOnly: true })
  try {
    let stored: StoredChanges | undefined
    for (let reached = after; reached < upTo; ) {
      const changes = pendingBehind(database, reached, SEGMENT_BYTES_MAX).filter(({ seq }) => seq <= upTo)
      const [first, last] = [changes[0], changes.at(-1)]
      if (first === undefined || last === undefined || first.seq !== reached + 1) {
        if (snapshot === undefined || snapshot.seq <= reached) return stored
        stored = { seq: snapshot.seq, at: snapshot.at, bytes: stored?.bytes ?? 0 }
        reached = snapshot.seq
        continue
      }
      const segment = { chain, first: first.seq, last: last.seq, at: last.at }
      const length = changes.reduce((sum, { changeset }) => sum + changeset.length + 200, 0)
      const bytes = await putProved(storing, segmentKey(segment), writeChanges(segment, changes), length, (read) => isSame(changes, readChanges(read, segment)))
      stored = { seq: last.seq, at: last.at, bytes: (stored?.bytes ?? 0) + bytes }
      reached = last.seq
    }
    return stored
  } finally {
    database.close()
  }
}

export interface TidyJob {
  readonly database: string
  readonly retention: Retention
  readonly unproved?: UnprovedChanges | undefined
}

/** Removes what is not to be kept, and what ended uploads have left. Returns the number of objects that went. Rejects with a PlaceError. */
export async function tidyPlace({ place, now }: Pick<Storing, 'place' | 'now'>, { database, retention, unproved }: TidyJob): Promise<number> {
  const objects = [...(await place.list(SNAPSHOTS)), ...(await place.list(CHANGES))]
  const unnamed = openUnnamedPictures(database, place.name)
  await unnamed.compare(place, snapshotsIn(objects))
  // A list may lack one half of a snapshot that was stored just now.
  const halves = new Set(unfinishedIn(objects).filter((key) => unnamed.has(manifestOf(key) ?? '')))
  const gone = surplus(objects, retention, unproved).filter((key) => !halves.has(key))
  for (const key of gone) {
    await place.remove(key)
    unnamed.removed(key)
  }
  const pictures = await unnamed.tidy(place, now())
  await place.sweep(now())
  return gone.length + pictures
}

async function proveArchive(place: Place, key: string, identity: AgeIdentity, wanted: { readonly sha256: string; readonly stored: string }): Promise<void> {
  const isProved = await provedOr(async () => {
    const stored = measured(place.get(key))
    const source = byteSource(openObject([identity], stored.content))
    let found = ''
    for await (const { name, content } of readTar(source)) {
      const file = measured(content)
      for await (const _ of file.content) continue
      if (name === DATABASE_NAME) found = file.sha256()
    }
    // The end of the encrypted stream is behind that of the archive.
    await source.read(1)
    await source.close()
    return found === wanted.sha256 && stored.sha256() === wanted.stored
  })
  if (!isProved) throw await unlikeStored(place, key)
}

/** Reads the begin, which is decrypted and unpacked, and whether the end is there. */
async function proveShare(place: Place, key: string, bytes: number, identity: AgeIdentity): Promise<void> {
  const isProved = await provedOr(async () => {
    const source = byteSource(openObject([identity], place.get(key)))
    const read = await source.read(SHARE_BYTES)
    await source.close()
    let rest = 0
    for await (const chunk of place.get(key, bytes - 1)) rest += chunk.length
    return read.length > 0 && rest === 1
  })
  if (!isProved) throw await unlikeStored(place, key)
}

async function isSame(wanted: readonly PendingChange[], read: AsyncIterable<PendingChange>): Promise<boolean> {
  let at = 0
  for await (const { seq, at: time, changeset } of read) {
    const change = wanted[at++]
    if (change?.seq !== seq || change.at !== time || Buffer.compare(change.changeset, changeset) !== 0) return false
  }
  return at === wanted.length
}

function chainOf(file: string): { readonly chain: string; readonly seq: number } {
  const { id = NO_CHAIN, seq = 0 } = lookInto(file, readChain) ?? {}
  return { chain: id, seq }
}
