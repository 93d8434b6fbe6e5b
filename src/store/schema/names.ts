/** SQL of names and values that come from the declarations of the models, never from input. */
import type { Model } from '../../models/schema.ts'

/** Of an ISO date: `2026-03-01T12`. */
export const HOUR_CHARS = 13

/** A table, an index or a trigger, with the statement that makes it. */
export interface SchemaPart {
  readonly name: string
  readonly sql: string
}

/** `"headline"` */
export function tableOf(model: Model): string {
  return `"${model.name}"`
}

/** `doc ->> '$."topic"."id"'`: the SQL value of a declared path (sqlite.org/json1.html#jptr). */
export function valueAt(path: string): string {
  const known = valuesAt.get(path)
  if (known !== undefined) return known
  const steps = path.split('.').map((step) => `"${step}"`)
  const sql = `doc ->> '$.${steps.join('.')}'`
  valuesAt.set(path, sql)
  return sql
}

/** Of declared paths, so there are not many. */
const valuesAt = new Map<string, string>()

/** `substr(doc ->> '$."createdAt"', 1, 13)`: `2026-03-01T12`, the hour of a stored date; see base/dates.ts. */
export function hourAt(path: string, row = ''): string {
  return `substr(${row}${valueAt(path)}, 1, ${HOUR_CHARS})`
}
