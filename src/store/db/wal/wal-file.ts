/**
 * SQLite's write-ahead log, the WAL, as a file (sqlite.org/fileformat2.html#walformat): a header, then frames, each of
 * them a page as a commit left it. When all frames are in the database and no reader needs them, the next commit
 * restarts the WAL, with other salts in its header.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import type { Database } from '../database.ts'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const SALTS_AT = 16
const SALTS_BYTES = 8

export interface WalState {
  /** Another connection is running a checkpoint, or, for TRUNCATE, using the WAL. */
  readonly isBusy: boolean
  /** Frames in the WAL, and how many of them are in the database; both -1 while another connection runs a checkpoint. */
  readonly pages: number
  readonly moved: number
}

/** sqlite.org/pragma.html#pragma_wal_checkpoint; NOOP only looks. */
export function checkpoint(database: Database, mode: 'NOOP' | 'PASSIVE' | 'TRUNCATE'): WalState {
  const row = database.get(`PRAGMA wal_checkpoint(${mode})`)
  return { isBusy: row?.['busy'] !== 0, pages: Number(row?.['log']), moved: Number(row?.['checkpointed']) }
}

/** The first frames of a WAL, up to where their pages have been blanked in the database. */
export interface WalPart {
  /** Distinguish a WAL from the one after its restart. */
  readonly salts: string
  readonly frames: number
}

export const NO_PART: WalPart = { salts: '', frames: 0 }

/** The salts of the WAL that is there now. They are written before its first frame. */
export function saltsOf(file: string): string {
  return readAt(file, (read) => read(SALTS_AT, SALTS_BYTES)?.toString('hex') ?? '')
}

/** The numbers of the pages in the frames `from` up to `to`, counted from 0. */
export function pagesOf(file: string, from: number, to: number, pageBytes: number): readonly number[] {
  const pages = new Set<number>()
  readAt(file, (read) => {
    for (let frame = from; frame < to; frame++) {
      const number = read(HEADER_BYTES + frame * (FRAME_HEADER_BYTES + pageBytes), 4)
      if (number !== undefined) pages.add(number.readUInt32BE())
    }
  })
  return [...pages]
}

/** `read` returns some bytes at a position of the file, which are valid until its next call; undefined past its end. */
function readAt<T>(file: string, work: (read: (at: number, bytes: number) => Buffer | undefined) => T): T {
  const buffer = Buffer.alloc(SALTS_BYTES)
  const descriptor = openSync(file, 'r')
  try {
    return work((at, bytes) =>
      readSync(descriptor, buffer, 0, bytes, at) === bytes ? buffer.subarray(0, bytes) : undefined,
    )
  } finally {
    closeSync(descriptor)
  }
}
