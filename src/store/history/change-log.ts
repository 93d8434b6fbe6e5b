/**
 * Reads the change log. `seq` is one more than the largest in the table, and the newest row is never removed: so it grows
 * with each change, on every node of a cluster alike. A restored backup has lower ones, which then come again for other
 * changes: `history` tells the one from the other.
 */
import { randomBytes } from 'node:crypto'
import type { Model } from '../../models/schema.ts'
import type { Status } from '../../models/workflow.ts'
import type { Database, Row } from '../db/database.ts'

/** A change of a document, as it was committed. */
export interface ChangeRecord {
  /** Grows with each change of any model; it need not be dense. */
  readonly seq: number
  /** The name of the model. */
  readonly model: string
  readonly id: string
  readonly kind: 'created' | 'updated' | 'deleted' | 'restored'
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The id of a user, or `operator`, `service` or `stranger` as in the audit trail; undefined where it was erased. */
  readonly actor: string | undefined
  /** The versions before and after: their entity tags without quotes. */
  readonly before: string | undefined
  readonly after: string | undefined
  /** The status before, where the model has one. */
  readonly statusBefore: Status | undefined
  /** Whether the document was active at any time before this change, as far back as the log goes. */
  readonly wasActive: boolean
  /** Whether it made a document of which the log has no earlier change. */
  readonly isFirst: boolean
  /** Whether it is of the kind 'updated' and brought only copies of other documents up to date. */
  readonly isFollowing: boolean
}

/** The extent of the change log. */
export interface ChangeRange {
  /** Identifies the log: that of a restored backup is another one, in which a seq means another change. */
  readonly history: string
  /** The newest seq; 0 where there is none. */
  readonly newest: number
  /** The seq behind which the log is whole: a reader that stands before it must start over. */
  readonly wholeBehind: number
}

/** Which changes a reader is told of: those of all documents of some models, and those of the own documents of others. */
export interface ChangeSight {
  readonly models: readonly Model[]
  /** `id` is that of the user, and of all that the user owns. */
  readonly own?: { readonly models: readonly Model[]; readonly id: string } | undefined
}

export interface ChangePage {
  readonly records: readonly ChangeRecord[]
  /** The seq up to which the page tells all changes: the next one begins behind it. */
  readonly upTo: number
  /** Rows of the log that were looked at. */
  readonly looked: number
}

/** Rows of the log that one page looks at: a few milliseconds. */
const ROWS_PER_PAGE_MAX = 2_000

/** The extent of the change log, in the same snapshot as get(). */
export function changeRange(database: Database): ChangeRange {
  const row = database.get('SELECT id, whole_behind, (SELECT max(seq) FROM change) AS newest FROM change_log')
  return {
    history: String(row?.['id'] ?? ''),
    newest: Number(row?.['newest'] ?? 0),
    wholeBehind: Number(row?.['whole_behind'] ?? 0),
  }
}

/**
 * The last change of each document behind a seq, oldest first, at most `limit`. A page looks at a bounded part of what the
 * log has for its reader: it may have no record and still not be the last one, which has `upTo` at the newest seq. A
 * document that changes while its reader turns pages comes again.
 */
export function changesBehind(database: Database, after: number, sight: ChangeSight, limit: number): ChangePage {
  const parts = partsOf(sight)
  const { newest } = changeRange(database)
  const { looked, last } = lookedAt(database, parts, after)
  const upTo = Math.max(after, looked === ROWS_PER_PAGE_MAX ? last : newest)
  const records = looked === 0 ? [] : lastChanges(database, parts, { after, upTo, limit })
  const full = records.length === limit ? records.at(-1) : undefined
  return { records, upTo: full?.seq ?? upTo, looked }
}

/** Rows of the log: those of a model, or those of one document. Each part is in the order of an index. */
interface Part {
  readonly model: Model
  readonly where: string
  readonly values: readonly string[]
}

/** A reader goes past the changes of other models, and of documents of other users, without a look at them. */
function partsOf({ models, own }: ChangeSight): readonly Part[] {
  const ownParts = own === undefined ? [] : own.models.map((model) => ({ model, where: 'id = ? AND model = ?', values: [own.id, model.name] }))
  return [...models.map((model) => ({ model, where: 'model = ?', values: [model.name] })), ...ownParts]
}

/** How many rows a page looks at, and the seq of the last. SQLite merges the parts, and ends at the limit. */
function lookedAt(database: Database, parts: readonly Part[], after: number): { readonly looked: number; readonly last: number } {
  if (parts.length === 0) return { looked: 0, last: after }
  const rows = parts.map(({ where }) => `SELECT seq FROM change AS one WHERE ${where} AND seq > ?`).join(' UNION ALL ')
  const sql = `SELECT count(*) AS looked, max(seq) AS last FROM (${rows} ORDER BY seq LIMIT ${ROWS_PER_PAGE_MAX})`
  const found = database.get(sql, ...parts.flatMap(({ values }) => [...values, after]))
  return { looked: Number(found?.['looked']), last: Number(found?.['last']) }
}

interface LookedRange {
  readonly after: number
  readonly upTo: number
  readonly limit: number
}

function lastChanges(database: Database, parts: readonly Part[], { after, upTo, limit }: LookedRange): readonly ChangeRecord[] {
  const sql = `${parts.map(lastChangesOf).join(' UNION ALL ')} ORDER BY seq LIMIT ?`
  return database.all(sql, ...parts.flatMap(({ values }) => [...values, after, upTo]), limit).map(recordOf)
}

/**
 * A change is left out where the document has a later one, which comes on this page or another. The index
 * `change_document` answers the questions about other changes of the document. One without a status is not asked about it.
 */
function lastChangesOf({ model, where }: Part): string {
  const wasActive = 'status' in model.fields ? WAS_ACTIVE : '0'
  return `
  SELECT seq, model, id, kind, at, actor, before, after, status_before, ${wasActive} AS was_active,
    NOT EXISTS (
      SELECT 1 FROM change AS earlier WHERE earlier.id = one.id AND earlier.model = one.model AND earlier.seq < one.seq
    ) AS is_first
  FROM change AS one
  WHERE ${where} AND seq > ? AND seq <= ? AND NOT EXISTS (
      SELECT 1 FROM change AS later WHERE later.id = one.id AND later.model = one.model AND later.seq > one.seq
    )`
}

const WAS_ACTIVE = `EXISTS (
      SELECT 1 FROM change AS earlier
        WHERE earlier.id = one.id AND earlier.model = one.model AND earlier.seq <= one.seq AND earlier.status_before = 'active'
    )`

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

// The identity of a change log: a seq means the same change only in the log of the same identity.

const ID_BYTES = 12

/** Gives the log an identity where it has none. On a node of a cluster it is that of the cluster's log. */
export function nameHistory(database: Database): void {
  if (database.get("SELECT 1 FROM change_log WHERE id = ''") !== undefined) renameHistory(database)
}

/** Gives the log a new identity: cursors into the one that it had say nothing about it. */
export function renameHistory(database: Database, id = randomBytes(ID_BYTES).toString('hex')): void {
  database.run('UPDATE change_log SET id = ?', id)
}
