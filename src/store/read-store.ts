/**
 * The reads of a store in a thread beside the one that writes: a read-only connection with statements, plans and
 * snapshots of its own. Longer queries run where the writing thread runs its own, in the same lines: so the number of
 * threads changes nothing for the fairness between callers. Other work has a lane in each thread.
 */
import type { Arrivals } from '../base/arrivals.ts'
import type { Clock } from '../base/clock.ts'
import { openDatabase } from './db/database.ts'
import type { ReaderGate } from './db/reader-gate.ts'
import { createSnapshot } from './db/snapshot.ts'
import { createShortQueries, createShortWork, type AnswerInThread } from './query/threads/short-queries.ts'
import { createTurnLane, createTurnShare } from './query/threads/turn-lane.ts'
import type { Store } from './store.ts'
import { createReads, foundBy } from './subject-reads.ts'

/** Memory for pages of the file; the kernel keeps those of all threads. */
const CACHE_KIB = 8 * 1024

/** What both stores read. */
export interface ReadStore extends Pick<Store, 'versions' | 'references' | 'outbox' | 'feeds' | 'publications' | 'pictures'> {
  readonly documents: Omit<Store['documents'], 'explain'>
  readonly history: Store['history']
  readonly accounts: Omit<Store['accounts'], 'roomOf'>
  readonly queries: Pick<Store['queries'], 'inTurns'>
}

export interface ReadStoreOptions {
  readonly file: string
  readonly gate: ReaderGate
  readonly arrivals: Arrivals
  readonly now: Clock
  /** Has a longer query answered by the thread that writes. */
  readonly answerElsewhere: AnswerInThread
}

/** Opens a database that is in use. The caller closes the store. */
export function openReadStore({ file, gate, arrivals, now, answerElsewhere }: ReadStoreOptions) {
  const database = openDatabase(file, { readOnly: true, cacheKib: CACHE_KIB })
  const snapshot = createSnapshot(database, gate)
  const { subjects, turn, listeners } = createReads(database, snapshot)
  const share = createTurnShare(arrivals)
  const lane = createTurnLane({ now, arrivals })
  const answer = createShortQueries(database, {
    share,
    beginRead: snapshot.begin,
    changes: subjects.versions.changes,
    inThread: answerElsewhere,
    onAnswer: gate.countAnswer,
  })
  const store: ReadStore = {
    ...subjects,
    documents: { ...subjects.documents, ...foundBy((...of) => turn.readSoon(() => answer(...of))) },
    history: {
      ...subjects.history,
      onChanges(listener, options) {
        const stops = [listeners.add(listener, options), gate.onCommit(listeners.afterCommit)]
        return () => stops.forEach((stop) => stop())
      },
    },
    queries: { inTurns: createShortWork({ share, lane }) },
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
