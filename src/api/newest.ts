/** The parameter `limit` of lists that show the newest and have no pages. */
import { describe, fail } from '../base/failure.ts'
import type { Query } from '../http/request/query-string.ts'

export const NEWEST_DEFAULT = 100
export const NEWEST_MAX = 1_000

/** Throws badRequest where it is no whole number from 1 to NEWEST_MAX. */
export function readNewest(query: Query): number {
  const given = query.get('limit')
  if (given === undefined) return NEWEST_DEFAULT
  const count = /^\d{1,4}$/.test(given) ? Number(given) : 0
  if (count >= 1 && count <= NEWEST_MAX) return count
  throw fail('badRequest', `Cannot read limit ${describe(given)}: expected a whole number from 1 to ${NEWEST_MAX}`)
}
