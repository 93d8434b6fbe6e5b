/**
 * A copy of a database as it was at one moment, checked, and on disk when it is done. Others may write meanwhile.
 *
 * SQLite copies page by page, and restarts when another connection writes between two steps. So the source connection
 * holds a read transaction; the WAL cannot be restarted meanwhile, so it is bounded. After a gigabyte in one go, the
 * next sync of every connection would wait for all of it: the copy syncs every few megabytes, and pauses as long.
 */
import { closeSync, fdatasyncSync, fsyncSync, openSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { sizeText } from '../../base/counted.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/duration.ts'
import type { Model } from '../../models/schema.ts'
import { removeDatabase } from '../db/database-files.ts'
import { databaseReason, foldWal, isDamage, openDatabase, type Database } from '../db/database.ts'
import { countItems, faultsOf, type ItemCounts } from '../schema/database-check.ts'
import { fileFacts, SchemaError, type FileFacts } from '../schema/migrate.ts'

const STEP_PAGES = 256
/** After so many pages (4 MiB) the copy waits for the disk. */
const SYNC_PAGES = 1_024
const PAUSE_MS_MIN = 5
const PAUSE_MS_MAX = 1_000
/** A disk that takes longer is too slow for the site. */
const COPY_MS_MAX = HOUR_MS
const WAL_BYTES_MAX = 2 * 1024 ** 3
/** Kept free beside a copy, for the WAL and other files. */
const SPARE_BYTES = 16 * 1024 ** 2

/** A database file that cannot be copied or replaced; the message is one sentence for the operator. */
export class DatabaseFileError extends Error {
  override readonly name = 'DatabaseFileError'
}

export interface CopyRequest {
  readonly from: string
  /** A file that does not exist yet. It is removed again where the copy fails. */
  readonly to: string
  /** Begins the sentence of each error, such as `Cannot back up "a.db"`. */
  readonly action: string
  /** The remedy where the file is damaged or is not a database, as a clause. */
  readonly ifDamaged: string
  readonly models: readonly Model[]
  /** Throws where this file is not to be copied. */
  readonly accept?: (facts: FileFacts) => void
  readonly now: Clock
  /** Whether no service has to share the disk with the copy: then it does not wait for the disk until its end. */
  readonly isAlone?: boolean
  readonly signal?: AbortSignal | undefined
  /** Gets the part that is copied, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined
}

export interface Copied extends FileFacts {
  readonly bytes: number
  readonly items: ItemCounts
}

/** Copies, checks the copy, and syncs it. The copy is one file without a WAL. Throws DatabaseFileError. */
export async function copyDatabase(request: CopyRequest): Promise<Copied> {
  const { to, action } = request
  let descriptor: number | undefined
  try {
    requireSpace(request)
    // Stays open until SQLite has closed the file: closing it gives up SQLite's locks.
    descriptor = openSync(to, 'wx+', 0o600)
    const wanted = await copyPages(request, descriptor)
    foldWal(to)
    const copied = inspect(request)
    if (JSON.stringify(copied) !== JSON.stringify(wanted)) {
      throw new DatabaseFileError(`${action}: the copy differs from what was copied: check the disk and try again`)
    }
    fsyncSync(descriptor)
    return { ...copied, bytes: statSync(to).size }
  } catch (error) {
    if (descriptor !== undefined) removeDatabase(to)
    if (error instanceof DatabaseFileError || error instanceof SchemaError) throw error
    const remedy = isDamage(error) ? `: ${request.ifDamaged}` : ''
    throw new DatabaseFileError(`${action}: ${databaseReason(error)}${remedy}`, { cause: error })
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function requireSpace({ from, to, action }: CopyRequest): void {
  const { bavail, bsize } = statfsSync(dirname(to))
  const [wanted, free] = [statSync(from).size + SPARE_BYTES, bavail * bsize]
  if (free >= wanted) return
  throw new DatabaseFileError(
    `${action}: the disk of "${dirname(to)}" has ${sizeText(free)} free, and ${sizeText(wanted)} are needed: ` +
      'make room or choose another place',
  )
}

async function copyPages(request: CopyRequest, descriptor: number): Promise<Omit<Copied, 'bytes'>> {
  const { from, to, models } = request
  const source = openDatabase(from, { readOnly: true })
  try {
    source.exec('BEGIN')
    const wanted = contentOf(source, request, models)
    request.accept?.(wanted)
    await source.copyTo(to, STEP_PAGES, pacer(request, descriptor))
    source.exec('COMMIT')
    return wanted
  } finally {
    source.close()
  }
}

function contentOf(
  database: Database,
  { action, ifDamaged }: CopyRequest,
  models: readonly Model[],
): Omit<Copied, 'bytes'> {
  const facts = fileFacts(database)
  if (!facts.isOurs) throw new DatabaseFileError(`${action}: the file was not written by dateline: ${ifDamaged}`)
  return { ...facts, items: countItems(database, models) }
}

/** Between two steps: syncs, pauses, and enforces the limits. */
function pacer({ from, action, now, isAlone = false, signal, onProgress }: CopyRequest, descriptor: number) {
  const startedAt = now()
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  let synced = 0
  return ({ totalPages, remainingPages }: { readonly totalPages: number; readonly remainingPages: number }): void => {
    const done = totalPages - remainingPages
    if (signal?.aborted === true) throw new DatabaseFileError(`${action}: it was interrupted`)
    if (done - synced < SYNC_PAGES) return
    synced = done
    if (isAlone) return onProgress?.(done / totalPages)
    const before = now()
    fdatasyncSync(descriptor)
    const syncMs = now() - before
    if (now() - startedAt > COPY_MS_MAX) {
      throw new DatabaseFileError(`${action}: it took longer than ${COPY_MS_MAX / MINUTE_MS} minutes: use a faster disk`)
    }
    if ((statSync(`${from}-wal`, { throwIfNoEntry: false })?.size ?? 0) > WAL_BYTES_MAX) {
      throw new DatabaseFileError(
        `${action}: meanwhile more than ${sizeText(WAL_BYTES_MAX)} were written to the database: ` +
          'try again when less is going on',
      )
    }
    onProgress?.(done / totalPages)
    Atomics.wait(sleeper, 0, 0, Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, syncMs)))
  }
}

function inspect(request: CopyRequest): Omit<Copied, 'bytes'> {
  const { to, action, models } = request
  const copy = openDatabase(to, { readOnly: true })
  try {
    const [fault] = faultsOf(copy)
    if (fault !== undefined) {
      throw new DatabaseFileError(`${action}: the copy did not pass its check (${fault}): ${request.ifDamaged}`)
    }
    return contentOf(copy, request, models)
  } finally {
    copy.close()
  }
}
