/**
 * Runs queries that take longer than a moment on the main thread: one at a time, in slices. Between two slices the event
 * loop serves everything else.
 *
 * Callers take turns as they do for threads (fair-slots.ts), so a flood of such queries costs the others one slice in each
 * turn of the event loop. A query sees one state of the database from its first slice to its last: the lane has a read-only
 * connection of its own, with a transaction for each query. In WAL mode that blocks no write.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Arrivals } from '../../base/arrivals.ts'
import type { Clock } from '../../base/clock.ts'
import type { Model } from '../../models/schema.ts'
import { StepsExceeded } from '../../query/steps.ts'
import { openDatabase, type Database } from '../sqlite/database.ts'
import { noEffort, startScan } from '../plan/executor.ts'
import { createFairSlots, stopping } from './fair-slots.ts'
import { ARRIVAL_TURNS_MAX, inlineBudget, runsInline, SLICE_STEPS } from './inline-budget.ts'
import { planQuery } from '../plan/planner.ts'
import type { QueryCaller, FindQuery, Found } from '../store.ts'

/** Some thousand documents, which are read repeatedly. */
const CACHE_KIB = 16 * 1024

export type InlineLane = ReturnType<typeof createInlineLane>

export interface LaneOptions {
  /** The database. */
  readonly file: string
  readonly now: Clock
  readonly arrivals: Pick<Arrivals, 'areMany'>
  /** The size of the text of a query, for the bound on waiting queries. */
  readonly bytesOf: (query: FindQuery) => number
}

export function createInlineLane({ file, now, arrivals, bytesOf }: LaneOptions) {
  const slots = createFairSlots({ slots: 1, reserved: 0, perCaller: { guest: 1, user: 1, dashboard: 1 } }, now)
  let database: Database | undefined
  let running: Promise<unknown> = Promise.resolve()
  let isClosed = false
  /** Left of the slice of this turn, which several short queries share. */
  let stepsLeft = SLICE_STEPS

  const pause = async (): Promise<void> => {
    await nextTurn()
    for (let i = 1; i < ARRIVAL_TURNS_MAX && arrivals.areMany(); i++) await nextTurn()
    stepsLeft = SLICE_STEPS
  }

  const scan = async (model: Model, query: FindQuery, { signal }: QueryCaller): Promise<Found | undefined> => {
    if (stepsLeft <= 0) await pause()
    if (isClosed) throw stopping()
    const connection = (database ??= openDatabase(file, { readOnly: true, cacheKib: CACHE_KIB }))
    connection.exec('BEGIN')
    try {
      const plan = planQuery(connection, model, query)
      if (!runsInline(plan)) return undefined
      const { steps, nextDocument } = inlineBudget()
      const rows = startScan(connection, model, { plan, query, effort: noEffort(steps) })
      try {
        for (;;) {
          const before = steps.taken
          const found = rows.advance(() => {
            nextDocument()
            return steps.taken - before < stepsLeft
          })
          stepsLeft -= plan.stepsToPlan + steps.taken - before
          if (found !== undefined) return found
          await pause()
          if (isClosed) throw stopping()
          signal?.throwIfAborted()
        }
      } finally {
        rows.close()
      }
    } catch (error) {
      if (error instanceof StepsExceeded) return undefined
      throw error
    } finally {
      connection.exec('COMMIT')
    }
  }

  return {
    /** The page, or undefined where it takes more than an inline query may. Throws what fair-slots.ts says. */
    async run(model: Model, query: FindQuery, caller: QueryCaller): Promise<Found | undefined> {
      const release = await slots.take(caller, bytesOf(query))
      const scanning = scan(model, query, caller).finally(release)
      running = scanning.catch(() => {})
      return scanning
    },
    slots,
    /** Rejects what waits, and ends what runs at its next slice. */
    async close(): Promise<void> {
      isClosed = true
      slots.close()
      await running
      database?.close()
    },
  }
}
