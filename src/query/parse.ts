/**
 * From a filter as JSON to the tree that the rest works with.
 *
 * The language is MongoDB's query language restricted to JSON (see ast.ts for what remains). The whole filter is read
 * before any document is looked at: an error anywhere is an error, whatever the data and whatever other conditions
 * decide. Everything is bounded, for a filter comes from strangers.
 */
import { parseIsoDate } from '../base/dates.ts'
import { fail } from '../base/failure.ts'
import {
  isObject,
  JSON_DEPTH_JUDGED_MAX,
  JsonError,
  parseJson,
  type Json,
  type JsonObject,
} from '../base/json.ts'
import * as ast from './ast.ts'
import { dotted, pathOf, type Filter, type Path } from './ast.ts'
import { filterFailure } from './filter-failure.ts'
import {
  firstKey,
  isOperatorObject,
  readDivision,
  readExists,
  readMembers,
  readPattern,
  readSize,
  readTypes,
} from './operands.ts'
import { propertiesOf, statesOf } from './pattern.ts'

/** UTF-8 bytes of a filter's text. */
const FILTER_BYTES_MAX = 65_536
/** Filters, `$not`, `$elemMatch` and literals within one another; the outermost filter is level 1. */
const FILTER_LEVELS_MAX = 100
/** Literals and operators that test a field, and empty members of lists, counted over the whole filter. */
const CONDITIONS_MAX = 1000
/** Of all patterns of a filter; each has a limit of its own. It bounds the memory that a filter takes. */
const PATTERN_STATES_MAX = 100_000
/** Different Unicode properties in all patterns of a filter. The first question about one takes V8 some time. */
const PROPERTIES_MAX = 100

const LOGICAL = new Set(['$and', '$or', '$nor'])

export interface FilterOptions {
  /** Dotted paths of declared dates: an operand there that is a date in any ISO form is brought to the stored form. */
  readonly dateFields?: ReadonlySet<string>
}

/** Reads the text of a filter as JSON, for parseFilter. Throws badRequest for one too long or malformed. */
export function parseFilterText(text: string): Json {
  const bytes = Buffer.byteLength(text)
  if (bytes > FILTER_BYTES_MAX) {
    throw fail('badRequest', `Cannot read filter: expected at most ${FILTER_BYTES_MAX} bytes of text, found ${bytes}`)
  }
  try {
    return parseJson(text, { depthMax: JSON_DEPTH_JUDGED_MAX })
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const wanted = `a JSON object of at most ${FILTER_LEVELS_MAX} levels`
    throw fail('badRequest', `Cannot read filter: expected ${wanted}, found malformed JSON: ${error.message}`)
  }
}

/** Parses a filter. Throws badRequest with the path of the error: `Cannot read filter at "$.age.$gt": …`. */
export function parseFilter(filter: Json, { dateFields = new Set() }: FilterOptions = {}): Filter {
  const reading: Reading = { dateFields, conditions: 0, patternStates: 0, properties: new Set() }
  const parsed = readFilterObject(reading, filter, { at: '$', level: 1, within: undefined })
  requireFewConditions(reading)
  if (reading.patternStates > PATTERN_STATES_MAX) {
    throw filterFailure('$', `patterns of at most ${PATTERN_STATES_MAX} states together`, reading.patternStates)
  }
  return parsed
}

interface Reading {
  readonly dateFields: ReadonlySet<string>
  conditions: number
  patternStates: number
  /** Names of Unicode properties that patterns ask for. */
  readonly properties: Set<string>
}

/** Also asked on the way, so that no more is read of a filter that has too many. */
function requireFewConditions({ conditions }: Reading): void {
  if (conditions > CONDITIONS_MAX) throw filterFailure('$', `at most ${CONDITIONS_MAX} conditions`, conditions)
}

/** What surrounds the part being read: its path for messages, its level, and the array whose elements `$elemMatch` looks at. */
interface FilterScope {
  readonly at: string
  readonly level: number
  readonly within: string | undefined
}

/** A part whose operators test the field at `path`; `field` is its full dotted name, from the top of the document. */
interface Target extends FilterScope {
  readonly path: Path
  readonly field: string
}

function readFilterObject(reading: Reading, filter: Json, scope: FilterScope): Filter {
  if (!isObject(filter)) throw filterFailure(scope.at, 'an object', filter)
  if (scope.level > FILTER_LEVELS_MAX) throw tooDeep(scope.at, scope.level)
  requireFewConditions(reading)
  return ast.and(
    ...Object.entries(filter).map(([key, value]) => {
      const inner = { ...scope, at: `${scope.at}.${key}` }
      if (LOGICAL.has(key)) return readLogic(reading, key, value, inner)
      if (key.startsWith('$')) throw filterFailure(inner.at, 'a field or one of $and, $or and $nor', key)
      const path = pathOf(key, { fromTop: scope.within === undefined })
      const field = scope.within === undefined ? dotted(path) : `${scope.within}.${key}`
      return readCondition(reading, value, { ...inner, path, field })
    }),
  )
}

function readLogic(reading: Reading, operator: string, list: Json, scope: FilterScope): Filter {
  if (!Array.isArray(list) || list.length === 0) throw filterFailure(scope.at, 'a list of at least one filter', list)
  // A member that tests nothing is read like any other, and there is room for twenty thousand of them.
  reading.conditions += list.filter((member: Json) => isObject(member) && firstKey(member) === undefined).length
  const members = list.map((member: Json, i) =>
    readFilterObject(reading, member, { ...scope, at: `${scope.at}[${i}]`, level: scope.level + 1 }),
  )
  if (operator === '$and') return ast.and(...members)
  return operator === '$or' ? ast.or(...members) : ast.not(ast.or(...members))
}

function readCondition(reading: Reading, value: Json, target: Target): Filter {
  if (isOperatorObject(value)) return readOperators(reading, value, target)
  reading.conditions++
  return ast.eq(target.path, readLiteral(reading, value, target))
}

function readOperators(reading: Reading, operators: JsonObject, target: Target): Filter {
  return ast.and(
    ...Object.entries(operators).map(([operator, operand]) => {
      // Options are read with their pattern, and count with it.
      if (operator === '$options' && Object.hasOwn(operators, '$regex')) return ast.matchAll
      if (operator !== '$not') reading.conditions++
      if (operator === '$regex') {
        const options = Object.hasOwn(operators, '$options') ? (operators['$options'] as Json) : ''
        const pattern = readPattern(operand, options, target.at)
        reading.patternStates += statesOf(pattern)
        for (const name of propertiesOf(pattern)) reading.properties.add(name)
        if (reading.properties.size > PROPERTIES_MAX) {
          throw filterFailure('$', `at most ${PROPERTIES_MAX} Unicode properties`, reading.properties.size)
        }
        return ast.matchesPattern(target.path, pattern)
      }
      return readOperator(reading, operator, operand, { ...target, at: `${target.at}.${operator}` })
    }),
  )
}

function readOperator(reading: Reading, operator: string, operand: Json, target: Target): Filter {
  const { path, at } = target
  switch (operator) {
    case '$eq':
      return ast.eq(path, readLiteral(reading, operand, target))
    case '$ne':
      return ast.not(ast.eq(path, readLiteral(reading, operand, target)))
    case '$in':
      return ast.isIn(path, readLiterals(reading, operand, target))
    case '$nin':
      return ast.not(ast.isIn(path, readLiterals(reading, operand, target)))
    case '$gt':
      return ast.compare(path, 'gt', readLiteral(reading, operand, target))
    case '$gte':
      return ast.compare(path, 'gte', readLiteral(reading, operand, target))
    case '$lt':
      return ast.compare(path, 'lt', readLiteral(reading, operand, target))
    case '$lte':
      return ast.compare(path, 'lte', readLiteral(reading, operand, target))
    case '$exists':
      return readExists(operand) ? ast.exists(path) : ast.not(ast.exists(path))
    case '$type':
      return ast.hasType(path, readTypes(operand, at))
    case '$size':
      return ast.hasSize(path, readSize(operand, at))
    case '$mod':
      return ast.mod(path, ...readDivision(operand, at))
    case '$all':
      return readAll(reading, operand, target)
    case '$elemMatch':
      return readElemMatch(reading, operand, target)
    case '$not':
      return readNot(reading, operand, target)
    case '$options':
      throw filterFailure(at, '$regex beside it', undefined)
    default:
      throw filterFailure(at, operator.startsWith('$') ? 'an operator that tests a field' : 'operators alone', operator)
  }
}

function readNot(reading: Reading, operand: Json, target: Target): Filter {
  if (!isOperatorObject(operand)) throw filterFailure(target.at, 'an object of operators', operand)
  return ast.not(readOperators(reading, operand, deeper(target)))
}

function readAll(reading: Reading, operand: Json, target: Target): Filter {
  const members = readMembers(operand, target.at)
  if (members.length === 0) return ast.matchNone
  if (!isElemMatch(members[0] as Json)) {
    return ast.and(...readLiterals(reading, members, target).map((member) => ast.eq(target.path, member)))
  }
  return ast.and(
    ...members.map((member, i) => {
      const at = `${target.at}[${i}]`
      if (!isElemMatch(member) || Object.keys(member).length !== 1) throw filterFailure(at, 'only $elemMatch', member)
      reading.conditions++
      return readElemMatch(reading, member['$elemMatch'] as Json, { ...target, at: `${at}.$elemMatch` })
    }),
  )
}

function isElemMatch(member: Json): member is JsonObject {
  return isObject(member) && firstKey(member) === '$elemMatch'
}

function readElemMatch(reading: Reading, operand: Json, target: Target): Filter {
  if (!isObject(operand)) throw filterFailure(target.at, 'an object', operand)
  const inner = deeper(target)
  const first = firstKey(operand)
  if (first?.startsWith('$') === true && !LOGICAL.has(first)) {
    const element = readOperators(reading, operand, { ...inner, path: [] })
    return ast.elemMatch(target.path, 'value', element)
  }
  return ast.elemMatch(target.path, 'object', readFilterObject(reading, operand, { ...inner, within: target.field }))
}

function readLiterals(reading: Reading, operand: Json, target: Target): readonly Json[] {
  return readMembers(operand, target.at).map((member, i) => {
    const at = `${target.at}[${i}]`
    if (isOperatorObject(member)) throw filterFailure(at, 'a value without operators', firstKey(member))
    return readLiteral(reading, member, { ...target, at })
  })
}

function readLiteral(reading: Reading, value: Json, target: Target): Json {
  if (typeof value === 'string') {
    return reading.dateFields.has(target.field) ? (parseIsoDate(value) ?? value) : value
  }
  assertShallow(value, target.at, target.level)
  return value
}

function assertShallow(value: Json, at: string, level: number): void {
  if (!Array.isArray(value) && !isObject(value)) return
  if (level >= FILTER_LEVELS_MAX) throw tooDeep(at, level + 1)
  for (const inner of Object.values(value)) assertShallow(inner, at, level + 1)
}

function deeper(target: Target): Target {
  if (target.level >= FILTER_LEVELS_MAX) throw tooDeep(target.at, target.level + 1)
  return { ...target, level: target.level + 1 }
}

function tooDeep(at: string, level: number): Error {
  return filterFailure(at, `at most ${FILTER_LEVELS_MAX} levels`, level)
}
