/**
 * The write-ahead log as a file (sqlite.org/fileformat2.html#walformat): a header, then frames, each of them a page as
 * a commit left it. When all of it is in the database and nobody reads it, the next commit begins it again, with other
 * salts in its header.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import type { Database } from '../sqlite/database.ts'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const SALTS_AT = 16
const SALTS_BYTES = 8

export interface LogState {
  /** Somebody else is moving the log, or, for TRUNCATE, using it. */
  readonly isBusy: boolean
  /** Pages in the log, and how many of them are in the database already; both -1 where somebody else is moving it. */
  readonly pages: number
  readonly moved: number
}

/** sqlite.org/pragma.html#pragma_wal_checkpoint; NOOP only looks. */
export function checkpoint(database: Database, mode: 'NOOP' | 'PASSIVE' | 'TRUNCATE'): LogState {
  const row = database.get(`PRAGMA wal_checkpoint(${mode})`)
  return { isBusy: row?.['busy'] !== 0, pages: Number(row?.['log']), moved: Number(row?.['checkpointed']) }
}

/** The first frames of a log, up to where its pages have been blanked in the database. */
export interface LogPart {
  /** The salts, which tell one log from the next. */
  readonly salts: string
  readonly frames: number
}

export const NO_PART: LogPart = { salts: '', frames: 0 }

/** As much of the part as belongs to the log that is there now. The caller holds the write lock. */
export function partNow(file: string, part: LogPart): LogPart {
  const salts = Buffer.alloc(SALTS_BYTES)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, salts, 0, SALTS_BYTES, SALTS_AT)
  } finally {
    closeSync(descriptor)
  }
  const text = salts.toString('hex')
  return part.salts === text ? part : { salts: text, frames: 0 }
}

/** The numbers of the pages in the frames from `from` up to `to`, counted from 0. Adds them to `pages`. */
export function addPages(pages: Set<number>, file: string, frames: Frames): ReadonlySet<number> {
  if (frames.to <= frames.from) return pages
  const number = Buffer.alloc(4)
  const descriptor = openSync(file, 'r')
  try {
    for (let frame = frames.from; frame < frames.to; frame++) {
      const at = HEADER_BYTES + frame * (FRAME_HEADER_BYTES + frames.pageBytes)
      if (readSync(descriptor, number, 0, number.length, at) === number.length) pages.add(number.readUInt32BE())
    }
  } finally {
    closeSync(descriptor)
  }
  return pages
}

export interface Frames {
  readonly from: number
  readonly to: number
  readonly pageBytes: number
}
