/**
 * Blanking the unallocated middle of SQLite's pages.
 *
 * A b-tree page has a header, an array of cell pointers, an unallocated region, and the cells, which fill it from its
 * end (sqlite.org/fileformat2.html#b_tree_pages). When a page is split or balanced, cells move to a neighbour and the
 * page is rebuilt from the list of those that stay, with the copies of the others left in the region that is now
 * unallocated. `secure_delete` overwrites cells that are deleted, not those copies. SQLite never reads the region, so
 * zeroes can be written there whenever no connection writes the page, and a crash in the middle does no harm.
 */
import { readSync, writeSync } from 'node:fs'

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
