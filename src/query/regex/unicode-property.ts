/**
 * Unicode properties (`\p{Lu}`), as V8 knows them.
 *
 * V8 is asked about one code point at a time, with an expression of fixed form that has no repetition. Its name must
 * have the shape of a property name before it gets there. An expression takes V8 some time to build, so that the last
 * used are kept; a matcher remembers the answers that it got.
 */

/** Expressions that are kept: more than a pattern of 1,000 characters can name. */
const KEPT_MAX = 200

const SHAPE = /^[A-Za-z0-9_]+(?:=[A-Za-z0-9_]+)?$/

/** Whether there is a property of this name: `Lu`, `Alphabetic`, `Script=Greek`. */
export function isProperty(name: string): boolean {
  return SHAPE.test(name) && expressionOf(name) !== undefined
}

/** Whether a code point has a property, of which isProperty() said that it exists. */
export function hasProperty(name: string, point: number): boolean {
  const expression = expressionOf(name)
  if (expression === undefined) throw new Error(`There is no property ${name}`)
  return expression.test(String.fromCodePoint(point))
}

/** From the least to the most recently used. */
const kept = new Map<string, RegExp>()

function expressionOf(name: string): RegExp | undefined {
  const known = kept.get(name)
  if (known !== undefined) {
    kept.delete(name)
    kept.set(name, known)
    return known
  }
  const made = makeExpression(name)
  if (made === undefined) return undefined
  const [oldest] = kept.keys()
  if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest)
  kept.set(name, made)
  return made
}

function makeExpression(name: string): RegExp | undefined {
  try {
    return new RegExp(`^\\p{${name}}$`, 'u')
  } catch {
    return undefined
  }
}
