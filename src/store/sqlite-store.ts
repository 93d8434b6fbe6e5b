/** The Store on one SQLite file: reads run at once, writes through the group commit. */
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Model } from '../models/schema.ts'
import * as accounts from './account-tables.ts'
import { createCheckpoints } from './checkpoints.ts'
import { restoreAdvice } from './backup.ts'
import { touchTables } from './database-check.ts'
import { asStoreFailure, databaseReason, isDamage, openDatabase, type Database } from './database.ts'
import { DataDirError, ownDataDir, type DataDir, type Owner } from './data-dir.ts'
import * as documents from './document-tables.ts'
import { migrate, needsMigration, schemaVersion, type MigrationOptions } from './migrations.ts'
import { removeExpired } from './expired-rows.ts'
import * as guests from './guest-table.ts'
import * as notes from './note-table.ts'
import * as outbox from './outbox-table.ts'
import { countRate } from './rate-table.ts'
import { createFinder } from './finder.ts'
import * as sessions from './session-table.ts'
import type { Store } from './store.ts'
import { createSnapshot } from './snapshot.ts'
import { createWriteQueue } from './write-queue.ts'

export interface StoreOptions {
  readonly dir: DataDir
  readonly models: readonly Model[]
  readonly version: string
  readonly now: Clock
  /** How long a query may run that no index serves; a default stands in. */
  readonly queryDeadlineMs?: number
  /** Set by the service, which owns the directory; a command that works beside it leaves it out. */
  readonly owner?: Owner
}

/**
 * Opens the store and brings its schema up to date. Throws DataDirError where another process owns the directory,
 * SchemaError where the file is not for this program.
 */
export function openStore({ dir, models, version, now, queryDeadlineMs, owner }: StoreOptions): Store {
  const lock = owner === undefined ? undefined : ownDataDir(dir, owner)
  try {
    const database = openDatabase(dir.database)
    try {
      touchTables(database)
      prepareSchema(database, { dir, models, version, owned: lock !== undefined })
      if (lock !== undefined) outbox.releaseMessages(database, now())
      return sqliteStore(database, { file: dir.database, now, queryDeadlineMs, release: () => lock?.release() })
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    lock?.release()
    if (isDamage(error)) throw damaged(dir, error)
    if (asStoreFailure(error) === error) throw error
    const advice = 'make sure that there is room on its disk, and that it can be written'
    throw new DataDirError(`Cannot open the database "${dir.database}": ${databaseReason(error)}: ${advice}`, {
      cause: error,
    })
  }
}

function damaged(dir: DataDir, cause: unknown): DataDirError {
  const problem = `Cannot read the database "${dir.database}": it is damaged, or is no database of SQLite`
  return new DataDirError(`${problem}: see what dateline check says, then run ${restoreAdvice(dir.path)}`, { cause })
}

interface SchemaTask {
  readonly dir: DataDir
  readonly models: readonly Model[]
  readonly version: string
  readonly owned: boolean
}

/** Only the owner may change the schema; a command takes the directory for that moment. */
function prepareSchema(database: Database, { dir, models, version, owned }: SchemaTask): void {
  const options: MigrationOptions = { models, version, backup: join(dir.path, 'dateline.db.before-schema') }
  schemaVersion(database, options)
  if (!needsMigration(database, options)) return
  const lock = owned ? undefined : ownDataDir(dir, { pid: process.pid, startedAt: 'just now' })
  try {
    migrate(database, options)
  } finally {
    lock?.release()
  }
}

interface StoreParts {
  readonly file: string
  readonly now: Clock
  readonly queryDeadlineMs: number | undefined
  readonly release: () => void
}

function sqliteStore(database: Database, { file, now, queryDeadlineMs, release }: StoreParts): Store {
  const snapshot = createSnapshot(database)
  const checkpoints = createCheckpoints(database, file)
  const queue = createWriteQueue(database, { before: snapshot.end, after: checkpoints.afterCommit })
  const { write, writeUnsynced } = queue
  const read = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      snapshot.begin()
      return await work()
    } catch (error) {
      throw asStoreFailure(error)
    }
  }
  const finder = createFinder(database, { file, now, queryDeadlineMs })
  return {
    get: (model, id) => read(() => documents.getDocument(database, model, id)),
    find: (model, query, caller) => read(() => finder.find(model, query, caller)),
    explain: (model, query, caller) => read(() => finder.explain(model, query, caller)),
    insert: (model, document) => write(() => documents.insertDocument(database, model, document)),
    insertMissing: (model, items) =>
      write(() => items.filter((item) => documents.insertDocument(database, model, item) === 'inserted').length),
    update: (model, id, change) => write(() => documents.updateDocument(database, model, id, change)),
    remove: (model, id, condition) => write(() => documents.removeDocument(database, model, id, condition)),
    countActive: (model) => read(() => documents.countActive(database, model)),
    countByStatus: (model) => read(() => documents.countByStatus(database, model)),
    countByHour: (model, range) => read(() => documents.countByHour(database, model, range)),
    countriesInUse: (use) => read(() => documents.countriesInUse(database, use)),

    caller: (claim) => read(() => sessions.caller(database, claim)),
    userByEmail: (email) => read(() => accounts.userByEmail(database, email)),
    hasAdmin: (except) => read(() => accounts.hasAdmin(database, except)),
    languageOf: (email) => read(() => accounts.languageOf(database, email)),
    issueCode: (issue) => write(() => accounts.issueCode(database, issue)),
    takeCode: (claim) => write(() => accounts.takeCode(database, claim)),
    createAccount: (account, session) => write(() => accounts.createAccount(database, account, session)),
    promote: (email, now) => write(() => accounts.promote(database, email, now)),
    signIn: (request) => write(() => accounts.signIn(database, request)),
    revoke: (token) => write(() => sessions.revoke(database, token)),
    addSession: (userId, session) => write(() => sessions.addSession(database, userId, session)),
    sessionsOf: (userId, now) => read(() => sessions.sessionsOf(database, userId, now)),
    endSession: (userId, jti, now) => write(() => sessions.endSession(database, userId, jti, now)),
    endSessions: (userId, now) => write(() => sessions.endSessions(database, userId, now)),
    updateUser: (id, change) => write(() => accounts.updateUser(database, id, change)),
    deleteAccount: (request) =>
      write(() => {
        const outcome = accounts.deleteAccount(database, request)
        if (outcome === 'deleted') checkpoints.erase()
        return outcome
      }),
    countRate: (rate, now) => write(() => countRate(database, rate, now)),

    // Leases mean nothing after a power cut. That of a delivery would send a mail again that was just delivered, as
    // does a cut a moment earlier; and syncs keep the service from reading what the mail server said to the other
    // lanes.
    takeMessages: (turn) => writeUnsynced(() => outbox.takeMessages(database, turn)),
    finishMessage: (id, result, now) => writeUnsynced(() => outbox.finishMessage(database, id, result, now)),
    listMessages: (query) => read(() => outbox.listMessages(database, query)),
    retryMessage: (id, now) => write(() => outbox.retryMessage(database, id, now)),
    oldestWaitingAt: () => read(() => outbox.oldestWaitingAt(database)),
    outboxSummary: (now) => read(() => outbox.outboxSummary(database, now)),
    seeGuest: (id, now) => write(() => guests.seeGuest(database, id, now)),

    readNote: (name) => read(() => notes.readNote(database, name)),
    writeNote: (name, value) => write(() => notes.writeNote(database, name, value)),
    removeExpired: (now) => write(() => removeExpired(database, now)),
    registerGuests: (after, now) => write(() => guests.registerGuests(database, after, now)),
    removeGuests: (before, now) =>
      write(() => {
        const step = guests.removeGuests(database, before, now)
        if (step.removed > 0) checkpoints.erase()
        return step
      }),
    queryCounts: () => finder.counts(),

    close: async () => {
      queue.flush()
      await finder.close()
      snapshot.end()
      await checkpoints.close()
      release()
    },
  }
}
