/**
 * How long the audit trail keeps records: old ones are removed, and those of a deleted account made anonymous, in small
 * steps. What is left of an erasure is kept in `meta` until it is done.
 */
import { isoDate } from '../../base/dates.ts'
import { parseJson, writeJson, type JsonObject } from '../../base/json.ts'
import { audit, type AuditEvent, type AuditRecord } from '../../models/audit.ts'
import { MODELS } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import { user } from '../../models/user.ts'
import type { Database } from '../db/database.ts'
import { eraseActor } from '../history/change-retention.ts'
import { tableOf, valueAt } from '../schema/names.ts'

const TABLE = tableOf(audit)
const [TIME, EVENT, ACTOR, MODEL] = [valueAt('time'), valueAt('event'), valueAt('actor'), valueAt('model')]
const [DOCUMENT_ID, EMAIL_HASH] = [valueAt('documentId'), valueAt('emailHash')]

const REMOVED_PER_STEP = 200
const ERASED_PER_STEP = 200
/** Records of each kind that visitors cause without signing in; past this, the oldest are removed early. */
const VISITOR_RECORDS_MAX = 100_000
const VISITOR_EVENTS: readonly AuditEvent[] = ['sign-in.failed', 'code.requested', 'audit.suppressed']
/** Models whose documents have the id of their user. */
const OWNED: readonly string[] = MODELS.filter((model: Model) => model === user || model.owned === true).map(
  ({ name }) => name,
)
const ERASURE = 'erase audit '

/** Removes some records of before a time (undefined keeps all), and surplus ones of visitors. False when done. */
export function removeOldRecords(
  database: Database,
  before: number | undefined,
  visitorRecordsMax = VISITOR_RECORDS_MAX,
): boolean {
  const aged = before === undefined ? 0 : removeAged(database, before)
  const surplus = VISITOR_EVENTS.map((event) => removeSurplus(database, event, visitorRecordsMax))
  return [aged, ...surplus].some((removed) => removed >= REMOVED_PER_STEP)
}

function removeAged(database: Database, before: number): number {
  return database.run(
    `DELETE FROM ${TABLE} WHERE seq IN
      (SELECT seq FROM ${TABLE} WHERE ${TIME} < ? ORDER BY ${TIME} LIMIT ${REMOVED_PER_STEP})`,
    isoDate(before),
  )
}

function removeSurplus(database: Database, event: AuditEvent, max: number): number {
  return database.run(
    `DELETE FROM ${TABLE} WHERE seq IN
      (SELECT seq FROM ${TABLE} WHERE ${EVENT} = ? ORDER BY ${TIME} DESC LIMIT ${REMOVED_PER_STEP} OFFSET ?)`,
    event,
    max,
  )
}

export interface Erasure {
  readonly userId: string
  /** Replaces the id, the same in all records. It is random: nothing leads from it to the account. */
  readonly pseudonym: string
  /** Of the email of the account, under each key that was ever in use. */
  readonly emailHashes: readonly string[]
}

/** Makes the first records of an account anonymous, in the change log and the trash as well; continueErasures() does the rest. Returns whether all are done. */
export function eraseUser(database: Database, erasure: Erasure): boolean {
  const isDone = eraseSome(database, erasure)
  if (!isDone) {
    const value = writeJson({ ...erasure })
    database.run('INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO NOTHING', ERASURE + erasure.userId, value)
  }
  return isDone
}

/** Continues an unfinished erasure. Returns whether there may be more to do. */
export function continueErasures(database: Database): boolean {
  const row = database.get(
    'SELECT name, value FROM meta WHERE name >= ? AND name < ? LIMIT 1',
    ERASURE,
    `${ERASURE}\u{10ffff}`,
  )
  if (row === undefined) return false
  const erasure = parseJson(String(row['value'])) as unknown as Erasure
  if (eraseSome(database, erasure)) database.run('DELETE FROM meta WHERE name = ?', String(row['name']))
  return true
}

function eraseSome(database: Database, erasure: Erasure): boolean {
  const { userId, emailHashes } = erasure
  const conditions: readonly (readonly [sql: string, values: readonly string[]])[] = [
    [`${ACTOR} = ?`, [userId]],
    [`${DOCUMENT_ID} = ? AND ${MODEL} IN (${OWNED.map(() => '?').join(', ')})`, [userId, ...OWNED]],
    ...emailHashes.map((hash): [string, string[]] => [`${EMAIL_HASH} = ?`, [hash]]),
  ]
  let left = ERASED_PER_STEP
  for (const [sql, values] of conditions) {
    // A record that is done no longer meets the condition, so each step finds others.
    const rows = database.all(`SELECT seq, doc FROM ${TABLE} WHERE ${sql} LIMIT ${left}`, ...values)
    for (const { seq, doc } of rows) {
      const text = writeJson(anonymous(parseJson(String(doc)) as unknown as AuditRecord, erasure) as unknown as JsonObject)
      database.run(`UPDATE ${TABLE} SET doc = ? WHERE seq = ?`, text, Number(seq))
    }
    left -= rows.length
    if (left <= 0) return false
  }
  return eraseActor(database, userId, left) < left
}

/** The record without ids, addresses and sessions of the account, and without versions of the documents it owned. */
function anonymous(
  record: AuditRecord,
  { userId, pseudonym, emailHashes }: Erasure,
): AuditRecord {
  const isActor = record.actor === userId
  const isTarget = record.documentId === userId && OWNED.includes(record.model)
  const isAddress = emailHashes.includes(record.emailHash)
  return {
    ...record,
    // The client of an invitation is that of the inviting user.
    ...(isAddress ? { emailHash: '', clientAddress: record.actor === '' ? '' : record.clientAddress } : {}),
    ...(isActor ? { actor: pseudonym, clientAddress: '', sessionId: '', requestId: '', emailHash: '' } : {}),
    ...(isTarget ? { documentId: pseudonym, before: '', after: '', emailHash: '' } : {}),
    details: isActor || isTarget ? record.details.filter(({ name }) => name !== 'session') : record.details,
  }
}
