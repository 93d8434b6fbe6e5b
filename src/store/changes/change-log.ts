/**
 * Reads the change log. `seq` is one more than the largest in the table, and the newest row is never removed: so it grows
 * with each change, on every node of a cluster alike. A restored backup has lower ones, which then come again for other
 * changes: `history` tells the one from the other.
 */
import type { Model } from '../../models/schema.ts'
import type { Status } from '../../models/status.ts'
import type { Database, Row } from '../sqlite/database.ts'
import type { ChangePage, ChangeRange, ChangeRecord } from '../store.ts'
import { hasChangeLog } from './change-schema.ts'

/** Rows of the log that one page looks at: a few milliseconds. */
const ROWS_PER_PAGE_MAX = 2_000
const NO_LOG: ChangeRange = { history: '', newest: 0, wholeBehind: 0 }

export function changeRange(database: Database): ChangeRange {
  if (!hasChangeLog(database)) return NO_LOG
  const row = database.get('SELECT id, whole_behind, (SELECT max(seq) FROM change) AS newest FROM change_log')
  return {
    history: String(row?.['id'] ?? ''),
    newest: Number(row?.['newest'] ?? 0),
    wholeBehind: Number(row?.['whole_behind'] ?? 0),
  }
}

/** One page of the last changes of documents behind a seq; see DocumentStore. */
export function changesBehind(database: Database, after: number, models: readonly Model[], limit: number): ChangePage {
  if (!hasChangeLog(database)) return { records: [], upTo: after }
  const { newest } = changeRange(database)
  const upTo = Math.max(after, Math.min(newest, lastLookedAt(database, after) ?? newest))
  const namesOf = (some: readonly Model[]): string => JSON.stringify(some.map(({ name }) => name))
  const withStatus = models.filter(({ fields }) => 'status' in fields)
  const rows = database.all(LAST_CHANGES, namesOf(withStatus), after, upTo, namesOf(models), limit)
  const records = rows.map(recordOf)
  const last = records.at(-1)
  return { records, upTo: last !== undefined && records.length === limit ? last.seq : upTo }
}

/** The seq of the last row that a page looks at; undefined where the log ends before. */
function lastLookedAt(database: Database, after: number): number | undefined {
  const sql = `SELECT seq FROM change WHERE seq > ? ORDER BY seq LIMIT 1 OFFSET ${ROWS_PER_PAGE_MAX - 1}`
  const row = database.get(sql, after)
  return row === undefined ? undefined : Number(row['seq'])
}

/**
 * A change is left out where the document has a later one, which comes on this page or another. The index
 * `change_document` answers both questions about other changes of the document. A document without a status is not asked
 * about: its earlier changes would all be read, and each user can make many of the own settings.
 */
const LAST_CHANGES = `
  SELECT seq, model, id, kind, at, actor, before, after, status_before,
    model IN (SELECT value FROM json_each(?)) AND EXISTS (
      SELECT 1 FROM change AS earlier
        WHERE earlier.id = one.id AND earlier.model = one.model AND earlier.seq <= one.seq AND earlier.status_before = 'active'
    ) AS was_active,
    NOT EXISTS (
      SELECT 1 FROM change AS earlier WHERE earlier.id = one.id AND earlier.model = one.model AND earlier.seq < one.seq
    ) AS is_first
  FROM change AS one
  WHERE seq > ? AND seq <= ? AND model IN (SELECT value FROM json_each(?)) AND NOT EXISTS (
      SELECT 1 FROM change AS later WHERE later.id = one.id AND later.model = one.model AND later.seq > one.seq
    )
  ORDER BY seq LIMIT ?`

const KINDS = ['created', 'updated', 'deleted', 'restored'] as const

/** A row of the log, which was selected with `was_active`. */
export function recordOf(row: Row): ChangeRecord {
  const text = (name: string): string | undefined => (row[name] === null ? undefined : String(row[name]))
  return {
    seq: Number(row['seq']),
    model: String(row['model']),
    id: String(row['id']),
    kind: KINDS.find((kind) => kind === row['kind']) ?? 'updated',
    at: Number(row['at']),
    actor: text('actor'),
    before: text('before'),
    after: text('after'),
    statusBefore: text('status_before') as Status | undefined,
    wasActive: Number(row['was_active']) === 1,
    isFirst: Number(row['is_first']) === 1 && row['kind'] === 'created',
    isFollowing: row['kind'] === 'followed',
  }
}
