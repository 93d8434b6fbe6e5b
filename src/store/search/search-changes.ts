/**
 * Changes of the search indexes, written together at the end of a transaction: few of them as pending rows
 * (pending-rows.ts), and as soon as there are many, or one is long or a deletion, these and all that are pending to the
 * indexes.
 *
 * At each savepoint FTS5 writes out what it has gathered, as a segment of its own that has to be merged later
 * (sqlite.org/vtab.html#xsavepoint). Each job of a group commit has a savepoint, and SQLite opens another for each
 * statement that could fail half-way, as an INSERT with triggers can. Row by row, the segments and their merges take
 * longer than all other work of the transaction, and the more the larger the index is.
 *
 * So nothing may search within a transaction for what it has changed.
 */
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { hasWordIndex } from '../schema/search-tables.ts'
import { countPending, laterRow, putPending, takePending, type SearchRow } from './pending-rows.ts'
import { replaceTrigramRows } from './trigram-index.ts'
import { createWordIndex } from './word-index.ts'

/** Rows of a model that wait for the indexes: each search looks at all of them. */
const PENDING_MAX = 128
/** A longer row does not wait, or a client could make each search look through megabytes. */
const PENDING_CHARS_MAX = 4_096

interface SearchChange {
  readonly model: Model
  readonly seq: number
  /** What the indexes keep of the document from now on; undefined for a document that is gone. */
  readonly row: SearchRow | undefined
}

type LatestRows = Map<number, SearchRow | undefined>

export type SearchChanges = ReturnType<typeof createSearchChanges>

export function createSearchChanges(database: Database) {
  const indexes = createIndexes(database)
  let changes: SearchChange[] = []
  const due = new Set<Model>()

  const merge = (model: Model, latest: LatestRows): void => {
    const rows: LatestRows = takePending(database, model)
    for (const [seq, row] of latest) rows.set(seq, laterRow(rows.get(seq), row))
    indexes.write(model, rows)
  }
  return {
    add: (change: SearchChange): void => void changes.push(change),
    /** How many changes there are, to go back to when those after them are rolled back. */
    mark: (): number => changes.length,
    rollBackTo(mark: number): void {
      changes.length = mark
    },
    /** Writes the changes; to be called at the end of their transaction. */
    flush(): void {
      const flushed = Map.groupBy(changes, ({ model }) => model)
      changes = []
      for (const model of due) if (!flushed.has(model)) flushed.set(model, [])
      for (const [model, some] of flushed) {
        const latest: LatestRows = new Map()
        for (const { seq, row } of some) latest.set(seq, laterRow(latest.get(seq), row))
        const kept = [...latest].flatMap(([seq, row]) => (row === undefined ? [] : [{ seq, row }]))
        const mayWait = !due.has(model) && kept.length === latest.size && kept.every(({ row }) => charsOf(row) <= PENDING_CHARS_MAX)
        if (mayWait && countPending(database, model) + kept.length <= PENDING_MAX) for (const { seq, row } of kept) putPending(database, model, seq, row)
        else merge(model, latest)
      }
      due.clear()
    },
    /** Has the indexes take over all rows of a model that wait, at the end of this transaction. */
    takeOver: (model: Model): void => void due.add(model),
    /** Takes words that no document has any more out of the index. */
    forgetWords: indexes.forgetWords,
    /** Forgets the changes of a transaction that was rolled back. */
    discard(): void {
      changes = []
      due.clear()
    },
  }
}

/** Both indexes of a model. */
function createIndexes(database: Database) {
  const words = createWordIndex(database)
  return {
    write(model: Model, rows: LatestRows): void {
      // FTS5 gathers rows in ascending order only.
      const sorted = [...rows].sort(([a], [b]) => a - b).map(([seq, row]) => ({ seq, row }))
      replaceTrigramRows(database, model, sorted.map(({ seq, row }) => ({ seq, row: row?.trigrams })))
      if (hasWordIndex(model)) words.write(model, sorted)
    },
    forgetWords: words.forget,
  }
}

function charsOf({ trigrams, words }: SearchRow): number {
  return (trigrams[0]?.length ?? 0) + (words?.length ?? 0)
}
