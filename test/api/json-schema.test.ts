/** The validator that the description of the API is held against: a table of what fits and what does not. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { KEYWORDS } from '../support/schema/json-schema-keywords.ts'
import { compileSchema, type Schema } from '../support/schema/json-schema.ts'

interface Case {
  readonly name: string
  readonly schema: Schema
  readonly good: readonly unknown[]
  readonly bad: readonly unknown[]
}

const CASES = JSON.parse(readFileSync(new URL('../cases/json-schema.json', import.meta.url), 'utf8')) as Case[]

describe('a schema tells what fits from what does not:', () => {
  for (const { name, schema, good, bad } of CASES) {
    it(name, () => {
      const check = compileSchema(schema)
      assert.ok(good.length > 0 && bad.length > 0)
      for (const value of good) assert.deepEqual(check(value), [], JSON.stringify(value))
      for (const value of bad) assert.notDeepEqual(check(value), [], JSON.stringify(value))
    })
  }

  it('and the table has every keyword', () => {
    const text = JSON.stringify(CASES)
    const untried = [...Object.keys(KEYWORDS), '$ref'].filter((name) => !text.includes(`"${name}":`))
    assert.deepEqual(untried, [])
  })
})

it('a misfit says where, what was wanted, and what was found', () => {
  const check = compileSchema({ properties: { a: { items: { type: 'string' } } }, required: ['b'] })
  assert.deepEqual(check({ a: ['x', 7] }), ['$.a[1]: expected string, found 7', '$: expected b, found ["a"]'])
})

it('a closed schema takes no members but those of its objects, unless it says so', () => {
  const check = compileSchema(
    {
      type: 'object',
      properties: {
        own: { type: 'object', properties: { a: {} } },
        open: { type: 'object', properties: { a: {} }, additionalProperties: true },
        beside: { $ref: '#/$defs/whole', properties: { a: { const: 1 } } },
      },
      $defs: { whole: { type: 'object', properties: { a: {}, b: {} } } },
    },
    { closed: true },
  )
  assert.deepEqual(check({ own: { a: 1 }, open: { b: 1 }, beside: { a: 1, b: 2 } }), [])
  assert.deepEqual(check({ own: { b: 1 } }), ['$.own.b: expected no such member'])
  assert.deepEqual(check({ beside: { a: 1, c: 2 } }), ['$.beside.c: expected no such member'])
})

it('a reference can be taken for another, and a schema be one of many', () => {
  const document = { components: { Any: {}, Text: { type: 'string' }, List: { items: { $ref: '#/components/Any' } } } }
  const pointer = '#/components/List'
  assert.deepEqual(compileSchema(document, { pointer })([1]), [])
  const refs = { '#/components/Any': '#/components/Text' }
  assert.deepEqual(compileSchema(document, { pointer, refs })([1]), ['$[0]: expected string, found 1'])
})

describe('a schema that is none is an error, not one that everything fits:', () => {
  const cases: [name: string, schema: Schema, message: RegExp][] = [
    ['a misspelt keyword', { reqired: ['a'] }, /keyword "reqired"/],
    ['a keyword of a later or an earlier draft', { definitions: {} }, /keyword "definitions"/],
    ['a type that there is not', { type: 'float' }, /type "float"/],
    ['an unknown format', { format: 'phone' }, /format "phone"/],
    ['a reference that leads nowhere', { $ref: '#/$defs/none' }, /there is no schema/],
    ['a reference to somewhere else', { $ref: 'https://example.org/other' }, /there is no schema/],
    ['a schema deep inside', { properties: { a: { items: 7 } } }, /Cannot read 7 as a schema/],
    ['a list that is none', { required: 'a' }, /expected a list/],
  ]
  for (const [name, schema, message] of cases) {
    it(name, () => assert.throws(() => compileSchema(schema), message))
  }
})
