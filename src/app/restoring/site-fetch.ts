/** Fetching a site from a place of off-site backups into the data directory that it is restored into. */
import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { AgeIdentity } from '../../age/age-keys.ts'
import { sizeText } from '../../base/counted.ts'
import { isoDate, parseIsoDate } from '../../base/dates.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import type { Place } from '../../offsite/place.ts'
import { DamagedSnapshot, findRestorable, restoreSite, type Restorable, type RestoredSite } from '../../offsite/restoring.ts'
import { DatabaseFileError } from '../../store/backup/database-copy.ts'
import { FETCHED_DIRECTORY } from '../../store/backup/pending-restore.ts'
import { MEDIA_DIRECTORY, pictureFiles } from '../../store/media/picture-files.ts'

const DIRECTORY_MODE = 0o700

export interface FetchedSite extends RestoredSite {
  readonly found: Restorable
  /** The name of the place. */
  readonly place: string
  /** Removes what was fetched. */
  discard(): void
}

export interface SiteFetch {
  readonly place: Place
  readonly identities: readonly AgeIdentity[]
  readonly until: number | undefined
  readonly dataDir: string
  readonly signal: AbortSignal
  readonly onProgress: (share: number) => void
}

/**
 * Finds a site, and fetches it where `confirm` agrees; undefined where it does not. Where the snapshot turns out to be damaged, and no
 * time was asked for, the one before it is next, which has to be confirmed as well. Rejects with DatabaseFileError, PlaceError and
 * AgeError; then nothing is left.
 */
export async function fetchSite(fetch: SiteFetch, confirm: (found: Restorable) => Promise<boolean>): Promise<FetchedSite | undefined> {
  let passedOver: readonly DamagedSnapshot[] = []
  for (;;) {
    const found = await findRestorable(fetch.place, fetch.identities, fetch.until, passedOver)
    if (!(await confirm(found))) return undefined
    try {
      return await fetchFound(found, fetch)
    } catch (error) {
      if (!(error instanceof DamagedSnapshot) || !error.hasEarlier || fetch.until !== undefined) throw error
      passedOver = [...found.passedOver, error]
    }
  }
}

/** What a person has to know of snapshots that are not the ones that are restored. */
export function passedOverText({ passedOver, snapshot }: Restorable): readonly string[] {
  return passedOver.map(({ message, snapshot: { chain } }) => {
    const then = chain === snapshot.chain ? 'with all changes behind that, also those behind the damaged one' : 'and changes behind the damaged one do not follow without it'
    return `${message.replace(/: restore up to before it with --at \S+$/, '')}: the snapshot of ${isoDate(snapshot.at)} is taken in its place, ${then}`
  })
}

async function fetchFound(found: Restorable, { place, identities, until, dataDir, signal, onProgress }: SiteFetch): Promise<FetchedSite> {
  requireRoom(dataDir, found)
  const directory = join(dataDir, FETCHED_DIRECTORY)
  const discard = (): void => rmSync(directory, { recursive: true, force: true })
  discard()
  mkdirSync(directory, { mode: DIRECTORY_MODE })
  try {
    const existing = pictureFiles(join(dataDir, MEDIA_DIRECTORY))
    const site = await restoreSite(found, { place, identities, until, directory, models: STORED_MODELS, existing, signal, onProgress })
    return { ...site, found, place: place.name, discard }
  } catch (error) {
    discard()
    throw error
  }
}

/** `2026-11-24T09:30Z`, with seconds or without, in milliseconds since the epoch; undefined for another text. */
export function parseRestoreTime(text: string): number | undefined {
  const date = parseIsoDate(text.replace(/(T\d\d:\d\d)(Z|[+-]\d\d:\d\d)$/, '$1:00$2'))
  return date === undefined ? undefined : Date.parse(date)
}

/** The time that a site is of: that of the last change, or of the snapshot where there is none. */
export function timeOfSite({ found, lastAt }: FetchedSite): number {
  return lastAt ?? found.snapshot.at
}

/** The database is there twice for a moment: as it was fetched, and as its checked copy. */
function requireRoom(dataDir: string, { manifest }: Restorable): void {
  const { bavail, bsize } = statfsSync(dataDir)
  const [free, wanted] = [bavail * bsize, 2 * manifest.database.bytes + manifest.pictures.bytes]
  if (free >= wanted) return
  throw new DatabaseFileError(`Cannot restore into "${dataDir}": its disk has ${sizeText(free)} free, and ${sizeText(wanted)} are needed: make room`)
}
