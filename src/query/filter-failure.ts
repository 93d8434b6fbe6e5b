/** The failure for a part of a filter that cannot be read: its path, what was expected, what was found. */
import { describe, fail, type Failure } from '../base/failure.ts'

const PATH_CHARS_MAX = 200

/** `Cannot read filter at "$.$and[1].age.$gt": expected a number, found "old"`. Long paths are cut. */
export function filterFailure(at: string, expected: string, found: unknown): Failure {
  return filterFailureFound(at, expected, describe(found))
}

/** The same with a description of what was found, which must be short. */
export function filterFailureFound(at: string, expected: string, found: string): Failure {
  const half = PATH_CHARS_MAX / 2
  const path = at.length <= PATH_CHARS_MAX ? at : `${at.slice(0, half)}…${at.slice(-half)}`
  return fail('badRequest', `Cannot read filter at ${JSON.stringify(path)}: expected ${expected}, found ${found}`)
}
