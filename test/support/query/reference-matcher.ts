/**
 * A second, naive reading of the filter language, to compare the real one with.
 *
 * It works on the filter as JSON and collects all candidates of a path in a list, as the specification words it. It is
 * slow, checks nothing, expects valid filters, and shares no code with `src/query`.
 */
import type { Json, JsonObject } from '../../../src/base/json.ts'

type Candidate = Json | undefined

const MISSING = undefined
const TYPE_ORDER = ['null', 'number', 'string', 'object', 'array', 'boolean']

export function referenceMatches(filter: JsonObject, document: Json): boolean {
  return Object.entries(filter).every(([key, value]) => {
    const members = value as readonly JsonObject[]
    if (key === '$and') return members.every((member) => referenceMatches(member, document))
    if (key === '$or') return members.some((member) => referenceMatches(member, document))
    if (key === '$nor') return !members.some((member) => referenceMatches(member, document))
    const path = key.split('.')
    return meetsCondition(value, candidatesOf(document, path, false), candidatesOf(document, path, true))
  })
}

/** `whole` are the candidates for `$size` and `$elemMatch`: an array at the end of the path alone. */
function meetsCondition(condition: Json, all: Candidate[], whole: Candidate[]): boolean {
  if (!isPlainObject(condition) || !Object.keys(condition)[0]?.startsWith('$')) {
    return all.some((c) => equal(c, condition))
  }
  return Object.entries(condition).every(([operator, operand]) => {
    const list = operand as readonly Json[]
    switch (operator) {
      case '$eq':
        return all.some((c) => equal(c, operand))
      case '$ne':
        return !all.some((c) => equal(c, operand))
      case '$in':
        return list.some((one) => all.some((c) => equal(c, one)))
      case '$nin':
        return !list.some((one) => all.some((c) => equal(c, one)))
      case '$gt':
        return all.some((c) => sameType(c, operand) && operand !== null && order(c as Json, operand) > 0)
      case '$lt':
        return all.some((c) => sameType(c, operand) && operand !== null && order(c as Json, operand) < 0)
      case '$gte':
        return all.some((c) => equal(c, operand) || (sameType(c, operand) && order(c as Json, operand) > 0))
      case '$lte':
        return all.some((c) => equal(c, operand) || (sameType(c, operand) && order(c as Json, operand) < 0))
      case '$exists': {
        const present = all.some((c) => c !== MISSING)
        return [false, 0, null].includes(operand as null) ? !present : present
      }
      case '$type':
        return all.some((c) => c !== MISSING && typeName(c) === operand)
      case '$size':
        return whole.some((c) => Array.isArray(c) && c.length === operand)
      case '$all':
        if (isPlainObject(list[0]) && '$elemMatch' in list[0]) {
          return list.every((one) => meetsCondition(one, all, whole))
        }
        return list.length > 0 && list.every((one) => all.some((c) => equal(c, one)))
      case '$elemMatch':
        return whole.some((c) => Array.isArray(c) && c.some((element: Json) => meetsElement(element, operand)))
      case '$mod':
        return all.some((c) => typeof c === 'number' && Math.trunc(c) % Number(list[0]) === Number(list[1]))
      case '$not':
        return !meetsCondition(operand, all, whole)
      case '$regex': {
        const options = condition['$options'] as string | undefined
        return all.some((c) => typeof c === 'string' && new RegExp(operand as string, `u${options ?? ''}`).test(c))
      }
      case '$options':
        return true
      default:
        throw new Error(`The reference knows no ${operator}`)
    }
  })
}

function meetsElement(element: Json, condition: Json): boolean {
  const first = Object.keys(condition as JsonObject)[0]
  if (first?.startsWith('$') && !['$and', '$or', '$nor'].includes(first)) {
    return meetsCondition(condition, [element], [element])
  }
  return typeof element === 'object' && element !== null && referenceMatches(condition as JsonObject, element)
}

function candidatesOf(root: Json, path: readonly string[], whole: boolean): Candidate[] {
  return walk(Array.isArray(root) ? Object.assign(Object.create(null), root) : root, path)

  function walk(object: JsonObject, [segment, ...rest]: readonly string[]): Candidate[] {
    const key = segment as string
    if (!Object.keys(object).includes(key)) return [MISSING]
    const value = object[key] as Json
    if (Array.isArray(value)) return array(value, rest)
    if (rest.length === 0) return [value]
    return isPlainObject(value) ? walk(value, rest) : [MISSING]
  }

  function array(list: readonly Json[], rest: readonly string[]): Candidate[] {
    if (rest.length === 0) return whole ? [list] : [...list, list]
    return list.flatMap((element, i) => {
      const found: Candidate[] = isPlainObject(element) ? walk(element, rest) : []
      if (rest[0] !== String(i)) return found
      const after = rest.slice(1)
      if (after.length === 0) return [...found, element]
      if (Array.isArray(element)) return [...found, ...array(element, after)]
      return isPlainObject(element) ? [...found, ...walk(element, after)] : found
    })
  }
}

function isPlainObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sameType(candidate: Candidate, operand: Json): boolean {
  return candidate !== MISSING && rank(candidate) === rank(operand)
}

function equal(candidate: Candidate, operand: Json): boolean {
  return candidate === MISSING ? operand === null : order(candidate, operand) === 0
}

function rank(value: Json): number {
  return TYPE_ORDER.indexOf(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
}

function typeName(value: Json): string {
  if (typeof value === 'number') return !Number.isInteger(value) ? 'double' : value === (value | 0) ? 'int' : 'long'
  return (TYPE_ORDER[rank(value)] as string).replace('boolean', 'bool')
}

/** Writes both values as lists of steps, each comparable alone, and compares the lists. */
function order(a: Json, b: Json): number {
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string))
  if (a === null || typeof a !== 'object') return Number(a) - Number(b)
  const [pairsA, pairsB] = [Object.entries(a), Object.entries(b as JsonObject)]
  for (const [i, [keyA, valueA]] of pairsA.entries()) {
    const pair = pairsB[i]
    if (pair === undefined) return 1
    const [keyB, valueB] = pair
    const byType = rank(valueA as Json) - rank(valueB)
    const byPair = byType || (Array.isArray(a) ? 0 : order(keyA, keyB)) || order(valueA as Json, valueB)
    if (byPair !== 0) return byPair
  }
  return pairsA.length - pairsB.length
}
