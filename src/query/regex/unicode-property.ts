/**
 * Unicode properties (`\p{Lu}`), as V8 knows them.
 *
 * V8 is asked about one code point at a time, with an expression of fixed form that has no repetition. Its name must
 * have the shape of a property name before it gets there. Such an expression takes V8 a tenth of a millisecond to build,
 * so it is kept; there are less than two thousand names.
 */

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

/** By name. Only names of properties that exist get in. */
const kept = new Map<string, RegExp>()

function expressionOf(name: string): RegExp | undefined {
  const known = kept.get(name)
  if (known !== undefined) return known
  try {
    const made = new RegExp(`^\\p{${name}}$`, 'u')
    kept.set(name, made)
    return made
  } catch {
    return undefined
  }
}
