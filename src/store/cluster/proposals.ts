/**
 * Proposes jobs as the next entry of the log: they run in a transaction that stays open until the log has decided.
 */
import { randomBytes } from 'node:crypto'
import { fail } from '../../base/failure.ts'
import type { Database } from '../db/database.ts'
import { runInSavepoint, type Outcome } from '../db/write-queue.ts'
import type { SearchChanges } from '../search/search-changes.ts'
import { ENTRY_BYTES_MAX, LogUnavailable, type Sealer } from './commit-log.ts'
import type { EntryInbox } from './entry-inbox.ts'
import type { LogContact, LogPlace } from './log-contact.ts'
import { movePosition, type LastEntry } from './position-table.ts'
import { mayHaveHappened, NO_ANSWER, notMade, type WaitingJob, type WaitingJobs } from './waiting-jobs.ts'

/** Between two attempts to reach the log. */
const RETRY_MS = 50
const ID_BYTES = 16

/** Random, so that no two entries of any nodes have the same. */
export const newEntryId = (): string => randomBytes(ID_BYTES).toString('hex')

export interface ProposalParts {
  readonly recorder: Recorder
  readonly sealer: Sealer
  /** Identifies this node in its entries. */
  readonly node: string
  readonly contact: LogContact
  readonly inbox: EntryInbox
  readonly place: LogPlace
  readonly waiting: WaitingJobs
  /** Called behind each commit. */
  readonly committed: () => void
}

/**
 * Returns a function that proposes jobs once. False where no entry of theirs is in the log, as another one comes first: jobs
 * without an outcome wait again.
 */
export function createProposals(parts: ProposalParts): (jobs: readonly WaitingJob[]) => Promise<boolean> {
  const { recorder, sealer, node, contact, inbox, place, waiting, committed } = parts
  const { database, search } = recorder

  const lose = (jobs: readonly WaitingJob[]): false => {
    waiting.putBack(jobs)
    return false
  }
  const rollBack = (): void => {
    if (database.inTransaction) database.exec('ROLLBACK')
    search.discard()
  }
  /** Whether the jobs saw the newest state. Their outcome depends on it even where they change nothing. */
  const sawNewest = async (jobs: readonly WaitingJob[]): Promise<boolean> => {
    for (;;) {
      try {
        return (await contact.last()) === place.position()
      } catch (error) {
        if (!(error instanceof LogUnavailable)) throw error
        await inbox.arrival(RETRY_MS)
        const left = waiting.giveUpLate(jobs, () => notMade(NO_ANSWER))
        if (left.length === 0 || inbox.first() !== undefined) return false
      }
    }
  }
  /**
   * Appends an entry, again where the outcome of an attempt is unknown: behind one position at most one entry can be.
   * Returns its position; undefined where another entry came first, or too few jobs wait for the outcome.
   */
  const append = async (body: Uint8Array, id: string, jobs: readonly WaitingJob[]): Promise<number | undefined> => {
    let wasSent = false
    for (;;) {
      const next = inbox.first()
      if (next !== undefined) return idOf(next.body) === id ? next.position : undefined
      try {
        const answer = await contact.append(place.position(), body)
        if (answer.kind === 'appended') return answer.position
        if (!wasSent) return undefined
      } catch (error) {
        if (!(error instanceof LogUnavailable)) throw error
        wasSent ||= error.sent
      }
      await inbox.arrival(RETRY_MS)
      const left = waiting.giveUpLate(jobs, wasSent ? mayHaveHappened : () => notMade(NO_ANSWER))
      // What was reported as not made must not be in an entry: the others run again without it.
      if (left.length === 0 || (!wasSent && left.length < jobs.length)) return undefined
    }
  }
  /** The id of an entry; undefined where it cannot be read, so that it is not ours. */
  const idOf = (body: Uint8Array): string | undefined => {
    try {
      return sealer.open(body).id
    } catch {
      return undefined
    }
  }
  const commit = (reached: LastEntry, jobs: readonly WaitingJob[], outcomes: readonly Outcome[]): void => {
    try {
      search.flush()
      movePosition(database, reached)
      database.run('COMMIT')
    } catch {
      // The entry is in the log. It is applied when it arrives, as soon as the disk allows.
      rollBack()
      return jobs.forEach((job) => job.settle({ kind: 'failed', error: mayHaveHappened() }))
    }
    place.move(reached)
    inbox.removeTo(reached.position)
    committed()
    settle(jobs, outcomes)
  }
  const propose = async (jobs: readonly WaitingJob[]): Promise<boolean> => {
    const { outcomes, changeset } = recordJobs(recorder, jobs)
    if (changeset.length === 0) {
      rollBack()
      if (!(await sawNewest(jobs))) return lose(jobs)
      settle(jobs, outcomes)
      return true
    }
    const id = newEntryId()
    const body = sealer.seal({ schema: place.schema(), node, id, previous: place.entry(), changeset })
    if (body.length > ENTRY_BYTES_MAX) {
      rollBack()
      return proposeFewer(jobs, body.length)
    }
    const position = await append(body, id, jobs)
    if (position === undefined) {
      rollBack()
      return lose(jobs)
    }
    commit({ position, entry: id }, jobs, outcomes)
    return true
  }
  /** The first half of jobs that are too large together. */
  const proposeFewer = (jobs: readonly WaitingJob[], bytes: number): Promise<boolean> | true => {
    if (jobs.length === 1) {
      const message = `Cannot write ${bytes} bytes in one step: a cluster takes at most ${ENTRY_BYTES_MAX}`
      settle(jobs, [{ kind: 'failed', error: fail('payloadTooLarge', message) }])
      return true
    }
    const half = Math.ceil(jobs.length / 2)
    waiting.putBack(jobs.slice(half))
    return propose(jobs.slice(0, half))
  }
  return async (jobs) => {
    try {
      return await propose(jobs)
    } catch (error) {
      rollBack()
      for (const job of jobs) job.settle({ kind: 'failed', error })
      // Those that were divided off wait again, and must not be made after all.
      waiting.dropLate()
      return true
    }
  }
}

function settle(jobs: readonly WaitingJob[], outcomes: readonly Outcome[]): void {
  jobs.forEach((job, i) => job.settle(outcomes[i] as Outcome))
}

/*
 * Runs jobs in a transaction and records what they change, with SQLite's session extension. The transaction stays open:
 * the log decides whether it is committed.
 *
 * The session holds the changes of triggers and cascades to these tables as well, so that a changeset is complete.
 * Only what is derived is left to the triggers of each node.
 */

interface Recording {
  /** Of each job, in their order. */
  readonly outcomes: readonly Outcome[]
  /** Empty where no job changed anything. */
  readonly changeset: Uint8Array
}

export interface Recorder {
  readonly database: Database
  readonly search: SearchChanges
  readonly tables: readonly string[]
}

/** Throws what SQLite throws where the transaction cannot go on. */
function recordJobs(
  { database, search, tables }: Recorder,
  jobs: readonly { readonly work: () => unknown }[],
): Recording {
  database.run('BEGIN IMMEDIATE')
  const sessions = tables.map(database.recordChanges)
  try {
    const outcomes = jobs.map((job) => runInSavepoint(database, search, job))
    return { outcomes, changeset: Buffer.concat(sessions.map((session) => session.changeset())) }
  } finally {
    for (const session of sessions) session.close()
  }
}
