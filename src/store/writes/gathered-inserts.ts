/**
 * New documents of a bulk load, many to a statement.
 *
 * A statement that could fail half-way keeps what each page was before it, to be able to undo itself, and an INSERT with
 * triggers can. Row by row, the pages of the indexes are copied again and again; many rows share one copy of each.
 */
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { tableOf } from '../schema/names.ts'

/** Of one statement. Each row changes some twenty pages of 4 KB, of which copies are held: 40 MiB at most. */
export const GATHERED_ROWS_MAX = 512
const GATHERED_CHARS_MAX = 8 * 1024 * 1024

export interface NewRow {
  readonly id: string
  readonly doc: string
}

/** `onInserted` gets each row with its seq. What is gathered has to be written with `flush` before the transaction ends. */
export function gatherInserts<Row extends NewRow>(
  database: Database,
  rowsMax: number,
  onInserted: (place: Model, row: Row, seq: number) => void,
) {
  let place: Model | undefined
  let rows = new Map<string, Row>()
  let chars = 0

  const flush = (): void => {
    const [to, some] = [place, [...rows.values()]]
    discard()
    if (to === undefined) return
    for (let at = 0; at < some.length; ) {
      // Powers of two: so only some statements are prepared.
      const part = some.slice(at, at + 2 ** Math.floor(Math.log2(some.length - at)))
      // Each row gets the seq behind that of the one before (sqlite.org/autoinc.html).
      const last = Number(database.insert(insertOf(to, part.length), ...part.flatMap(({ id, doc }) => [id, doc])))
      for (const [i, row] of part.entries()) onInserted(to, row, last - part.length + 1 + i)
      at += part.length
    }
  }
  const discard = (): void => {
    rows = new Map()
    chars = 0
  }
  return {
    /** For a row whose id is neither stored nor gathered. */
    add(to: Model, row: Row): void {
      if (to !== place) flush()
      place = to
      rows.set(row.id, row)
      chars += row.doc.length
      if (rows.size >= rowsMax || chars >= GATHERED_CHARS_MAX) flush()
    },
    has: (model: Model, id: string): boolean => model === place && rows.has(id),
    size: (): number => rows.size,
    flush,
    /** Forgets the rows of a transaction that was rolled back. */
    discard,
  }
}

function insertOf(model: Model, rows: number): string {
  return `INSERT INTO ${tableOf(model)} (id, doc) VALUES ${Array(rows).fill('(?, ?)').join(', ')}`
}
