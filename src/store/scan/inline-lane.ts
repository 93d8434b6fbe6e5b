/**
 * Runs queries that take longer than a moment on the main thread, in the slices of a lane (turn-lane.ts).
 *
 * A query sees one state of the database from its first slice to its last: they have a read-only connection of their own,
 * with a transaction for each query. In WAL mode that blocks no write.
 */
import type { Model } from '../../models/schema.ts'
import { StepsExceeded } from '../../query/steps.ts'
import { openDatabase, type Database } from '../sqlite/database.ts'
import { noEffort, startScan } from '../plan/executor.ts'
import { inlineBudget, runsInline } from './inline-budget.ts'
import { planQuery } from '../plan/planner.ts'
import type { QueryCaller, FindQuery, Found } from '../store.ts'
import type { ClosableWork, TurnLane } from './turn-lane.ts'

/** Some thousand documents, which are read repeatedly. */
const CACHE_KIB = 16 * 1024


export interface LaneOptions {
  /** The database. */
  readonly file: string
  /** The caller closes it before this. */
  readonly lane: TurnLane
  /** The size of the text of a query, for the bound on waiting queries. */
  readonly bytesOf: (query: FindQuery) => number
}

export function createInlineLane({ file, lane, bytesOf }: LaneOptions) {
  let database: Database | undefined

  const scanOf = (model: Model, query: FindQuery) => (): ClosableWork<Found> | undefined => {
    const connection = (database ??= openDatabase(file, { readOnly: true, cacheKib: CACHE_KIB }))
    const commit = (): void => connection.exec('COMMIT')
    connection.exec('BEGIN')
    try {
      const plan = planQuery(connection, model, query)
      if (!runsInline(plan)) {
        commit()
        return undefined
      }
      const { steps, nextDocument } = inlineBudget()
      const rows = startScan(connection, model, { plan, query, effort: noEffort(steps) })
      return {
        spent: () => plan.stepsToPlan + steps.taken,
        advance: (mayGoOn) =>
          rows.advance(() => {
            nextDocument()
            return mayGoOn()
          }),
        close() {
          rows.close()
          commit()
        },
      }
    } catch (error) {
      commit()
      throw error
    }
  }

  return {
    /** The page, or undefined where it takes more than an inline query may. Throws what fair-slots.ts says. */
    async run(model: Model, query: FindQuery, caller: QueryCaller): Promise<Found | undefined> {
      try {
        return await lane.run(caller, bytesOf(query), scanOf(model, query))
      } catch (error) {
        if (error instanceof StepsExceeded) return undefined
        throw error
      }
    },
    close: (): void => database?.close(),
  }
}
