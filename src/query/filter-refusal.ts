/** What is said when a part of a filter cannot be read: where, what was wanted, what was found. */
import { describe, fail, type Failure } from '../base/failure.ts'

const PLACE_CHARS_MAX = 200

/** `Cannot read filter at "$.$and[1].age.$gt": expected a number, found "old"`. Places with long names are cut. */
export function refused(at: string, expected: string, found: unknown): Failure {
  return refusedAs(at, expected, describe(found))
}

/** The same, where what was found takes words of its own. They must be short. */
export function refusedAs(at: string, expected: string, found: string): Failure {
  const half = PLACE_CHARS_MAX / 2
  const place = at.length <= PLACE_CHARS_MAX ? at : `${at.slice(0, half)}…${at.slice(-half)}`
  return fail('badRequest', `Cannot read filter at ${JSON.stringify(place)}: expected ${expected}, found ${found}`)
}
