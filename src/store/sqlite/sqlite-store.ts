/** The Store on one SQLite file: reads run at once, writes through the group commit. */
import { NO_ARRIVALS, type Arrivals } from '../../base/arrivals.ts'
import type { Clock } from '../../base/clock.ts'
import type { Model } from '../../models/schema.ts'
import { SYSTEM } from '../actor.ts'
import * as accounts from '../tables/account-tables.ts'
import { createAuditTrail, type AuditOutside } from '../audit/audit-trail.ts'
import { createCheckpoints } from '../wal/checkpoints.ts'
import { restoreAdvice } from '../backup/backup.ts'
import { touchTables } from './database-check.ts'
import { asStoreFailure, databaseReason, isDamage, openDatabase, type Database } from './database.ts'
import { DataDirError, ownDataDir, type DataDir, type Owner } from './data-dir.ts'
import * as documents from '../tables/document-tables.ts'
import { createModelVersions } from './model-versions.ts'
import { migrate, needsMigration, schemaVersion, type MigrationOptions } from './migrations.ts'
import { readMeta } from '../tables/meta-table.ts'
import * as outbox from '../tables/outbox-table.ts'
import { createFinder } from '../scan/finder.ts'
import { createSearchChanges } from '../tables/search-changes.ts'
import * as sessions from '../tables/session-table.ts'
import type { Store } from '../store.ts'
import { createSnapshot } from './snapshot.ts'
import { createWriteQueue } from './write-queue.ts'
import { createWriter } from './writer.ts'

export interface StoreOptions {
  readonly dir: DataDir
  readonly models: readonly Model[]
  readonly version: string
  readonly now: Clock
  /** How long a query without an index may run. */
  readonly queryDeadlineMs?: number
  /** Set by the service, which owns the directory; a command that works beside it leaves it out. */
  readonly owner?: Owner
  /** Listens to the audit trail, and hashes for it. */
  readonly audit?: AuditOutside
  /** New connections, to which queries yield turns of the event loop. */
  readonly arrivals?: Arrivals
}

/** For a store without a listener for its audit records. */
const NO_AUDIT: AuditOutside = { recorded: () => {}, suppressed: () => {}, emailHashes: () => [] }

/**
 * Opens the store and brings its schema up to date. Throws DataDirError where another process owns the directory,
 * SchemaError where the file is not for this program.
 */
export function openStore(options: StoreOptions): Store {
  const { dir, models, version, now, queryDeadlineMs, owner, audit = NO_AUDIT, arrivals = NO_ARRIVALS } = options
  const lock = owner === undefined ? undefined : ownDataDir(dir, owner)
  try {
    const database = openDatabase(dir.database)
    try {
      touchTables(database)
      prepareSchema(database, { dir, models, version, owned: lock !== undefined })
      if (lock !== undefined) outbox.releaseMessages(database, now())
      const release = (): void => lock?.release()
      return sqliteStore(database, { file: dir.database, now, queryDeadlineMs, audit, arrivals, release })
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
  const options: MigrationOptions = { models, version, backup: `${dir.database}.before-schema` }
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
  readonly audit: AuditOutside
  readonly arrivals: Arrivals
  readonly release: () => void
}

function sqliteStore(database: Database, parts: StoreParts): Store {
  const { file, now, queryDeadlineMs, audit, arrivals, release } = parts
  const snapshot = createSnapshot(database)
  const checkpoints = createCheckpoints(database, file)
  const search = createSearchChanges(database)
  const queue = createWriteQueue(database, {
    search,
    before: snapshot.end,
    after() {
      checkpoints.afterCommit()
      if (!checkpoints.isHeldUp()) return
      finder.pauseFor(() => {
        snapshot.end()
        return checkpoints.settle()
      })
    },
  })
  const versions = createModelVersions(database, snapshot)
  const readVersions = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw asStoreFailure(error)
    }
  }
  const readNow = <T>(work: () => T): T => {
    try {
      snapshot.begin()
      return work()
    } catch (error) {
      throw asStoreFailure(error)
    }
  }
  const read = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await readNow(work)
    } catch (error) {
      throw asStoreFailure(error)
    }
  }
  const finder = createFinder(database, { file, now, arrivals, queryDeadlineMs, beginRead: snapshot.begin })

  const trail = createAuditTrail(database, { now, outside: audit })
  const on = createWriter({ database, queue, search, checkpoints, trail, now })

  return {
    as: on,

    get: (model, id) => readNow(() => documents.getDocument(database, model, id)),
    find: (model, query, caller) => read(() => finder.find(model, query, caller)),
    changes: () => readVersions(versions.changes),
    revision: () => readVersions(versions.revision),
    versionsOf: (models) => readVersions(() => versions.of(models)),
    explain: (model, query, caller) => read(() => finder.explain(model, query, caller)),
    countActive: (model) => read(() => documents.countActive(database, model)),
    countByStatus: (model) => read(() => documents.countByStatus(database, model)),
    countByHour: (model, range) => read(() => documents.countByHour(database, model, range)),
    countriesInUse: (use) => read(() => documents.countriesInUse(database, use)),

    caller: (claim) => readNow(() => sessions.caller(database, claim)),
    userByEmail: (email) => read(() => accounts.userByEmail(database, email)),
    hasAdmin: (except) => read(() => accounts.hasAdmin(database, except)),
    languageOf: (email) => read(() => accounts.languageOf(database, email)),
    sessionsOf: (userId, time) => read(() => sessions.sessionsOf(database, userId, time)),

    listMessages: (query) => read(() => outbox.listMessages(database, query)),
    oldestWaitingAt: () => read(() => outbox.oldestWaitingAt(database)),
    outboxSummary: (time) => read(() => outbox.outboxSummary(database, time)),
    readMeta: (name) => read(() => readMeta(database, name)),
    hasSuppressed: () => trail.hasSuppressed(),
    queryCounts: () => finder.counts(),

    close: async () => {
      // Counts that cannot be stored are lost; the metrics have them.
      if (trail.hasSuppressed()) on(SYSTEM).recordSuppressed().catch(() => {})
      queue.close()
      await finder.close()
      snapshot.end()
      await checkpoints.close()
      release()
    },
  }
}
