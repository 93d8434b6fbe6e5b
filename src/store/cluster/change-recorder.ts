/**
 * Runs jobs in a transaction and records what they change, with SQLite's session extension. The transaction stays open:
 * the log decides whether it is committed.
 *
 * The session holds the changes of triggers and cascades to these tables as well, so that a changeset is complete.
 * Only what is derived is left to the triggers of each node.
 */
import type { Database } from '../db/database.ts'
import { runInSavepoint, type Outcome } from '../db/write-queue.ts'
import type { SearchChanges } from '../search/search-changes.ts'

export interface Recording {
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
export function recordJobs(
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
