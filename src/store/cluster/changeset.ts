/**
 * Reads the changesets of SQLite's session extension (sqlite.org/sessionintro.html; the format is described at the head
 * of SQLite's sqlite3session.c).
 *
 * A changeset is a sequence of tables: `T`, the number of columns, for each column its place in the primary key or 0, and
 * the name up to a NUL byte; then the changed rows of that table: the kind (INSERT 18, UPDATE 23, DELETE 9), a byte that
 * tells changes by triggers and cascades from direct ones, and the old and the new values. An UPDATE has no value for
 * a column that stays the same, except for old values of the primary key.
 *
 * What is malformed throws a ChangesetError, whatever the bytes.
 */


export type CellValue = string | number | bigint | Uint8Array | null | undefined

export interface ChangedTable {
  readonly name: string
  /** For each column its place in the primary key, counted from 1; 0 for other columns. */
  readonly keys: readonly number[]
}

export interface RowChange {
  readonly table: ChangedTable
  readonly kind: 'insert' | 'update' | 'delete'
  /** Values by column before and after; undefined for one that the change does not have. */
  readonly before: readonly CellValue[]
  readonly after: readonly CellValue[]
}

/** Bytes that are no changeset. */
export class ChangesetError extends Error {
  override readonly name = 'ChangesetError'
}

const TABLE_MARK = 0x54
const KINDS: ReadonlyMap<number, RowChange['kind']> = new Map([
  [18, 'insert'],
  [23, 'update'],
  [9, 'delete'],
])
/** SQLite's own default (sqlite.org/limits.html#max_column). */
const COLUMNS_MAX = 2_000

/** The changed rows, in their order. Values are only read of tables for which `isRead` holds; others have none. */
export function* changesIn(bytes: Uint8Array, isRead: (table: string) => boolean): Generator<RowChange> {
  const reader = cellReader(bytes)
  let table: ChangedTable | undefined
  let reads = false
  while (reader.hasMore()) {
    const mark = reader.byte()
    if (mark === TABLE_MARK) {
      table = readTable(reader)
      reads = isRead(table.name)
      continue
    }
    const kind = KINDS.get(mark)
    if (kind === undefined || table === undefined) throw malformed(`the kind ${mark}`, reader.position() - 1)
    reader.byte()
    const columns = table.keys.length
    const before = kind === 'insert' ? [] : readRow(reader, columns, reads)
    const after = kind === 'delete' ? [] : readRow(reader, columns, reads)
    yield { table, kind, before, after }
  }
}

function readTable(reader: CellReader): ChangedTable {
  const columns = reader.varint()
  if (columns < 1 || columns > COLUMNS_MAX) throw malformed(`${columns} columns`, reader.position())
  const keys = Array.from({ length: columns }, () => reader.byte())
  return { keys, name: reader.name() }
}

function readRow(reader: CellReader, columns: number, reads: boolean): readonly CellValue[] {
  if (reads) return Array.from({ length: columns }, () => reader.value())
  for (let column = 0; column < columns; column++) reader.skip()
  return []
}

type CellReader = ReturnType<typeof cellReader>

function cellReader(source: Uint8Array) {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength)
  let at = 0
  const byte = (): number => {
    const value = bytes[at]
    if (value === undefined) throw malformed('the end', at)
    at++
    return value
  }
  /** SQLite's own encoding (sqlite.org/fileformat2.html#varint): seven bits a byte, the highest first. */
  const varint = (): number => {
    let value = 0
    for (let left = 8; left > 0; left--) {
      const next = byte()
      value = value * 128 + (next & 127)
      if (next < 128) return value
    }
    return value * 256 + byte()
  }
  /** Goes over a number of bytes and returns where they begin. */
  const pass = (length: number): number => {
    const from = at
    if (length > bytes.length - at) throw malformed(`${length} bytes of a value`, at)
    at += length
    return from
  }
  const value = (): CellValue => {
    const type = byte()
    switch (type) {
      case 0:
        return undefined
      case 1: {
        const integer = bytes.readBigInt64BE(pass(8))
        return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer
      }
      case 2:
        return bytes.readDoubleBE(pass(8))
      case 3: {
        const length = varint()
        const from = pass(length)
        return bytes.toString('utf8', from, from + length)
      }
      case 4: {
        const length = varint()
        const from = pass(length)
        return bytes.subarray(from, from + length)
      }
      case 5:
        return null
      default:
        throw malformed(`a value of type ${type}`, at - 1)
    }
  }
  const skip = (): void => {
    const type = byte()
    if (type === 1 || type === 2) pass(8)
    else if (type === 3 || type === 4) pass(varint())
    else if (type !== 0 && type !== 5) throw malformed(`a value of type ${type}`, at - 1)
  }
  const name = (): string => {
    const end = bytes.indexOf(0, at)
    if (end < 0) throw malformed('a name without an end', at)
    const from = at
    at = end + 1
    return bytes.toString('utf8', from, end)
  }
  return { byte, varint, value, skip, name, position: () => at, hasMore: () => at < bytes.length }
}

function malformed(found: string, at: number): ChangesetError {
  return new ChangesetError(`Cannot read a changeset at byte ${at}: found ${found}`)
}
