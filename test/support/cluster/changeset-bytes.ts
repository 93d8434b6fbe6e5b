/** Changesets of random changes as SQLite records them, what they say, and damaged ones. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { changesIn, ChangesetError, type CellValue } from '../../../src/store/cluster/changeset.ts'
import type { Random } from '../../../scripts/tools/random.ts'

const KEYS = ['', 'a', 'Å', '\u{1F600}', 'x'.repeat(200)] as const
const VALUES: readonly SQLInputValue[] = [
  null,
  0,
  -1,
  127,
  2 ** 40,
  1.5,
  -0.25,
  2n ** 62n,
  '',
  'text',
  'nul\0nul',
  '日本語',
  'y'.repeat(20_000),
  new Uint8Array(),
  Uint8Array.of(0, 255, 1),
  new Uint8Array(300).fill(7),
]

type Row = readonly CellValue[]

/** A changeset of two tables, and the rows of both before and after. */
export function randomChangeset(random: Random) {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE one (seq INTEGER PRIMARY KEY, a, b); CREATE TABLE two (k TEXT, a, l BLOB, PRIMARY KEY (l, k)) WITHOUT ROWID')
  const change = (): void => {
    const [key, blob] = [random.pick(KEYS), Buffer.from(random.pick(KEYS))]
    const [a, b] = [random.pick(VALUES), random.pick(VALUES)]
    const seq = random.below(6)
    const statements: readonly (readonly [string, ...SQLInputValue[]])[] = [
      ['INSERT OR REPLACE INTO one VALUES (?, ?, ?)', seq, a, b],
      ['UPDATE one SET a = ? WHERE seq = ?', a, seq],
      ['DELETE FROM one WHERE seq = ?', seq],
      ['INSERT OR REPLACE INTO two VALUES (?, ?, ?)', key, a, blob],
      ['UPDATE two SET a = ? WHERE k = ?', b, key],
      ['DELETE FROM two WHERE k = ?', key],
    ]
    const [sql, ...values] = random.pick(statements)
    database.prepare(sql).run(...values)
  }
  const rows = (): Record<string, Row[]> => ({ one: rowsOf(database, 'one'), two: rowsOf(database, 'two') })
  random.list(12, change)
  const before = rows()
  const sessions = ['one', 'two'].map((table) => database.createSession({ table }))
  random.list(12, change)
  const bytes = Buffer.concat(sessions.map((session) => session.changeset()))
  const after = rows()
  database.close()
  return { bytes, before, after }
}

function rowsOf(database: DatabaseSync, table: string): Row[] {
  const statement = database.prepare(`SELECT * FROM ${table}`)
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  return (statement.all() as unknown as Row[]).map((row) =>
    row.map((value) => (typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value)),
  )
}

/** The rows of a table after the changes of a changeset, found by their keys. Throws what the changeset's reader throws. */
export function changedRows(bytes: Uint8Array, table: string, rows: readonly Row[]): readonly Row[] {
  const kept = [...rows]
  for (const { table: changed, kind, before, after } of changesIn(bytes, (name) => name === table)) {
    if (changed.name !== table) continue
    const isKey = (column: number): boolean => changed.keys[column] !== 0
    const [known] = kind === 'insert' ? [after] : [before]
    const at = kept.findIndex((row) => row.every((value, i) => !isKey(i) || textOf([value]) === textOf([known[i]])))
    if (kind === 'insert') kept.push(after)
    else if (kind === 'delete') kept.splice(at, 1)
    else kept[at] = (kept[at] ?? []).map((value, i) => after[i] ?? (textOf([before[i]]) === textOf([value]) && !isKey(i) ? after[i] : value))
  }
  return kept
}

/** One text for equal rows. */
export function textOf(row: Row): string {
  return row
    .map((value) => (value instanceof Uint8Array ? `x${Buffer.from(value).toString('hex')}` : `${typeof value} ${String(value)}`))
    .join('\n')
}

/** The bytes with some of them changed, removed or repeated. */
export function damaged(random: Random, bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes)
  if (copy.length === 0 || random.oneIn(8)) return Buffer.from(random.list(40, () => random.below(256)))
  if (random.oneIn(3)) return copy.subarray(0, random.below(copy.length))
  const at = random.below(copy.length)
  if (random.oneIn(3)) return Buffer.concat([copy.subarray(0, at), copy.subarray(random.below(copy.length))])
  random.list(4, () => (copy[random.below(copy.length)] = random.below(256)))
  return copy
}

/** Reads all values of any bytes. Throws where that ends in anything but changes or a ChangesetError. */
export function outcomeOfBytes(bytes: Uint8Array): 'read' | 'malformed' {
  try {
    for (const _ of changesIn(bytes, () => true));
    return 'read'
  } catch (error) {
    if (error instanceof ChangesetError) return 'malformed'
    throw error
  }
}
