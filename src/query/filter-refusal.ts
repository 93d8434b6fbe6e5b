/** What is said when a part of a filter cannot be read: where, what was wanted, what was found. */
import { describe, fail, type Failure } from '../base/failure.ts'

const PLACE_CHARS_MAX = 200

/** `Cannot read filter at "$.$and[1].age.$gt": expected a number, found "old"`. Places with long names are cut. */
export function refused(at: string, expected: string, found: unknown): Failure {
  const half = PLACE_CHARS_MAX / 2
  const place = at.length <= PLACE_CHARS_MAX ? at : `${at.slice(0, half)}…${at.slice(-half)}`
  const message = `Cannot read filter at ${JSON.stringify(place)}: expected ${expected}, found ${describe(found)}`
  return fail('badRequest', message)
}
