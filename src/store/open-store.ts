/** The Store on one SQLite file: reads run at once, writes through the group commit. */
import { NO_ARRIVALS, type Arrivals } from '../base/arrivals.ts'
import type { Clock } from '../base/clock.ts'
import type { Model } from '../models/schema.ts'
import { SYSTEM } from './actor.ts'
import * as accounts from './accounts/account-tables.ts'
import { createAuditTrail, type AuditOutside } from './audit/audit-trail.ts'
import { captureChanges } from './history/change-capture.ts'
import { createChangeListeners } from './history/change-listeners.ts'
import { changeRange, changesBehind } from './history/change-log.ts'
import { historyOf, textBehind } from './history/document-history.ts'
import { documentsChangedBy } from './history/changes-of-actors.ts'
import { nameHistory } from './history/history-name.ts'
import { countTrash, getTrashed, listTrash } from './history/trash-table.ts'
import { createLogBulkWriter } from './writes/log-bulk-writer.ts'
import type { ClusterLog } from './cluster/replicated-queue.ts'
import { lookForWork } from './references/follow-references.ts'
import { readProgress } from './references/reference-progress.ts'
import { usageOf, usageOfMany } from './references/reference-usage.ts'
import { requirePlace } from './cluster/required-place.ts'
import { createCheckpoints } from './db/wal/checkpoints.ts'
import { restoreAdvice } from './backup/backup.ts'
import type { AccountOf } from './writes/bulk-tables.ts'
import { touchTables } from './schema/database-check.ts'
import { asStoreFailure, databaseReason, isDamage, openDatabase, type Database } from './db/database.ts'
import { createGroupInserts } from './writes/group-inserts.ts'
import { DataDirError, ownDataDir, type DataDir, type DataDirLock, type Owner } from './db/data-dir.ts'
import { findApiToken, listApiTokens } from './accounts/api-token-table.ts'
import * as documents from './documents/document-tables.ts'
import { findPasskey, passkeysOf } from './accounts/passkey-table.ts'
import { viewsOf } from './accounts/saved-view-table.ts'
import { createModelVersions } from './documents/model-versions.ts'
import { migrate, MIGRATIONS, schemaOf, schemaVersion, type Migration } from './schema/migrate.ts'
import { readMeta } from './db/meta-table.ts'
import * as outbox from './outbox/outbox-table.ts'
import { reviewNote } from './documents/review-notes.ts'
import { createFinder } from './query/threads/finder.ts'
import { createSearchChanges } from './search/search-changes.ts'
import { guestRoom, guestStorage, NO_GUEST_LIMIT, type GuestLimit } from './accounts/guest-storage.ts'
import { firstResponse } from './documents/first-response-table.ts'
import * as sessions from './accounts/session-table.ts'
import { createSettingListeners, listSettings } from './settings/setting-table.ts'
import { lookUpIn } from './documents/text-look-up.ts'
import type { Store } from './store.ts'
import type { WriterGate } from './db/reader-gate.ts'
import { refusableQueue } from './db/refusable-queue.ts'
import { createSnapshot } from './db/snapshot.ts'
import { createTurnReads } from './db/turn-reads.ts'
import { createWriteLock } from './db/write-lock.ts'
import { openWritePath, type WritePathParts } from './cluster/write-path.ts'
import { wordErasure } from './search/word-erasure.ts'
import { createWriter } from './writes/writer.ts'

export interface StoreOptions {
  readonly dir: DataDir
  readonly models: readonly Model[]
  readonly version: string
  readonly now: Clock
  /** How long a query without an index may run. */
  readonly queryDeadlineMs?: number
  /** Set by the service, which owns the directory; a command that works beside it leaves it out. */
  readonly owner?: Owner
  /** The owner's lock, where the caller holds it, and releases it. */
  readonly lock?: DataDirLock
  /** Listens to the audit trail, and hashes for it. */
  readonly audit?: AuditOutside
  /** New connections, to which queries yield turns of the event loop. */
  readonly arrivals?: Arrivals
  /** The log of the cluster that the directory belongs to; needs an owner. */
  readonly cluster?: ClusterLog
  readonly migrations?: readonly Migration[]
  /** What guests may keep; without it, as much as they like. */
  readonly guestLimit?: () => GuestLimit
  /** Whether deleted content goes to the trash: true by default. */
  readonly trash?: boolean
  /** Of the threads of this process that read beside the store. */
  readonly gate?: WriterGate | undefined
  /** That of the store of this process, for another one beside it. */
  readonly pageDescriptor?: number
}

/** The connection that reads where another one writes: as large a cache as that of one that does both. */
const READING = { readOnly: true, cacheKib: 32 * 1024 }

const HELD: DataDirLock = { release() {} }

/** For a store without a listener for its audit records. */
const NO_AUDIT: AuditOutside = { recorded: () => {}, suppressed: () => {}, emailHashes: () => [] }

/**
 * Opens the store and brings its schema up to date. Throws DataDirError where another process owns the directory,
 * SchemaError where the file is not for this program.
 */
export function openStore(options: StoreOptions): Store {
  const { dir, models, version, now, queryDeadlineMs, owner, audit = NO_AUDIT, arrivals = NO_ARRIVALS, gate } = options
  const { cluster, migrations = MIGRATIONS, trash = true, pageDescriptor, guestLimit = () => NO_GUEST_LIMIT } = options
  const lock = owner === undefined ? undefined : options.lock === undefined ? ownDataDir(dir, owner) : HELD
  try {
    const database = openDatabase(dir.database)
    try {
      touchTables(database)
      schemaVersion(database, { version, migrations })
      const place = requirePlace(database, options)
      const schema: SchemaTask = { dir, models, version, migrations, owned: lock !== undefined }
      if (place === undefined) {
        prepareSchema(database, schema)
        nameHistory(database)
      }
      if (lock !== undefined && cluster === undefined) outbox.releaseMessages(database, now())
      const release = (): void => lock?.release()
      const node = place && { place, cluster, migration: { ...schema, backup: schemaCopy(dir) } }
      const isRaised = schemaVersion(database, { version, migrations }) === schemaOf(migrations)
      const parts: StoreParts = {
        ...{ isRaised, file: dir.database, now, models, queryDeadlineMs, audit, arrivals, gate },
        ...{ release, node, trash, pageDescriptor, guestLimit },
      }
      return sqliteStore(database, parts)
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
  readonly migrations: readonly Migration[]
  readonly owned: boolean
}

const schemaCopy = (dir: DataDir): string => `${dir.database}.before-schema`

/** Only the owner may change the schema; a command takes the directory for that moment. */
function prepareSchema(database: Database, { dir, owned, ...task }: SchemaTask): void {
  if (schemaVersion(database, task) === schemaOf(task.migrations)) return
  const lock = owned ? undefined : ownDataDir(dir, { pid: process.pid, startedAt: 'just now' })
  try {
    migrate(database, { ...task, backup: schemaCopy(dir) })
  } finally {
    lock?.release()
  }
}

interface StoreParts {
  /** Whether the file has the schema of this program: that of a node may be raised by an entry of its log later. */
  readonly isRaised: boolean
  readonly file: string
  readonly now: Clock
  readonly models: readonly Model[]
  readonly queryDeadlineMs: number | undefined
  readonly audit: AuditOutside
  readonly arrivals: Arrivals
  readonly gate: WriterGate | undefined
  readonly release: () => void
  readonly node: WritePathParts['node']
  readonly trash: boolean
  readonly guestLimit: () => GuestLimit
  readonly pageDescriptor: number | undefined
}

function sqliteStore(writing: Database, parts: StoreParts): Store {
  const { file, now, models, queryDeadlineMs, audit, arrivals, gate, release, node, trash, pageDescriptor, guestLimit } = parts
  // Where a log decides about commits, a transaction stays open meanwhile, and reads must not see it.
  const database = node?.cluster === undefined ? writing : openDatabase(file, READING)
  const snapshot = createSnapshot(database)
  const checkpoints = createCheckpoints(writing, file, { pageDescriptor, ...(gate && { withoutReaders: gate.withoutReaders }) })
  const search = createSearchChanges(writing)
  const after = (): void => {
    gate?.countCommit()
    settingListeners.afterCommit()
    listeners.afterCommit()
    checkpoints.afterCommit()
    if (!checkpoints.isHeldUp()) return
    finder.pauseFor(() => {
      snapshot.end()
      return checkpoints.settle()
    })
  }
  const before = snapshot.end
  const settingListeners = createSettingListeners(() => readNow(() => listSettings(database)))
  const capture = captureChanges(writing, { models, now, trash })
  if (parts.isRaised) capture.start()
  const inserts = createGroupInserts(writing, { search, capture })
  const writeLock = createWriteLock()
  const { queue: path, replication } = openWritePath(writing, {
    ...{ node, models, search, inserts, capture, before, after, arrivals, lock: writeLock },
    onErasure: checkpoints.erase,
    onSettings: settingListeners.note,
    erasures: checkpoints.erasures,
  })
  const queue = refusableQueue(path)
  const versions = createModelVersions(database, snapshot)
  const readVersions = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw asStoreFailure(error)
    }
  }
  const { readNow, readSoon, read } = createTurnReads(snapshot)
  const listeners = createChangeListeners(() => readNow(() => changeRange(database).newest))
  const finder = createFinder(database, { file, now, arrivals, queryDeadlineMs, beginRead: snapshot.begin, changes: versions.changes })

  const trail = createAuditTrail(writing, { now, outside: audit, inserts })
  const on = createWriter({ database: writing, queue, search, inserts, capture, checkpoints, trail, guestLimit, now })

  return {
    as: on,
    writeLock,
    pageDescriptor: checkpoints.pageDescriptor,
    ...(replication && {
      replication,
      bulkWriter: (accountOf: AccountOf) => createLogBulkWriter({ database: writing, queue, search, capture, accountOf }),
    }),

    get: (model, id) => readNow(() => documents.getDocument(database, model, id)),
    find: (model, query, caller) => readSoon(() => finder.find(model, query, caller)),
    inTurns: finder.inTurns,
    firstResponse: (userId, key, time) => readNow(() => firstResponse(database, userId, key, time)),
    changes: () => readVersions(versions.changes),
    revision: () => readVersions(versions.revision),
    versionsOf: (models) => readVersions(() => versions.of(models)),
    changeRange: () => readNow(() => changeRange(database)),
    changesBehind: (seq, sight, limit) => readNow(() => changesBehind(database, seq, sight, limit)),
    onChanges: listeners.add,
    handedIn: (model, limit) => readNow(() => documents.handedIn(database, model, limit)),
    countHandedIn: (model) => readNow(() => documents.countHandedIn(database, model)),
    reviewNote: (model, id) => readNow(() => reviewNote(database, model, id)),
    dueDocuments: (model, behind, limit) => readNow(() => documents.dueDocuments(database, model, behind, limit)),
    historyOf: (model, id, query) => readNow(() => historyOf(database, model, id, query)),
    textBehind: (model, id, seq) => readNow(() => textBehind(database, model, id, seq)),
    listTrash: (model, query) => readNow(() => listTrash(database, model, query)),
    getTrashed: (model, id) => readNow(() => getTrashed(database, model, id)),
    explain: (model, query, caller) => read(() => finder.explain(model, query, caller)),
    lookUp: (model, path, ranges, limit) => readNow(() => lookUpIn(database)(model, path, ranges, limit)),
    countActive: (model) => read(() => documents.countActive(database, model)),
    countByStatus: (model) => read(() => documents.countByStatus(database, model)),
    countByHour: (model, range) => read(() => documents.countByHour(database, model, range)),
    usageOf: (model, id, holders, limit) => readNow(() => usageOf(database, { model, id, holders, limit })),
    referenceWork: (seq) => readNow(() => lookForWork(database, seq)),
    referenceProgress: () => readNow(() => readProgress(database)),
    usageOfMany: (model, ids, holders, limit) => readNow(() => usageOfMany(database, { model, ids, holders, limit })),
    countTrash: (some, limit) => readNow(() => countTrash(database, some, limit)),
    changedBy: (some, actors) => readNow(() => documentsChangedBy(database, some, actors)),
    countriesInUse: (use) => read(() => documents.countriesInUse(database, use)),

    caller: (claim) => readNow(() => sessions.caller(database, claim)),
    apiToken: (hash) => readNow(() => findApiToken(database, hash)),
    apiTokens: () => read(() => listApiTokens(database)),
    viewsOf: (userId) => read(() => viewsOf(database, userId)),
    passkey: (id) => read(() => findPasskey(database, id)),
    passkeysOf: (userId) => read(() => passkeysOf(database, userId)),
    guestStorage: () => readNow(() => guestStorage(database)),
    guestRoom: () => readNow(() => guestRoom(database, guestLimit())),
    userByEmail: (email) => read(() => accounts.userByEmail(database, email)),
    hasAdmin: (except) => read(() => accounts.hasAdmin(database, except)),
    languageOf: (email) => read(() => accounts.languageOf(database, email)),
    sessionsOf: (userId, time) => read(() => sessions.sessionsOf(database, userId, time)),

    listMessages: (query) => read(() => outbox.listMessages(database, query)),
    lastInvitation: (email, now) => read(() => outbox.lastInvitation(database, email, now)),
    oldestWaitingAt: () => read(() => outbox.oldestWaitingAt(database)),
    outboxSummary: (time) => read(() => outbox.outboxSummary(database, time)),
    readMeta: (name) => read(() => readMeta(database, name)),
    settings: () => read(() => listSettings(database)),
    onSettings: settingListeners.add,
    hasSuppressed: () => trail.hasSuppressed(),
    queryCounts() {
      const counts = finder.counts()
      return { ...counts, inline: counts.inline + (gate?.answered() ?? 0) }
    },

    eraseWords: wordErasure({ writing, queue, search, checkpoints, models, read: (work) => readNow(() => work(database)) }),
    refuseWrites: queue.refuse,
    close: async () => {
      // Counts that cannot be stored are lost; the metrics have them.
      if (trail.hasSuppressed()) on(SYSTEM).recordSuppressed().catch(() => {})
      listeners.close()
      await queue.close()
      await finder.close()
      snapshot.end()
      if (database !== writing) database.close()
      await checkpoints.close()
      release()
    },
  }
}
