import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseJson, type JsonObject } from '../../src/base/json.ts'
import {
  and,
  compare,
  containsText,
  elemMatch,
  eq,
  exists,
  isIn,
  matchAll,
  matchNone,
  not,
  or,
  readFilter,
  writeFilter,
  type Filter,
} from '../../src/query/ast.ts'
import { matches } from '../../src/query/match.ts'
import { parseFilter } from '../../src/query/parse.ts'

const [A, B, C] = [eq(['a'], 1), eq(['b'], 1), eq(['c'], 1)]

describe('constructors of filters', () => {
  const rows: readonly (readonly [name: string, made: Filter, expected: Filter])[] = [
    ['and() of nothing holds always', and(), matchAll],
    ['or() of nothing holds never', or(), matchNone],
    ['and() of one is that one', and(A), A],
    ['or() of one is that one', or(A), A],
    ['and() takes in the members of and()', and(A, and(B, C)), { kind: 'and', filters: [A, B, C] }],
    ['or() takes in the members of or()', or(or(A, B), C), { kind: 'or', filters: [A, B, C] }],
    ['and() keeps or() apart', and(A, or(B, C)), { kind: 'and', filters: [A, { kind: 'or', filters: [B, C] }] }],
    ['and() drops what holds always', and(matchAll, A), A],
    ['and() with what holds never holds never', and(A, matchNone), matchNone],
    ['or() drops what holds never', or(A, matchNone), A],
    ['or() with what holds always holds always', or(A, matchAll), matchAll],
    ['not() of not() is the inner filter', not(not(A)), A],
    ['not() of always is never', not(matchAll), matchNone],
    ['not() of never is always', not(matchNone), matchAll],
    ['isIn() of nothing holds never', isIn(['a'], []), matchNone],
    ['isIn() of one value is equality', isIn(['a'], [1]), A],
    ['isIn() of several', isIn(['a'], [1, 2]), { kind: 'in', path: ['a'], values: [1, 2] }],
    [
      'containsText() looks for the text as it is',
      containsText(['a'], '.*'),
      { kind: 'pattern', path: ['a'], pattern: { kind: 'literal', text: '.*', ignoreCase: true } },
    ],
    ['compare() with null is equality where it may be equal', compare(['a'], 'lte', null), eq(['a'], null)],
    ['compare() with null never holds otherwise', compare(['a'], 'gt', null), matchNone],
  ]
  for (const [name, made, expected] of rows) {
    it(name, () => {
      assert.deepEqual(made, expected)
      assert.ok(Object.isFrozen(made))
    })
  }
})

describe('the tree of a parsed filter', () => {
  const rows: readonly (readonly [filter: string, tree: Filter])[] = [
    ['{}', matchAll],
    ['{"a":1,"b":1}', and(A, B)],
    ['{"$and":[{"a":1},{"b":1}],"c":1}', and(A, B, C)],
    ['{"a":{"$ne":1}}', not(A)],
    ['{"a":{"$nin":[1,2]}}', not(isIn(['a'], [1, 2]))],
    ['{"a":{"$nin":[]}}', matchAll],
    ['{"$nor":[{"a":1},{"b":1}]}', not(or(A, B))],
    ['{"a":{"$exists":false}}', not(exists(['a']))],
    ['{"a":{"$all":[1]}}', A],
    ['{"_id":"x"}', eq(['id'], 'x')],
    ['{"topic.id":{"$in":["x"]},"status":"active"}', and(eq(['topic', 'id'], 'x'), eq(['status'], 'active'))],
    ['{"a":{"$gte":1,"$lt":2}}', and(compare(['a'], 'gte', 1), compare(['a'], 'lt', 2))],
    ['{"a":{"$elemMatch":{"$gt":1}}}', elemMatch(['a'], 'value', compare([], 'gt', 1))],
    ['{"a":{"$elemMatch":{"b":1}}}', elemMatch(['a'], 'object', B)],
  ]
  for (const [filter, tree] of rows) {
    it(`${filter} is ${writeFilter(tree)}`, () => assert.deepEqual(parseFilter(parseJson(filter)), tree))
  }

  it('survives a structured clone', () => {
    const source = { a: { $in: [1, 'x'], $regex: '^a.', $options: 'i' }, b: { $elemMatch: { c: { $mod: [2, 1] } } } }
    const filter = parseFilter(source)
    assert.deepEqual(structuredClone(filter), filter)
  })

  it('survives its way through a text with numbers that a double cannot hold', () => {
    const members = '[9007199254740993,{"__proto__":1e400}]'
    const operators = `{"$gt":9007199254740992,"$in":${members},"$mod":[9007199254740993,0]}`
    const filter = parseFilter({ a: parseJson(operators) })
    const document = parseJson('{"a":9007199254740993}') as JsonObject
    assert.equal(matches(filter, document), true)
    assert.equal(matches(readFilter(writeFilter(filter)), document), true)
    assert.deepEqual(readFilter(writeFilter(filter)), filter)
  })
})
