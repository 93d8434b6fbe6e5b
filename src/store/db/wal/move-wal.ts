/**
 * Moving the WAL into the database and blanking the pages that this wrote, without holding up writers. Why pages are
 * blanked, and when: checkpoints.ts.
 *
 * Pages are blanked behind SQLite's back, so no connection of any process may write the database file meanwhile. Only
 * checkpoints write it, and a checkpoint never passes the end of the WAL that a reader sees (its read mark, see
 * sqlite.org/walformat.html#wal_locks). So:
 *
 * 1. Begin to read at the end of the WAL, the mark. From now on no checkpoint moves a frame behind the mark.
 * 2. Move all frames before the mark. From now on no checkpoint has anything left to move.
 * 3. Blank the pages of these frames, and end the reader.
 *
 * Writers append to the WAL all the while. A page that they change again is moved, and blanked, with its newer frame.
 *
 * Where everything was in the database before the mark was set, the reader needs no frame, and a writer may restart the
 * WAL. No checkpoint writes the database then either, but the frames are those of another WAL. The salts show it.
 */
import { fdatasyncSync, readSync, writeSync } from 'node:fs'
import { openDatabase, type Database } from '../database.ts'
import { checkpoint, pagesOf, saltsOf, type WalPart } from './wal-file.ts'

/** Between two reads of the WAL's length lies a commit only now and then. */
const MARK_TRIES_MAX = 1_000
/** A long move pauses after so many pages, so that the disk serves others as well. */
const BATCH_PAGES = 200
const PAUSE_MS = 4
/** A reader of an older state is waited for ten minutes. */
const READER_WAIT_MS = 250
const READER_WAITS_MAX = 2_400

export interface WalFiles {
  readonly file: string
  readonly pageFile: PageFile
}

export interface WalConnections {
  /** Runs the checkpoint; in no transaction. */
  readonly database: Database
  /** Holds the mark; in no transaction. */
  readonly reader: Database
}

/**
 * Moves the WAL up to its present end. Returns the part that is blanked then; undefined where a reader of an older
 * state, another checkpoint or a restart of the WAL is in the way. Throws what SQLite throws; nothing is lost then.
 */
export function moveWal(
  { database, reader }: WalConnections,
  { file, pageFile }: WalFiles,
  blanked: WalPart,
  pauseMs = 0,
): WalPart | undefined {
  try {
    const wal = `${file}-wal`
    const mark = setMark({ database, reader }, wal)
    if (mark === undefined || checkpoint(database, 'PASSIVE').moved < mark.frames) return undefined
    if (mark.frames === 0) return blanked
    const from = blanked.salts === mark.salts ? blanked.frames : 0
    const pages = pagesOf(wal, from, mark.frames, pageFile.pageBytes)
    if (saltsOf(wal) !== mark.salts) return undefined
    let changed = 0
    for (let at = 0; at < pages.length; at += BATCH_PAGES) {
      changed += blankUnused(pageFile, pages.slice(at, at + BATCH_PAGES))
      if (pauseMs > 0) pause(pauseMs)
    }
    if (changed > 0) fdatasyncSync(pageFile.descriptor)
    return mark
  } finally {
    if (reader.inTransaction) reader.exec('COMMIT')
  }
}

/** Begins to read at the end of the WAL, and returns the part up to there. */
function setMark({ database, reader }: WalConnections, wal: string): WalPart | undefined {
  const end = (): WalPart => ({ frames: checkpoint(database, 'NOOP').pages, salts: saltsOf(wal) })
  for (let tries = 0; tries < MARK_TRIES_MAX; tries++) {
    const before = end()
    reader.exec('BEGIN')
    reader.get('PRAGMA schema_version')
    const after = end()
    // -1 while another connection runs a checkpoint.
    if (after.frames >= 0 && after.frames === before.frames && after.salts === before.salts) return after
    reader.exec('COMMIT')
  }
  return undefined
}

export interface LongMove extends WalFiles {
  readonly blanked: WalPart
  /** How many times a reader of an older state is waited for. */
  readonly waitsMax?: number
}

/**
 * Moves a long WAL, on connections of its own. Synchronous: it runs in a thread. It holds no mark while it waits, so
 * that of two processes that do this at the same time one always gets on.
 */
export function moveLongWal({ blanked, waitsMax = READER_WAITS_MAX, ...files }: LongMove): WalPart {
  const [database, reader] = [openDatabase(files.file), openDatabase(files.file, { isPlain: true })]
  try {
    for (let waits = 0; ; waits++) {
      const part = moveWal({ database, reader }, files, blanked, PAUSE_MS)
      if (part !== undefined || waits >= waitsMax) return part ?? blanked
      pause(READER_WAIT_MS)
    }
  } finally {
    reader.close()
    database.close()
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4))

function pause(ms: number): void {
  Atomics.wait(sleeper, 0, 0, ms)
}

/*
 * Blanking the unallocated middle of SQLite's pages.
 *
 * A b-tree page has a header, an array of cell pointers, an unallocated region, and the cells, which fill it from its
 * end (sqlite.org/fileformat2.html#b_tree_pages). When a page is split or balanced, cells move to a neighbour and the
 * page is rebuilt from the list of those that stay, with the copies of the others left in the region that is now
 * unallocated. `secure_delete` overwrites cells that are deleted, not those copies. SQLite never reads the region, so
 * zeroes can be written there whenever no connection writes the page, and a crash in the middle does no harm.
 */

/** The first page begins with the header of the file. */
const FILE_HEADER_BYTES = 100
/** Types of b-tree pages (of indexes and of tables) with the length of their headers. */
const HEADER_BYTES: Readonly<Record<number, number>> = { 2: 12, 5: 12, 10: 8, 13: 8 }
/**
 * Pages of other kinds begin with a page number, and so with a 0 as long as there are fewer pages than this: 128 GiB.
 * In a larger file, they could be taken for b-tree pages.
 */
const PAGES_MAX = 2 ** 25

export interface Span {
  readonly start: number
  readonly end: number
}

/** The unallocated region of a page; undefined where there is none, or where this is no sound b-tree page. */
export function unusedSpan(page: Buffer, number: number): Span | undefined {
  const header = number === 1 ? FILE_HEADER_BYTES : 0
  const headerBytes = HEADER_BYTES[page[header] ?? 0]
  if (headerBytes === undefined) return undefined
  const cells = page.readUInt16BE(header + 3)
  const start = header + headerBytes + 2 * cells
  // 65536 does not fit into two bytes and is written as 0.
  const end = page.readUInt16BE(header + 5) || 65_536
  if (start >= end || end > page.length) return undefined
  for (let at = header + headerBytes; at < start; at += 2) {
    const cell = page.readUInt16BE(at)
    if (cell < end || cell >= page.length) return undefined
  }
  return { start, end }
}

export interface PageFile {
  readonly descriptor: number
  readonly pageBytes: number
}

/**
 * Blanks the unused space of these pages. Returns the number of those that changed. No connection may write them
 * meanwhile. The caller syncs the file.
 */
export function blankUnused({ descriptor, pageBytes }: PageFile, pages: Iterable<number>): number {
  const page = Buffer.alloc(pageBytes)
  const zeroes = Buffer.alloc(pageBytes)
  let blanked = 0
  for (const number of pages) {
    const at = (number - 1) * pageBytes
    if (number < 1 || number >= PAGES_MAX || readSync(descriptor, page, 0, pageBytes, at) < pageBytes) continue
    const span = unusedSpan(page, number)
    if (span === undefined || page.compare(zeroes, span.start, span.end, span.start, span.end) === 0) continue
    writeSync(descriptor, zeroes, 0, span.end - span.start, at + span.start)
    blanked++
  }
  return blanked
}
