/**
 * The outbox: mail that was promised and has not left yet.
 *
 * A message is taken with a lease, so that one whose sender died is tried again. Its content is sealed by the caller
 * and erased when the message is done; the record stays for a while, so that an operator can see what happened.
 */
import type { Database } from './database.ts'
import type { CodeIssue, DeliveryResult, OutboxMessage } from './store.ts'

const RECORDS_KEPT_MS = 7 * 24 * 3_600_000
const PURGE_ROWS_MAX = 50

/** Puts a message in, if there is one; what waits for the same address is superseded: its code is void. */
export function putMessage(database: Database, { email, message, now, expiresAt }: CodeIssue): void {
  purge(database, now)
  database.run(
    "UPDATE outbox SET state = 'superseded', sealed = NULL, done_at = ? WHERE address = ? AND state = 'waiting'",
    now,
    email,
  )
  if (message === undefined) return
  database.run(
    `INSERT INTO outbox (id, address, sealed, state, due_at, expires_at, created_at) VALUES (?, ?, ?, 'waiting', ?, ?, ?)`,
    message.id,
    email,
    message.sealed,
    now,
    expiresAt,
    now,
  )
}

export function takeDueMessage(database: Database, now: number, leaseMs: number): OutboxMessage | undefined {
  database.run(
    "UPDATE outbox SET state = 'expired', sealed = NULL, done_at = ? WHERE state = 'waiting' AND expires_at <= ?",
    now,
    now,
  )
  const row = database.get(
    `UPDATE outbox SET due_at = ?, attempts = attempts + 1
      WHERE id = (SELECT id FROM outbox WHERE state = 'waiting' AND due_at <= ? ORDER BY due_at, id LIMIT 1)
      RETURNING id, sealed, attempts, expires_at`,
    now + leaseMs,
    now,
  )
  if (row === undefined) return undefined
  return {
    id: String(row['id']),
    sealed: row['sealed'] as Uint8Array,
    attempts: Number(row['attempts']),
    expiresAt: Number(row['expires_at']),
  }
}

/**
 * Makes what waits due now. For the start of the owner of the data directory: nobody else can be sending, so leases and
 * pauses are those of a process that is gone.
 */
export function releaseMessages(database: Database, now: number): void {
  database.run("UPDATE outbox SET due_at = ? WHERE state = 'waiting' AND due_at > ?", now, now)
}

export function finishMessage(database: Database, id: string, result: DeliveryResult, now: number): void {
  if (result.kind === 'later') {
    database.run(
      "UPDATE outbox SET due_at = ?, reply = ? WHERE id = ? AND state = 'waiting'",
      result.dueAt,
      result.reply,
      id,
    )
    return
  }
  database.run(
    "UPDATE outbox SET state = ?, sealed = NULL, done_at = ?, reply = ? WHERE id = ? AND state = 'waiting'",
    result.kind,
    now,
    result.reply,
    id,
  )
}

export function nextDue(database: Database): number | undefined {
  const row = database.get("SELECT min(due_at) AS due FROM outbox WHERE state = 'waiting'")
  return row?.['due'] === null || row === undefined ? undefined : Number(row['due'])
}

/** Old records go a few at a time, on the way of new ones. */
function purge(database: Database, now: number): void {
  database.run(
    `DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE state <> 'waiting' AND done_at < ? LIMIT ${PURGE_ROWS_MAX})`,
    now - RECORDS_KEPT_MS,
  )
}
