/**
 * The store: an object of subjects on one SQLite file. Nothing above this folder knows SQL or sees a transaction.
 *
 * Reads are methods of a subject, such as `store.documents.get`, and run at once; writes are methods of `store.as(actor)`
 * (actor.ts) and run in the group commit. The types of what they take and return stand beside their code.
 */
import type { Arrivals } from '../base/arrivals.ts'
import type { Clock } from '../base/clock.ts'
import type { MachineStart } from '../base/machine-start.ts'
import type { Model } from '../models/schema.ts'
import type { User } from '../models/user.ts'
import { roomOf, type GuestLimit } from './accounts/guest-table.ts'
import { SYSTEM } from './actor.ts'
import { createAuditTrail, type AuditOutside } from './audit/audit-trail.ts'
import { openQueue, type QueueParts } from './cluster/open-queue.ts'
import { openDatabase, type Database } from './db/database.ts'
import type { WriterGate } from './db/reader-gate.ts'
import { createSnapshot } from './db/snapshot.ts'
import { createCheckpoints } from './db/wal/checkpoints.ts'
import { unsyncedMark } from './db/unsynced-mark.ts'
import { createWaitingWriters } from './db/waiting-writers.ts'
import { refusableQueue } from './db/write-queue.ts'
import { captureChanges } from './history/change-capture.ts'
import { createPendingRecorder } from './pending/pending-changes.ts'
import type { FindQuery, QueryCaller } from './query/find-query.ts'
import { createFinder } from './query/threads/finder.ts'
import { createSearchChanges } from './search/search-changes.ts'
import { wordErasure } from './search/word-erasure.ts'
import { createSettingNews } from './settings/setting-table.ts'
import { createReads, foundBy } from './subject-reads.ts'
import type { AccountOf } from './writes/bulk-tables.ts'
import { createLogBulkWriter } from './writes/bulk-writer.ts'
import { createGroupInserts } from './writes/group-inserts.ts'
import { createWriter, type Writable } from './writes/writer.ts'

/** The connection that reads where another one writes: as large a cache as that of one that does both. */
const READING = { readOnly: true, cacheKib: 32 * 1024 }

export type Store = ReturnType<typeof createStore>

export interface StoreParts {
  /** Whether the file has the schema of this program: that of a node may be raised by an entry of its log later. */
  readonly isRaised: boolean
  /** Whether a process that was killed has left its WAL, with deletions that it may not have erased yet. */
  readonly hasOldWal: boolean
  readonly file: string
  readonly now: Clock
  readonly models: readonly Model[]
  readonly queryDeadlineMs: number | undefined
  readonly audit: AuditOutside
  readonly arrivals: Arrivals
  readonly gate: WriterGate | undefined
  readonly start: MachineStart
  /** Whether a power cut may have taken what followers of the change log have. */
  readonly hasStartedOver: boolean
  /** Releases the directory; undefined for a store that does not own it. */
  readonly release: (() => void) | undefined
  readonly node: QueueParts['node']
  readonly trash: boolean
  readonly guestLimit: () => GuestLimit
  readonly pageDescriptor: number | undefined
}

export function createStore(writing: Database, parts: StoreParts) {
  const { file, now, models, queryDeadlineMs, audit, arrivals, gate, start, release, node, trash, pageDescriptor, guestLimit } = parts
  // Where a log decides about commits, a transaction stays open meanwhile, and reads must not see it.
  const database = node?.cluster === undefined ? writing : openDatabase(file, READING)
  const snapshot = createSnapshot(database)
  const { subjects, turn, listeners } = createReads(database, snapshot)
  const { documents, versions, settings } = subjects
  const finder = createFinder(database, { file, now, arrivals, queryDeadlineMs, beginRead: snapshot.begin, changes: versions.changes })
  const answer = <Query extends FindQuery>(model: Model, query: Query, caller: QueryCaller) =>
    turn.readSoon(() => finder.answer(model, query, caller))
  const checkpoints = createCheckpoints(writing, file, { pageDescriptor, ...(gate && { withoutReaders: gate.withoutReaders }) })
  if (parts.hasOldWal) {
    checkpoints.eraseHere()
    checkpoints.afterCommit()
  }
  const settingNews = createSettingNews(settings.listSettings)
  const search = createSearchChanges(writing)
  const capture = captureChanges(writing, { models, now, trash })
  if (parts.isRaised) capture.start()
  const inserts = createGroupInserts(writing, { search, capture })
  const waiting = createWaitingWriters(writing, file)
  const after = (): void => {
    gate?.countCommit()
    settingNews.afterCommit()
    listeners.afterCommit()
    checkpoints.afterCommit()
    if (!checkpoints.isHeldUp()) return
    finder.pauseFor(() => {
      snapshot.end()
      return checkpoints.settle()
    })
  }
  const { queue: path, replication } = openQueue(writing, {
    ...{ node, models, search, inserts, recorder: createPendingRecorder(writing, { models, now }), capture, before: snapshot.end, after, arrivals, waiting },
    unsynced: unsyncedMark(writing, start, release !== undefined),
    onErasure: checkpoints.erase,
    onSettings: settingNews.note,
    erasures: checkpoints.erasures,
  })
  const queue = refusableQueue(path)
  const trail = createAuditTrail(writing, { now, outside: audit, inserts })
  const on = createWriter({ database: writing, queue, search, inserts, capture, checkpoints, trail, guestLimit, now })

  return {
    ...subjects,
    as: on as Writable['as'],
    /** For a thread that writes many transactions on this store in a row: resolves when no other writer waits. */
    giveWay: waiting.giveWay,
    /** For another store in this process: an open descriptor of the database, which is closed with this store. */
    pageDescriptor: checkpoints.pageDescriptor,
    /** The place in the log of a cluster; undefined for a store by itself. */
    replication,
    /** Writes many documents through that log; undefined for a store by itself. `accountOf` gives what a new user begins with. */
    bulkWriter: replication && ((accountOf: AccountOf) => createLogBulkWriter({ database: writing, queue, search, capture, accountOf })),
    documents: {
      ...documents,
      ...foundBy(answer),
      /** How `find` answers a query, and what that costs. Runs it, in a thread; throws what `find` throws. */
      explain: async (...of: Parameters<typeof finder.explain>) => turn.readSoon(() => finder.explain(...of)),
    },
    queries: {
      /** What find() and count() call, for a query that another thread has read. */
      answer,
      inTurns: finder.inTurns,
      counts() {
        const counts = finder.counts()
        return { ...counts, inline: counts.inline + (gate?.answered() ?? 0) }
      },
    },
    accounts: {
      ...subjects.accounts,
      /** Bytes that a reader may still add, as a write sees it. */
      roomOf: (role: User['appRole']): number => turn.read(() => roomOf(database, role, guestLimit())),
    },
    settings: { ...settings, onSettings: settingNews.listen },
    /** Whether audit records were left out that no record counts yet. */
    hasSuppressed: trail.hasSuppressed,
    eraseWords: wordErasure({ writing, queue, search, checkpoints, models, read: (work) => turn.read(() => work(database)) }),
    /** Whether followers of the change log start over, since a power cut may have taken what they have. */
    hasStartedOver: parts.hasStartedOver,
    /** Rejects all later writes with a failure; resolves when earlier ones are on disk, with a function that takes writes again. */
    refuseWrites: queue.refuse,
    /** Finishes what is running and closes the files. */
    close: async (): Promise<void> => {
      // Counts that cannot be stored are lost; the metrics have them.
      if (trail.hasSuppressed()) on(SYSTEM).recordSuppressed().catch(() => {})
      listeners.close()
      await queue.close()
      await finder.close()
      snapshot.end()
      if (database !== writing) database.close()
      await checkpoints.close()
      release?.()
    },
  }
}
