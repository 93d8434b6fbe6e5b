/**
 * Whether the times of documents are schedules. On a node of a cluster that is not upgraded yet, they are members that
 * clients made up: nothing happens at them, and the migration removes them; see publication-dates.ts.
 */
import { fail } from '../../base/failure.ts'
import type { JsonObject } from '../../base/json.ts'
import { isScheduled } from '../../models/scheduled.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from './database.ts'

/** The schema that addPublicationDates() makes. */
const DATES_SCHEMA = 16
const TIMES = ['publishAt', 'unpublishAt'] as const

/** Files that have it: a schema is never lowered. */
const known = new WeakSet<Database>()

export function hasSchedules(database: Database): boolean {
  if (known.has(database)) return true
  const { user_version: schema } = database.get('PRAGMA user_version') ?? {}
  if (Number(schema) < DATES_SCHEMA) return false
  known.add(database)
  return true
}

/** Throws conflict for a new time that the migration, which is to come, would remove. */
export function requireSchedules(database: Database, model: Model, stored: JsonObject | undefined, next: JsonObject): void {
  if (!isScheduled(model) || hasSchedules(database)) return
  if (TIMES.every((name) => next[name] === undefined || next[name] === stored?.[name])) return
  throw fail('conflict', `Cannot schedule the ${model.name}: the nodes of the cluster have an earlier schema: run "dateline cluster upgrade"`)
}
