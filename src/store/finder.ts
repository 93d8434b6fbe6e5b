/**
 * Decides where a query runs: beside the other requests of this turn, or in a thread of its own. What turns out longer
 * than was expected starts again in a thread.
 */
import type { Clock } from '../base/clock.ts'
import type { QueryPlan } from '../models/replies.ts'
import type { Model } from '../models/schema.ts'
import type { Database } from './database.ts'
import { execute, noEffort } from './executor.ts'
import { inlineAllowance, runsInline } from './inline-budget.ts'
import type { Plan } from './plan.ts'
import { planQuery } from './planner.ts'
import { writeQuery } from './query-message.ts'
import { createScanPool } from './scan-pool.ts'
import { indexColumns } from './schema-sql.ts'
import type { FindQuery, Found, QueryCounts } from './store.ts'

export interface Finder {
  find(model: Model, query: FindQuery, caller: string): Found | Promise<Found>
  explain(model: Model, query: FindQuery, caller: string): Promise<QueryPlan>
  counts(): QueryCounts
  close(): Promise<void>
}

export interface FinderOptions {
  readonly file: string
  readonly now: Clock
  readonly queryDeadlineMs: number | undefined
}

export function createFinder(database: Database, { file, now, queryDeadlineMs }: FinderOptions): Finder {
  const pool = createScanPool(file, queryDeadlineMs === undefined ? {} : { deadlineMs: queryDeadlineMs })
  let inline = 0
  return {
    find(model, query, caller) {
      const plan = planQuery(database, model, query)
      const found = runsInline(plan, query) ? executeInline(database, model, { plan, query, now }) : undefined
      if (found === undefined) return pool.run(writeQuery(model.name, query), caller, advice(model))
      inline++
      return found
    },
    explain: (model, query, caller) => pool.explain(writeQuery(model.name, query), caller, advice(model)),
    counts() {
      const { done, timedOut, refused } = pool.counts()
      return { inline, worker: done + timedOut, timedOut, refused }
    },
    close: () => pool.close(),
  }
}

interface InlineTask {
  readonly plan: Plan
  readonly query: FindQuery
  readonly now: Clock
}

function executeInline(database: Database, model: Model, { plan, query, now }: InlineTask): Found | undefined {
  return execute(database, model, { plan, query, effort: noEffort(), mayGoOn: inlineAllowance(plan, query, now) })
}

function advice(model: Model): string {
  const paths = [...new Set(model.indexes.flatMap((index) => indexColumns(index).map(({ path }) => path)))]
  const fast = paths.length === 0 ? '"id"' : paths.map((path) => `"${path}"`).join(', ')
  return `Cannot answer this query of ${model.name} in time: narrow the filter or sort by what has an index, which is ${fast}`
}
