/** Fetching a site from a place of off-site backups into the data directory that it is restored into. */
import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { AgeIdentity } from '../../age/age-keys.ts'
import { sizeText } from '../../base/counted.ts'
import { parseIsoDate } from '../../base/dates.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import type { Place } from '../../offsite/place.ts'
import { restoreSite, type Restorable, type RestoredSite } from '../../offsite/restoring.ts'
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

/** Fetches what was found, with its changes and pictures. Rejects with DatabaseFileError, PlaceError and AgeError; then nothing is left. */
export async function fetchSite(found: Restorable, { place, identities, until, dataDir, signal, onProgress }: SiteFetch): Promise<FetchedSite> {
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
