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
