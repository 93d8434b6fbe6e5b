/**
 * Group commit over a log: optimistic concurrency control between the nodes of a cluster.
 *
 * Jobs that wait run in one transaction, which stays open while its changeset is appended behind the last entry that this
 * node has applied (compare-and-append). Where another entry came first, the transaction is rolled back, that entry is
 * applied and the jobs run again: so a job sees, and is committed on, exactly the entries before its own. Jobs may therefore run
 * several times, and nothing outside the database happens inside one that a repetition would not replace.
 *
 * The open transaction is the reason why reads use another connection. Rolling back and applying the own entry like any
 * other would need one connection, and does the work of each insert twice.
 *
 * The log is the durable copy: commits here are not synced (`synchronous=NORMAL`). A power cut may set this node back to an
 * earlier position, from which it follows the log again.
 */
import { fail, type Failure } from '../../base/failure.ts'
import { nextTurn } from '../../base/pause.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import type { WriteQueue } from '../db/write-queue.ts'
import type { ChangeCapture } from '../history/change-capture.ts'
import type { SearchChanges } from '../search/search-changes.ts'
import { createChangesetApplier, Divergence } from './changeset-applier.ts'
import { baseTables } from './replicated-tables.ts'
import type { CommitLog, Sealer } from './commit-log.ts'
import { createEntryApplying, ForeignEntry, type ApplyingParts } from './entry-applying.ts'
import { createEntryGathering } from './entry-gathering.ts'
import { createEntryInbox, isInLog } from './entry-inbox.ts'
import { createLogContact, createLogPlace } from './log-contact.ts'
import type { LastEntry } from './position-table.ts'
import { createProposals } from './proposals.ts'
import { createReplication, type LeftService, type ReplicaCounts, type Replication } from './replication.ts'
import { createDerivedJobs, createWaitingJobs, NO_ANSWER, notMade } from './waiting-jobs.ts'

/** How long an entry that was appended first is waited for, and how long a disk that fails is left alone. */
const NEWS_MS = 50
const DISK_RETRY_MS = 200

/** The log of a cluster, as a node uses it. */
export interface ClusterLog {
  readonly log: CommitLog
  readonly sealer: Sealer
  /** Identifies this node: 16 lowercase hexadecimal digits. */
  readonly node: string
  /** Identifies the log: see position-table.ts. */
  readonly site: string
  /** Milliseconds of a clock that is never set; that of the process by default. */
  readonly ticks?: () => number
}

export interface ReplicatedQueueParts extends Pick<ApplyingParts, 'raiseSchema' | 'committed'> {
  readonly cluster: ClusterLog
  readonly models: readonly Model[]
  readonly search: SearchChanges
  readonly capture: Pick<ChangeCapture, 'silently'>
  /** Called for entries that delete an account. */
  readonly onErasure: () => void
  /** Called for entries of other nodes that change stored settings, ahead of their commit. */
  readonly onSettings: () => void
  readonly erasures: () => number
  readonly start: LastEntry & { readonly schema: number }
  /** The schema of this program. */
  readonly schemaKnown: number
}

export interface ReplicatedQueue {
  readonly queue: WriteQueue
  readonly replication: Replication
}

/** `database` is the connection that writes; nothing else may use it. The log is not closed with the queue. */
export function createReplicatedQueue(database: Database, parts: ReplicatedQueueParts): ReplicatedQueue {
  const { models, search, capture, onErasure, onSettings, erasures, raiseSchema, committed, schemaKnown } = parts
  const { log, sealer, node, ticks = () => performance.now() } = parts.cluster
  const place = createLogPlace(parts.start)
  const contact = createLogContact({
    ...{ log, ticks, applied: place.position },
    onSetBack(last) {
      isAhead = true
      leave(setBack(place.position(), last))
    },
  })
  const waiting = createWaitingJobs(ticks)
  const gathering = createEntryGathering({ waiting: waiting.count, ticks })
  const applier = createChangesetApplier(database, { models, search, capture, onErasure, onSettings })
  let diverged: string | undefined
  let isAhead = false
  let isClosed = false
  let running: Promise<void> | undefined
  const derived = createDerivedJobs(database, { search, committed })

  const leave = (reason: string): void => {
    diverged ??= reason
    inbox.stop()
    gathering.stop()
    place.leave(leftService(reason))
    start()
  }
  const leftBecause = (): LeftService | undefined => {
    if (diverged === undefined) return undefined
    return { reason: isAhead ? `${diverged}: ${AHEAD_ADVICE}` : diverged, isAhead }
  }
  const inbox = createEntryInbox(log, place.position(), {
    ...{ applied: place.position, ticks },
    onEntry() {
      contact.heard()
      gathering.entryCame()
      start()
    },
    onGap: (reason) => leave(`the log does not go back to position ${place.position()} any more: ${reason}`),
  })
  const applying = createEntryApplying({
    ...{ database, search, applier, sealer, inbox, place, ticks, raiseSchema, committed },
  })
  const counts: ReplicaCounts = { reruns: 0, applyMs: 0 }
  const propose = createProposals({
    recorder: { database, search, tables: baseTables(models) },
    ...{ sealer, node, contact, inbox, place, waiting, committed },
  })

  /** Unless the log still has the last entry of this node, it was exchanged, and a copy of a peer would lose that entry. */
  const leaveOthers = ({ message }: ForeignEntry): void => {
    isAhead = true
    leave(message)
    void isInLog(log, { position: place.position(), entry: place.entry() }, sealer).then((isThere) => (isAhead = !isThere))
  }
  const applyArrived = async (): Promise<void> => {
    const since = ticks()
    try {
      applying.applySome()
      gathering.rivalWrote()
      counts.applyMs += ticks() - since
      await nextTurn()
    } catch (error) {
      if (error instanceof ForeignEntry) return leaveOthers(error)
      if (error instanceof Divergence) return leave(error.message)
      await inbox.arrival(DISK_RETRY_MS)
    }
  }
  /** Proposes what waits as the next entry. Where another one comes first, it waits on, with what comes meanwhile. */
  const commit = async (): Promise<void> => {
    const jobs = waiting.take()
    const since = ticks()
    if (await propose(jobs)) return gathering.won(jobs.length, ticks() - since)
    gathering.lost()
    counts.reruns++
    if (inbox.first() === undefined) await inbox.arrival(NEWS_MS)
  }
  /** One transaction after another: what other nodes wrote first, then what waits here. */
  const work = async (): Promise<void> => {
    await nextTurn()
    const hasNews = (): boolean => inbox.first() !== undefined && !isClosed
    while (diverged === undefined && (hasNews() || !waiting.isEmpty() || !derived.isEmpty())) {
      derived.run()
      if (inbox.first() === undefined && !waiting.isEmpty()) await gathering.wait()
      if (inbox.first() !== undefined) await applyArrived()
      else if (!waiting.isEmpty()) await commit()
      waiting.dropLate()
    }
  }
  const start = (): void => {
    running ??= work()
      .catch((error: unknown) => leave(error instanceof Error ? error.message : String(error)))
      .finally(() => {
        running = undefined
        if (diverged !== undefined) for (const jobs of [waiting, derived]) jobs.rejectAll(() => leftService(diverged ?? ''))
        else if (!isClosed && !(waiting.isEmpty() && derived.isEmpty())) start()
      })
  }
  const whyNot = (): Failure | undefined => {
    if (isClosed) return fail('networkError', 'The service is stopping')
    return diverged === undefined ? undefined : leftService(diverged)
  }
  const write = <T>(work: () => T): Promise<T> => {
    const failure = whyNot()
    if (failure !== undefined) return Promise.reject(failure)
    if (contact.isLost()) {
      contact.probe()
      return Promise.reject(notMade(NO_ANSWER))
    }
    const outcome = waiting.add(work)
    gathering.jobCame()
    start()
    return outcome
  }
  inbox.follow()
  return {
    queue: {
      write,
      writeUnsynced: write,
      writeDerived<T>(work: () => T): Promise<T> {
        const failure = whyNot()
        if (failure !== undefined) return Promise.reject(failure)
        const outcome = derived.add(work)
        start()
        return outcome
      },
      async close() {
        isClosed = true
        waiting.hurry()
        gathering.stop()
        while (running !== undefined) await running
        inbox.stop()
      },
    },
    replication: createReplication({
      ...{ place, contact, inbox, sealer, node, schemaKnown, counts, erasures },
      diverged: leftBecause,
    }),
  }
}

/** As after restoring etcd from a backup of its own: entries that were acknowledged are in the databases of nodes alone. */
function setBack(position: number, last: number): string {
  return `the log was set back: it ends at position ${last}, and this node has entries up to ${position}`
}

const AHEAD_ADVICE =
  'stop all nodes, run "dateline cluster init" with another --cluster-prefix on the one with the highest position, and join the others again with empty data directories'

function leftService(reason: string): Failure {
  return fail('networkError', 'This node has left service: ask another one, or try again soon', {
    cause: reason,
    headers: { 'Retry-After': '5' },
  })
}
