/** The Store on one SQLite file: reads run at once, writes through the group commit. */
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Model } from '../models/schema.ts'
import type { Actor, Visitor } from './actor.ts'
import * as accounts from './account-tables.ts'
import { momentOf } from './authority.ts'
import { createCheckpoints } from './checkpoints.ts'
import * as codes from './code-table.ts'
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
import type { Moment, Store, Writer } from './store.ts'
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
  const read = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      snapshot.begin()
      return await work()
    } catch (error) {
      throw asStoreFailure(error)
    }
  }
  const finder = createFinder(database, { file, now, queryDeadlineMs })

  /** The writes in the name of an actor, who is judged in the transaction of each. */
  const on = (actor: Actor | Visitor): Writer => {
    const judged =
      <T>(job: (moment: Moment) => T) =>
      (): T =>
        job(momentOf(database, actor, now()))
    const write = <T>(job: (moment: Moment) => T): Promise<T> => queue.write(judged(job))
    const writeUnsynced = <T>(job: () => T): Promise<T> => queue.writeUnsynced(judged(job))
    return {
      insert: (model, document, admit) =>
        write((moment) => {
          admit?.(moment)
          return documents.insertDocument(database, model, document)
        }),
      insertMissing: (model, items) =>
        write(() => items.filter((item) => documents.insertDocument(database, model, item) === 'inserted').length),
      update: (model, id, change, known) =>
        write((moment) => documents.updateDocument(database, model, id, change, { moment, known })),
      remove: (model, id, condition) => write(() => documents.removeDocument(database, model, id, condition)),

      issueCode: (issue) => write(() => codes.issueCode(database, issue)),
      createAccount: (account, session) => write(() => accounts.createAccount(database, account, session)),
      promote: (email, time) => write(() => accounts.promote(database, email, time)),
      signIn: (request) => write(() => accounts.signIn(database, request)),
      revoke: (token) => write(() => sessions.revoke(database, token)),
      addSession: (userId, session) => write(() => sessions.addSession(database, userId, session)),
      endSession: (userId, jti, time) => write(() => sessions.endSession(database, userId, jti, time)),
      // A request that only reads must not wait for a disk, and a later one makes good what a power cut took.
      useSession: (jti, time) => writeUnsynced(() => sessions.useSession(database, jti, time)),
      endOtherSessions: (userId, kept, time) =>
        write(() => sessions.endOtherSessions(database, userId, kept, time)),
      endSessions: (userId, time) => write(() => sessions.endSessions(database, userId, time)),
      updateUser: (id, change) => write((moment) => accounts.updateUser(database, id, change, moment)),
      deleteAccount: (request) =>
        write(() => {
          const outcome = accounts.deleteAccount(database, request)
          if (outcome === 'deleted') checkpoints.erase()
          return outcome
        }),
      seeGuest: (id, time) => write(() => guests.seeGuest(database, id, time)),
      countRate: (rate, time) => write(() => countRate(database, rate, time)),

      // Leases mean nothing after a power cut. That of a delivery would send a mail again that was just delivered, as
      // does a cut a moment earlier; and syncs keep the service from reading what the mail server said to the other
      // lanes.
      takeMessages: (turn) => writeUnsynced(() => outbox.takeMessages(database, turn)),
      finishMessage: (id, result, time) => writeUnsynced(() => outbox.finishMessage(database, id, result, time)),
      retryMessage: (id, time) => write(() => outbox.retryMessage(database, id, time)),

      writeNote: (name, value) => write(() => notes.writeNote(database, name, value)),
      removeExpired: (time) => write(() => removeExpired(database, time)),
      registerGuests: (after, time) => write(() => guests.registerGuests(database, after, time)),
      removeGuests: (before, time) =>
        write(() => {
          const step = guests.removeGuests(database, before, time)
          if (step.removed > 0) checkpoints.erase()
          return step
        }),
    }
  }

  return {
    as: on,

    get: (model, id) => read(() => documents.getDocument(database, model, id)),
    find: (model, query, asker) => read(() => finder.find(model, query, asker)),
    explain: (model, query, asker) => read(() => finder.explain(model, query, asker)),
    countActive: (model) => read(() => documents.countActive(database, model)),
    countByStatus: (model) => read(() => documents.countByStatus(database, model)),
    countByHour: (model, range) => read(() => documents.countByHour(database, model, range)),
    countriesInUse: (use) => read(() => documents.countriesInUse(database, use)),

    caller: (claim) => read(() => sessions.caller(database, claim)),
    userByEmail: (email) => read(() => accounts.userByEmail(database, email)),
    hasAdmin: (except) => read(() => accounts.hasAdmin(database, except)),
    languageOf: (email) => read(() => accounts.languageOf(database, email)),
    sessionsOf: (userId, time) => read(() => sessions.sessionsOf(database, userId, time)),

    listMessages: (query) => read(() => outbox.listMessages(database, query)),
    oldestWaitingAt: () => read(() => outbox.oldestWaitingAt(database)),
    outboxSummary: (time) => read(() => outbox.outboxSummary(database, time)),
    readNote: (name) => read(() => notes.readNote(database, name)),
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
