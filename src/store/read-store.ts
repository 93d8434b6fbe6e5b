/**
 * The reads of a store in a thread beside the one that writes: a read-only connection with statements, plans and
 * snapshots of its own. Longer queries run where the writing thread runs its own, in the same lines: so the number of
 * threads changes nothing for the fairness between callers. Other work has a lane in each thread.
 */
import type { Arrivals } from '../base/arrivals.ts'
import type { Clock } from '../base/clock.ts'
import { createChangeListeners } from './history/change-listeners.ts'
import { changeRange, changesBehind } from './history/change-log.ts'
import { documentsChangedBy } from './history/changes-of-actors.ts'
import { createShortQueries } from './query/threads/short-queries.ts'
import { createShortWork } from './query/threads/short-work.ts'
import { createTurnLane } from './query/threads/turn-lane.ts'
import { createTurnShare } from './query/threads/turn-share.ts'
import type { AccountStore, DocumentStore, Found } from './store.ts'
import { findApiToken } from './accounts/api-token-table.ts'
import * as documents from './documents/document-tables.ts'
import * as sessions from './accounts/session-table.ts'
import { openDatabase } from './db/database.ts'
import { createModelVersions } from './documents/model-versions.ts'
import type { ReaderGate } from './db/reader-gate.ts'
import { createSnapshot } from './db/snapshot.ts'
import { createTurnReads } from './db/turn-reads.ts'

/** Memory for pages of the file; the kernel keeps those of all threads. */
const CACHE_KIB = 8 * 1024

export type ReadStore = Pick<
  DocumentStore,
  | 'get'
  | 'find'
  | 'inTurns'
  | 'revision'
  | 'versionsOf'
  | 'countActive'
  | 'countriesInUse'
  | 'changedBy'
  | 'changeRange'
  | 'changesBehind'
  | 'onChanges'
> &
  Pick<AccountStore, 'caller' | 'apiToken' | 'changes'>

export interface ReadStoreOptions {
  readonly file: string
  readonly gate: ReaderGate
  readonly arrivals: Arrivals
  readonly now: Clock
  /** Has a longer query answered by the thread that writes. */
  readonly findElsewhere: (...of: Parameters<DocumentStore['find']>) => Promise<Found>
}

/** Opens a database that is in use. The caller closes the store. */
export function openReadStore({ file, gate, arrivals, now, findElsewhere }: ReadStoreOptions) {
  const database = openDatabase(file, { readOnly: true, cacheKib: CACHE_KIB })
  const snapshot = createSnapshot(database, gate)
  const versions = createModelVersions(database, snapshot)
  const share = createTurnShare(arrivals)
  const lane = createTurnLane({ now, arrivals })
  const find = createShortQueries(database, {
    share,
    beginRead: snapshot.begin,
    changes: versions.changes,
    inThread: findElsewhere,
    onAnswer: gate.countAnswer,
  })
  const { readNow, readSoon, read } = createTurnReads(snapshot)
  const listeners = createChangeListeners(() => readNow(() => changeRange(database).newest))
  const store: ReadStore = {
    get: (model, id) => readNow(() => documents.getDocument(database, model, id)),
    find: (model, query, caller) => readSoon(() => find(model, query, caller)),
    inTurns: createShortWork({ share, lane }),
    revision: () => readNow(versions.revision),
    versionsOf: (models) => readNow(() => versions.of(models)),
    countActive: (model) => read(() => documents.countActive(database, model)),
    changedBy: (models, actors) => readNow(() => documentsChangedBy(database, models, actors)),
    countriesInUse: (use) => read(() => documents.countriesInUse(database, use)),
    caller: (claim) => readNow(() => sessions.caller(database, claim)),
    apiToken: (hash) => readNow(() => findApiToken(database, hash)),
    changes: () => readNow(versions.changes),
    changeRange: () => readNow(() => changeRange(database)),
    changesBehind: (seq, sight, limit) => readNow(() => changesBehind(database, seq, sight, limit)),
    onChanges(listener) {
      const stops = [listeners.add(listener), gate.onCommit(listeners.afterCommit)]
      return () => stops.forEach((stop) => stop())
    },
  }
  return {
    store,
    close(): void {
      listeners.close()
      share.close()
      void lane.close()
      snapshot.end()
      database.close()
    },
  }
}
