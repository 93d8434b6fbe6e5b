/**
 * Rows of an import, checked in a thread while the rows before them are written. Reading, checking and writing out a row
 * takes as long as storing it with its indexes, and needs the database only where the row replaces a document or
 * refers to others. Those are checked in their transaction, as all are where there is no thread.
 */
import { availableParallelism } from 'node:os'
import type { SplitRow } from '../../base/row-splitter.ts'
import { startTaskThread } from '../../base/thread.ts'
import type { BulkRow } from '../../store/writes/bulk-tables.ts'
import type { CheckResult, CheckSettings, CheckTask } from './import-check-worker.ts'

/** A shorter file is imported before a thread has started. */
const AHEAD_BYTES_MIN = 1024 * 1024
/** A group of rows waits to be checked while another one is written. */
const GROUP_BYTES_MAX = 8 * 1024 * 1024
const HEAP_MB_MAX = 256

export interface ImportedRow extends SplitRow {
  /** What the row stores where nothing is stored under its id. */
  readonly ahead?: BulkRow | undefined
}

/** Whether a thread pays for so many bytes of rows. */
export function paysAhead(bytes: number): boolean {
  return bytes >= AHEAD_BYTES_MIN && availableParallelism() > 1
}

/** `rowsMax` is the length of a group. `end` ends the thread. */
export function startCheckThread(settings: CheckSettings, rowsMax: number) {
  const program = new URL('./import-check-worker.ts', import.meta.url)
  const thread = startTaskThread<CheckTask, CheckResult>(program, {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  })
  // While its rows are awaited, it may be all that keeps the process alive.
  thread.worker.ref()
  const check = async (rows: readonly SplitRow[]): Promise<readonly ImportedRow[]> => {
    try {
      const documents = await thread.run({ settings, rows })
      return rows.map((row, i) => ({ ...row, ahead: documents[i] }))
    } catch {
      // The transaction checks them, and finds what the thread failed of.
      return rows
    }
  }
  return {
    /** The rows in their order. A group goes to the thread when the rows of the one before begin to be taken. */
    async *rows(rows: AsyncIterable<SplitRow>): AsyncGenerator<ImportedRow, void> {
      let checking: ReturnType<typeof check> | undefined
      for await (const group of groupsOf(rows, rowsMax)) {
        const checked = await checking
        checking = check(group)
        if (checked !== undefined) yield* checked
      }
      if (checking !== undefined) yield* await checking
    },
    end: thread.end,
  }
}

async function* groupsOf(rows: AsyncIterable<SplitRow>, rowsMax: number): AsyncGenerator<SplitRow[], void> {
  let [group, bytes] = [[] as SplitRow[], 0]
  for await (const row of rows) {
    group.push(row)
    bytes += row.bytes.length
    if (group.length < rowsMax && bytes < GROUP_BYTES_MAX) continue
    yield group
    ;[group, bytes] = [[], 0]
  }
  if (group.length > 0) yield group
}
