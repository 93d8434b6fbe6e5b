/**
 * The outbox: mail that was accepted and is not delivered yet.
 *
 * A message is taken with a lease, which does not change its own times: where its sender died, it is due again when the
 * lease expires, or immediately when the next owner of the data directory starts. Its content is sealed by the caller and
 * erased when the message is done; the record is kept for a while for the operator.
 *
 * A message ends once. Every statement that changes one requires the state `waiting`, so an attempt that was running when
 * a newer code came cannot bring the message back.
 */
import { DAY_MS } from '../../base/duration.ts'
import { MESSAGE_STATES, type MessageKind, type MessageState } from '../../models/message-state.ts'
import type { Database, Row } from '../db/database.ts'

export interface OutboxMessage {
  readonly id: string
  readonly sealed: Uint8Array
  /** Including this one. */
  readonly attempts: number
  readonly expiresAt: number
}

/** What the courier requests at each turn. Times in milliseconds since the epoch. */
export interface OutboxTurn {
  readonly now: number
  /** The lease of a message that is taken. */
  readonly leaseMs: number
  /** How many messages at most. */
  readonly take: number
  /** Takes only messages that an operator requested. */
  readonly onlyRequested: boolean
  /** The longest pause before an attempt. A longer one was set before the clock was set back: the message is due. */
  readonly pauseMsMax: number
  /** The messages with a running attempt. */
  readonly inHand: readonly string[]
}

export interface OutboxWork {
  /** Due messages, longest due first. */
  readonly messages: readonly OutboxMessage[]
  /** Running ones to be aborted: a newer code came, or the account is gone. */
  readonly unwanted: readonly string[]
  /** Messages that were just ended because their code had expired. */
  readonly expired: readonly { readonly id: string; readonly attempts: number; readonly reply: string | undefined }[]
  /** When the next waiting message is due that is not taken; it may be past. Undefined where none waits. */
  readonly nextDue: number | undefined
}

export type DeliveryResult =
  | { readonly kind: 'delivered' | 'failed' | 'expired'; readonly reply: string }
  | { readonly kind: 'later'; readonly reply: string; readonly dueAt: number }

/** The record of a message for the operator; times in milliseconds since the epoch. */
export interface MessageRecord {
  readonly id: string
  readonly kind: MessageKind
  readonly address: string
  readonly state: MessageState
  readonly attempts: number
  /** The mail server's last reply, or why there was none. */
  readonly reply: string | undefined
  readonly createdAt: number
  readonly triedAt: number | undefined
  /** The next attempt, of a waiting message. */
  readonly dueAt: number | undefined
  /** When its code expires. */
  readonly expiresAt: number
  readonly doneAt: number | undefined
}

export interface OutboxSummary {
  readonly counts: Readonly<Record<MessageState, number>>
  /** When the oldest open message was added. */
  readonly oldestWaitingAt: number | undefined
}

/** With more than this, the mail server has been away for long or a client requests codes by the thousand. */
export const WAITING_MESSAGES_MAX = 10_000
const RECORDS_KEPT_MS = 7 * DAY_MS
const PURGE_ROWS_MAX = 50
/** Messages that one turn may end; the next turn goes on. */
const EXPIRED_ROWS_MAX = 100
/** The due time of a message that an operator requested: before all others, and different from them. */
const REQUESTED_DUE_AT = 0

/** Whether there is no room for a message to this email. One that supersedes another needs none. */
export function isFull(database: Database, superseded: Superseded): boolean {
  const nth = database.get("SELECT 1 FROM outbox WHERE state = 'waiting' LIMIT 1 OFFSET ?", WAITING_MESSAGES_MAX - 1)
  if (nth === undefined) return false
  return database.get(`SELECT 1 FROM outbox WHERE ${WHICH}`, ...whichOf(superseded)) === undefined
}

/** The waiting messages that another one ends. */
interface Superseded {
  readonly kind: MessageKind
  readonly email: string
  /** Those that expire at these times, as the codes in them do. Without it, all of the kind. */
  readonly supersedes?: readonly number[] | undefined
}

/** `state = 'waiting' AND address = ? AND kind = ? AND (? IS NULL OR expires_at IN (SELECT value FROM json_each(?)))` */
const WHICH = `state = 'waiting' AND address = ?1 AND kind = ?2
    AND (?3 IS NULL OR expires_at IN (SELECT value FROM json_each(?3)))`
const whichOf = ({ email, kind, supersedes }: Superseded): [string, string, string | null] => [
  ...([email, kind] as const),
  supersedes === undefined ? null : JSON.stringify(supersedes),
]

/** A message to be sent to an email. */
interface Posting extends Superseded {
  /** None ends the waiting one: its code is void. */
  readonly message: { readonly id: string; readonly sealed: Uint8Array } | undefined
  readonly now: number
  readonly expiresAt: number
}

/**
 * Adds a message, if there is one. It supersedes the waiting ones whose codes it voids, and of invitations one is enough. A
 * stranger who requests codes ends neither an invitation nor the code on its way to another client.
 */
export function putMessage(database: Database, posting: Posting): void {
  const { kind, email, message, now, expiresAt } = posting
  purge(database, now)
  database.run(
    `UPDATE outbox SET state = 'superseded', sealed = NULL, done_at = ?4 WHERE ${WHICH}`,
    ...[...whichOf(posting), now],
  )
  if (message === undefined) return
  database.run(
    `INSERT INTO outbox (id, address, sealed, state, due_at, expires_at, created_at, kind)
      VALUES (?, ?, ?, 'waiting', ?, ?, ?, ?)`,
    message.id,
    email,
    message.sealed,
    now,
    expiresAt,
    now,
    kind,
  )
}

/** The newest invitation to an email; undefined where no record of one is kept. */
export function lastInvitation(database: Database, email: string, now: number): MessageRecord | undefined {
  const row = database.get("SELECT * FROM outbox WHERE address = ? AND kind = 'invitation' ORDER BY id DESC LIMIT 1", email)
  return row === undefined ? undefined : messageRecord(row, now)
}

export function takeMessages(database: Database, turn: OutboxTurn): OutboxWork {
  const { now, inHand, pauseMsMax } = turn
  purge(database, now)
  database.run("UPDATE outbox SET due_at = ? WHERE state = 'waiting' AND due_at > ?", now, now + pauseMsMax)
  const expired = endExpired(database, now)
  const waits = (id: string): boolean =>
    database.get("SELECT 1 FROM outbox WHERE id = ? AND state = 'waiting'", id) !== undefined
  const unwanted = inHand.filter((id) => !waits(id))
  const messages = turn.take > 0 ? takeDue(database, turn) : []
  const next = database.get(
    "SELECT due_at FROM outbox WHERE state = 'waiting' AND lease_until <= ? ORDER BY due_at LIMIT 1",
    now,
  )
  return { messages, unwanted, expired, nextDue: next === undefined ? undefined : Number(next['due_at']) }
}

function takeDue(database: Database, { now, leaseMs, take, onlyRequested }: OutboxTurn): readonly OutboxMessage[] {
  const rows = database.all(
    `UPDATE outbox SET lease_until = ?, tried_at = ?, attempts = attempts + 1
      WHERE id IN (
        SELECT id FROM outbox WHERE state = 'waiting' AND due_at <= ? AND lease_until <= ? AND expires_at > ?
        ORDER BY due_at, id LIMIT ?)
      RETURNING id, sealed, attempts, due_at, expires_at`,
    now + leaseMs,
    now,
    onlyRequested ? REQUESTED_DUE_AT : now,
    now,
    now,
    take,
  )
  // RETURNING gives rows in any order (sqlite.org/lang_returning.html).
  rows.sort((a, b) => Number(a['due_at']) - Number(b['due_at']) || (String(a['id']) < String(b['id']) ? -1 : 1))
  return rows.map((row) => ({
    id: String(row['id']),
    sealed: row['sealed'] as Uint8Array,
    attempts: Number(row['attempts']),
    expiresAt: Number(row['expires_at']),
  }))
}

/** A message with a running attempt is left alone: it may still succeed. */
function endExpired(database: Database, now: number): OutboxWork['expired'] {
  const rows = database.all(
    `UPDATE outbox SET state = 'expired', sealed = NULL, done_at = ?
      WHERE id IN (
        SELECT id FROM outbox WHERE state = 'waiting' AND expires_at <= ? AND lease_until <= ? LIMIT ${EXPIRED_ROWS_MAX})
      RETURNING id, attempts, reply`,
    now,
    now,
    now,
  )
  return rows.map((row) => ({
    id: String(row['id']),
    attempts: Number(row['attempts']),
    reply: optionalText(row['reply']),
  }))
}

/**
 * Makes waiting messages due now. For the start of the owner of the data directory: no other process can be sending, so
 * leases and pauses are those of a process that is gone.
 */
export function releaseMessages(database: Database, now: number): void {
  database.run(
    "UPDATE outbox SET due_at = min(due_at, ?), lease_until = 0 WHERE state = 'waiting' AND (due_at > ? OR lease_until > 0)",
    now,
    now,
  )
}

export function finishMessage(database: Database, id: string, result: DeliveryResult, now: number): void {
  const waited =
    result.kind === 'later'
      ? database.run(
          "UPDATE outbox SET due_at = ?, reply = ?, lease_until = 0 WHERE id = ? AND state = 'waiting'",
          result.dueAt,
          result.reply,
          id,
        )
      : database.run(
          "UPDATE outbox SET state = ?, sealed = NULL, done_at = ?, reply = ? WHERE id = ? AND state = 'waiting'",
          result.kind,
          now,
          result.reply,
          id,
        )
  if (waited === 0) database.run('UPDATE outbox SET reply = ? WHERE id = ?', result.reply, id)
}

export function retryMessage(
  database: Database,
  id: string,
  now: number,
): 'due' | Exclude<MessageState, 'waiting'> | 'missing' {
  const changed = database.run(
    `UPDATE outbox SET due_at = ${REQUESTED_DUE_AT} WHERE id = ? AND state = 'waiting' AND lease_until <= ? AND expires_at > ?`,
    id,
    now,
    now,
  )
  if (changed === 1) return 'due'
  const row = database.get('SELECT * FROM outbox WHERE id = ?', id)
  if (row === undefined) return 'missing'
  const state = stateOf(row, now)
  // It still waits only to be ended by the next turn of the courier.
  return state === 'waiting' ? 'expired' : state
}

/** The newest records, newest first. */
export function listMessages(
  database: Database,
  { state, limit, now }: { readonly state: MessageState | undefined; readonly limit: number; readonly now: number },
): readonly MessageRecord[] {
  const rows = newestRows(database, { state, limit, now })
  return rows.map((row) => messageRecord(row, now))
}

/**
 * Ended messages may be those of a week of a busy site. The index on the state would return all of a state to be sorted,
 * hundreds of thousands of delivered ones. A scan from the newest on finds the first ones immediately, and is short where
 * none has the state. Open messages are bounded, and come by the index.
 */
function newestRows(
  database: Database,
  { state, limit, now }: { readonly state: MessageState | undefined; readonly limit: number; readonly now: number },
): readonly Row[] {
  if (state === undefined) return database.all('SELECT * FROM outbox ORDER BY id DESC LIMIT ?', limit)
  if (state !== 'waiting' && state !== 'sending') {
    // The plus keeps the condition from an index (sqlite.org/optoverview.html#uplus).
    return database.all('SELECT * FROM outbox WHERE +state = ? ORDER BY id DESC LIMIT ?', state, limit)
  }
  return database.all(
    "SELECT * FROM outbox WHERE state = 'waiting' AND (lease_until > ?) = ? ORDER BY id DESC LIMIT ?",
    now,
    state === 'sending' ? 1 : 0,
    limit,
  )
}

function messageRecord(row: Row, now: number): MessageRecord {
  const state = stateOf(row, now)
  const dueAt = Number(row['due_at'])
  return {
    id: String(row['id']),
    kind: (row['kind'] ?? 'code') as MessageKind,
    address: String(row['address']),
    state,
    attempts: Number(row['attempts']),
    reply: optionalText(row['reply']),
    createdAt: Number(row['created_at']),
    triedAt: optionalTime(row['tried_at']),
    dueAt: state === 'waiting' ? Math.max(dueAt, Number(row['created_at'])) : undefined,
    expiresAt: Number(row['expires_at']),
    doneAt: optionalTime(row['done_at']),
  }
}

function stateOf(row: Row, now: number): MessageState {
  const state = row['state'] as Exclude<MessageState, 'sending'>
  return state === 'waiting' && Number(row['lease_until']) > now ? 'sending' : state
}

/** Reads all records. */
export function outboxSummary(database: Database, now: number): OutboxSummary {
  const counts = Object.fromEntries(MESSAGE_STATES.map((state) => [state, 0])) as Record<MessageState, number>
  const byState = database.all('SELECT state, count(*) AS n FROM outbox GROUP BY state')
  for (const row of byState) counts[row['state'] as MessageState] = Number(row['n'])
  const waiting = database.get("SELECT count(*) AS n FROM outbox WHERE state = 'waiting' AND lease_until > ?", now)
  counts.sending = Number(waiting?.['n'])
  counts.waiting -= counts.sending
  return { counts, oldestWaitingAt: oldestWaitingAt(database) }
}

/**
 * When the open message whose code expires first was added. One step in an index, for frequent health checks; the summary
 * reads every record.
 */
export function oldestWaitingAt(database: Database): number | undefined {
  // By itself SQLite takes the index on the state and sorts all that waits.
  const row = database.get(
    "SELECT created_at FROM outbox INDEXED BY outbox_expiry WHERE state = 'waiting' ORDER BY expires_at LIMIT 1",
  )
  return row === undefined ? undefined : Number(row['created_at'])
}

function optionalTime(value: Row[string] | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value)
}

function optionalText(value: Row[string] | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value)
}

/** Removes a few old records, with each new message and each turn of the courier. */
function purge(database: Database, now: number): void {
  database.run(
    `DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE done_at < ? LIMIT ${PURGE_ROWS_MAX})`,
    now - RECORDS_KEPT_MS,
  )
}
