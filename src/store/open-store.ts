/** Opens the store on one SQLite file. */
import { statSync } from 'node:fs'
import { NO_ARRIVALS, type Arrivals } from '../base/arrivals.ts'
import type { Clock } from '../base/clock.ts'
import { machineStart, type MachineStart } from '../base/machine-start.ts'
import type { Model } from '../models/schema.ts'
import { NO_GUEST_LIMIT, type GuestLimit } from './accounts/guest-table.ts'
import type { AuditOutside } from './audit/audit-trail.ts'
import { restoreAdvice } from './backup/backup.ts'
import { requirePlace } from './cluster/position-table.ts'
import type { ClusterLog } from './cluster/replicated-queue.ts'
import { DataDirError, ownDataDir, type DataDir, type DataDirLock, type Owner } from './db/data-dir.ts'
import { asStoreFailure, databaseReason, isDamage, openDatabase, type Database } from './db/database.ts'
import type { WriterGate } from './db/reader-gate.ts'
import { clearUnsyncedMark, readUnsyncedMark } from './db/unsynced-mark.ts'
import { nameHistory, renameHistory } from './history/change-log.ts'
import { releaseMessages } from './outbox/outbox-table.ts'
import { breakChain, createPendingRecorder, recordApart } from './pending/pending-changes.ts'
import { touchTables } from './schema/database-check.ts'
import { migrate, MIGRATIONS, schemaOf, schemaVersion, type Migration } from './schema/migrate.ts'
import { createStore, type Store, type StoreParts } from './store.ts'

export interface StoreOptions {
  readonly dir: DataDir
  readonly models: readonly Model[]
  readonly version: string
  readonly now: Clock
  /** How long a query without an index may run. */
  readonly queryDeadlineMs?: number
  /** Set by the service, which owns the directory; a command that works beside it leaves it out. */
  readonly owner?: Owner
  /** That of the owner, where the caller has it; without it, the store takes it. The store releases it. */
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
  /** That of the machine by default. */
  readonly start?: MachineStart
}

/** For a store without a listener for its audit records. */
const NO_AUDIT: AuditOutside = { recorded: () => {}, suppressed: () => {}, emailHashes: () => [] }

/**
 * Opens the store and brings its schema up to date. Throws DataDirError where another process owns the directory,
 * SchemaError where the file is not for this program.
 */
export function openStore(options: StoreOptions): Store {
  const { dir, models, version, now, queryDeadlineMs, owner, audit = NO_AUDIT, arrivals = NO_ARRIVALS, gate } = options
  const { cluster, migrations = MIGRATIONS, trash = true, pageDescriptor, guestLimit = () => NO_GUEST_LIMIT, start = machineStart(now) } = options
  const lock = owner === undefined ? undefined : (options.lock ?? ownDataDir(dir, owner))
  try {
    const hasOldWal = lock !== undefined && (statSync(`${dir.database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
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
      if (lock !== undefined && cluster === undefined) {
        recordApart(database, createPendingRecorder(database, { models, now }), () => releaseMessages(database, now()))
      }
      const hasStartedOver = lock !== undefined && place === undefined && startOverAfterPowerCut(database, start)
      const release = lock && ((): void => lock.release())
      const node = place && { place, cluster, migration: { ...schema, backup: schemaCopy(dir) } }
      const isRaised = schemaVersion(database, { version, migrations }) === schemaOf(migrations)
      const parts: StoreParts = {
        ...{ isRaised, hasOldWal, file: dir.database, now, models, queryDeadlineMs, audit, arrivals, gate },
        ...{ start, hasStartedOver, release, node, trash, pageDescriptor, guestLimit },
      }
      return createStore(database, parts)
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
    // Changesets of one schema do not fit the tables of another.
    migrate(database, { ...task, backup: schemaCopy(dir), finish: () => breakChain(database, 'the schema was raised') })
  } finally {
    lock?.release()
  }
}

/**
 * What the owner of a file does where a power cut may have taken transactions that were not synced, and that others have: gives
 * the change log another identity, so that its followers start over in place of missing changes whose numbers come again, and
 * ends the chain of off-site changes, whose numbers would come again as well. Returns whether it did so.
 */
function startOverAfterPowerCut(database: Database, start: MachineStart): boolean {
  const marked = readUnsyncedMark(database)
  if (marked === undefined || start.is(marked)) return false
  database.run('BEGIN IMMEDIATE')
  try {
    renameHistory(database)
    breakChain(database, 'the machine stopped while the service ran')
    clearUnsyncedMark(database)
    database.run('COMMIT')
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK')
    throw error
  }
  return true
}
