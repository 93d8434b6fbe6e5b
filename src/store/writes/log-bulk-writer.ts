/**
 * A bulk load through the log of a cluster: each transaction is a job beside others, and becomes a part of an entry that
 * all nodes apply. An entry takes at most ENTRY_BYTES_MAX, sealed, so transactions have to be small.
 */
import { OPERATOR } from '../actor.ts'
import type { BulkWriter } from './bulk.ts'
import type { ChangeCapture } from '../history/change-capture.ts'
import { bulkTables, readNotes, type AccountOf } from './bulk-tables.ts'
import type { Database } from '../db/database.ts'
import type { WriteQueue } from '../db/write-queue.ts'
import type { SearchChanges } from '../search/search-changes.ts'

interface LogBulkParts {
  /** The connection that writes. */
  readonly database: Database
  readonly queue: Pick<WriteQueue, 'write'>
  readonly search: SearchChanges
  readonly capture: Pick<ChangeCapture, 'actBy' | 'moving'>
  readonly accountOf: AccountOf
}

/** Thrown out of a job whose changes are not wanted, so that its savepoint is rolled back. */
class NotKept extends Error {}

/** Transactions throw what writes of a node throw: networkError where the log does not answer, payloadTooLarge. */
export function createLogBulkWriter({ database, queue, search, capture, accountOf }: LogBulkParts): BulkWriter {
  // A job ends without a call of ours, so each row is written immediately.
  const { tables } = bulkTables({ database, search, capture, accountOf, rowsPerStatement: 1 })
  return {
    async transact(work, keep, prepared) {
      let result: ReturnType<typeof work> | undefined
      try {
        const kept = await queue.write(() => {
          capture.actBy(OPERATOR)
          result = work(tables)
          if (!keep) throw new NotKept()
          return result
        })
        prepared?.(kept)
        return kept
      } catch (error) {
        if (error instanceof NotKept) return result as ReturnType<typeof work>
        throw error
      }
    },
    notes: (prefix) => queue.write(() => readNotes(database, prefix)),
    // The store ends what it is made of.
    close: async () => {},
  }
}
