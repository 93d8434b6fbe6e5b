/**
 * Changes that the places of off-site backups have still to store: each commit adds the changeset of SQLite's session
 * extension (sqlite.org/sessionintro.html) to its own transaction, with its number and time. So a process that is killed loses
 * none and adds none, whichever program writes: the service, a command beside it, or a thread.
 *
 * Why changesets, and not the WAL: the WAL has no times, is restarted by checkpoints of any process, and its frames fit one
 * file alone. A changeset has the old values of its rows as well, so that a replay which does not fit is found out. It has all that
 * a write decides about (cluster/replicated-tables.ts): ids, documents, accounts, settings, outbox. Counts and search rows are
 * derived from that again, as on a node of a cluster, which replays the same changesets.
 *
 * A chain begins with a snapshot that is on its way, and numbers its commits without a hole. Its end is found here: where too much
 * waits, since no place takes it, recording stops, and the next snapshot begins another chain.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { parseJson, writeJson, type JsonObject } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import { baseTables } from '../cluster/replicated-tables.ts'
import type { Database } from '../db/database.ts'
import type { TransactionRecorder } from '../db/write-queue.ts'

/** What may wait in the database, and in one commit: half an hour of a busy site, weeks of a quiet one. */
export const PENDING_BYTES_MAX = 64 * 1024 * 1024
const CHAIN_ID_BYTES = 8
const PRUNED_ROWS = 500

export interface ChangeChain {
  readonly id: string
  /** The number of its last commit. */
  readonly seq: number
  /** Of the changesets that wait. */
  readonly bytes: number
  /** Why it ends here, as a clause; undefined while it goes on. */
  readonly broken: string | undefined
}

/** Undefined before the first snapshot. */
export function readChain(database: Database): ChangeChain | undefined {
  const row = database.get('SELECT id, seq, bytes, broken FROM change_chain')
  if (row === undefined) return undefined
  const { id, seq, bytes, broken } = row
  return { id: String(id), seq: Number(seq), bytes: Number(bytes), broken: broken === null ? undefined : String(broken) }
}

/** Random, so that no two chains of any sites have the same. */
export function newChainId(): string {
  return randomBytes(CHAIN_ID_BYTES).toString('hex')
}

/** The chain that a snapshot of now continues: the present one, or one of this id where there is none that goes on. */
export function continueChain(database: Database, id: string): ChangeChain {
  const present = readChain(database)
  if (present !== undefined && present.broken === undefined) return present
  database.exec('DELETE FROM pending_change; DELETE FROM change_chain')
  database.run('INSERT INTO change_chain (one, id, seq, bytes) VALUES (1, ?, 0, 0)', id)
  return { id, seq: 0, bytes: 0, broken: undefined }
}

/** Ends the chain. What waits may still be stored. */
export function breakChain(database: Database, reason: string): void {
  database.run('UPDATE change_chain SET broken = ? WHERE broken IS NULL', reason)
}

/** Forgets chain and places: what happens from now on is not what they have. To be called in a transaction. */
export function forgetChain(database: Database): void {
  database.exec('DELETE FROM pending_change; DELETE FROM change_chain; DELETE FROM backup_place')
}

/** Removes some changes up to a number, which all places have. Returns whether there are more. */
export function prunePending(database: Database, upTo: number): boolean {
  const { last, bytes } = database.get(
    'SELECT max(seq) AS last, sum(length(changeset)) AS bytes FROM (SELECT seq, changeset FROM pending_change WHERE seq <= ? ORDER BY seq LIMIT ?)',
    upTo,
    PRUNED_ROWS,
  ) ?? {}
  if (last === null || last === undefined) return false
  const removed = database.run('DELETE FROM pending_change WHERE seq <= ?', last)
  database.run('UPDATE change_chain SET bytes = max(0, bytes - ?)', bytes as number)
  return removed === PRUNED_ROWS
}

export interface PendingChange {
  readonly seq: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly changeset: Uint8Array
}

/** Changes behind a number, oldest first: as many as have these bytes together, one at least where there is one. */
export function pendingBehind(database: Database, after: number, bytesMax: number): readonly PendingChange[] {
  const found: PendingChange[] = []
  let bytes = 0
  for (const { seq, at, changeset } of database.iterate('SELECT seq, at, changeset FROM pending_change WHERE seq > ? ORDER BY seq', after)) {
    const change = { seq: Number(seq), at: Number(at), changeset: changeset as Uint8Array }
    bytes += change.changeset.length
    if (found.length > 0 && bytes > bytesMax) break
    found.push(change)
  }
  return found
}

interface RecorderParts {
  readonly models: readonly Model[]
  readonly now: Clock
}

/** Adds what each transaction of this connection changes to a chain that goes on; costs one look-up where there is none. */
export function createPendingRecorder(database: Database, { models, now }: RecorderParts): TransactionRecorder {
  // What the places have is no part of what they store: writing it down would be a change to be stored in turn.
  const tables = baseTables(models).filter((table) => table !== 'backup_place')
  let sessions: readonly ReturnType<Database['recordChanges']>[] = []
  let recorded: ChangeChain | undefined

  return {
    begin() {
      recorded = readChain(database)
      if (recorded === undefined || recorded.broken !== undefined) return
      sessions = tables.map(database.recordChanges)
    },
    keep() {
      if (sessions.length === 0) return
      // Writes of one transaction are those of several callers: one may end the chain, another remove what the places have.
      const chain = readChain(database)
      if (chain === undefined || chain.id !== recorded?.id || chain.broken !== undefined) return
      const changeset = Buffer.concat(sessions.map((session) => session.changeset()))
      if (changeset.length === 0) return
      const bytes = chain.bytes + changeset.length
      if (bytes > PENDING_BYTES_MAX) {
        return breakChain(database, `more than ${PENDING_BYTES_MAX / 1024 ** 2} MiB of changes waited to be stored`)
      }
      const seq = chain.seq + 1
      database.run('INSERT INTO pending_change VALUES (?, ?, ?)', seq, now(), changeset)
      database.run('UPDATE change_chain SET seq = ?, bytes = ?', seq, bytes)
    },
    end() {
      for (const session of sessions) session.close()
      sessions = []
    },
  }
}

/** Runs work in a recorded transaction of its own, for what is written ahead of the queue. */
export function recordApart(database: Database, recorder: TransactionRecorder, work: () => void): void {
  database.run('BEGIN IMMEDIATE')
  try {
    recorder.begin()
    work()
    recorder.keep()
    database.run('COMMIT')
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK')
    throw error
  } finally {
    recorder.end()
  }
}

/** What a place of off-site backups has, and how the last attempts there ended. */
export function placeState(database: Database, name: string): JsonObject | undefined {
  const row = database.get('SELECT state FROM backup_place WHERE name = ?', name)
  return row === undefined ? undefined : (parseJson(String(row['state'])) as JsonObject)
}

export function writePlaceState(database: Database, name: string, state: JsonObject): void {
  database.run(
    'INSERT INTO backup_place VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET state = excluded.state',
    name,
    writeJson(state),
  )
}
