/**
 * Names that a user gives to a thing and others read: of the app, a token, a passkey, a view. None may look like another
 * one, so control characters and line breaks are refused, and so are the embeddings, overrides and isolates of Unicode UAX #9
 * section 2, which turn the text beside them. Marks of a direction and joiners stay: names in Arabic, Persian and emoji have them.
 */
import { describe, fail } from './failure.ts'

const MISLEADING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u
/** Not those that have no shape, such as U+3164 and U+2800. */
const VISIBLE = /[[\p{L}\p{N}\p{P}\p{S}]--[\p{DI}\u2800]]/v

/** Whether a reader sees anything of a name: one of joiners and spaces alone would stand for no person and no thing. */
export function isVisible(name: string): boolean {
  return VISIBLE.test(name)
}

/** What is expected of the name, and what was found; undefined where it can be shown. */
export function nameProblem(name: string, charsMax: number): string | undefined {
  const sign = MISLEADING.exec(name)?.[0].codePointAt(0)
  if (sign !== undefined) {
    const found = `U+${sign.toString(16).toUpperCase().padStart(4, '0')}`
    return `expected a name without control characters and without signs that turn the direction of text, found ${found}`
  }
  if (isVisible(name) && name.length <= 2 * charsMax && [...name].length <= charsMax) return undefined
  return `expected a text of 1 to ${charsMax} characters, found ${describe(name)}`
}

/** The member `name` of a body, with single spaces. Throws invalidInput. */
export function readShownName(given: unknown, charsMax: number): string {
  const name = typeof given === 'string' ? given.replace(/[\t\p{Zs}]+/gu, ' ').trim() : undefined
  const problem = name === undefined ? `expected a text of 1 to ${charsMax} characters, found ${describe(given)}` : nameProblem(name, charsMax)
  if (problem === undefined && name !== undefined) return name
  throw fail('invalidInput', `name: ${problem}`)
}
