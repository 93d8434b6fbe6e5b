/**
 * The meaning of every part of a filter, as a table: each row is a filter, documents, and the positions of those that
 * match, or a part of the message it is refused with. `createdAt` and `seen.at` are declared dates.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Failure } from '../../src/base/failure.ts'
import { parseJson, writeJson, type Json, type JsonObject } from '../../src/base/json.ts'
import { readFilter, writeFilter, type Filter } from '../../src/query/ast.ts'
import { matches } from '../../src/query/match.ts'
import { parseFilter } from '../../src/query/parse.ts'

interface Case {
  readonly name: string
  readonly filter: Json
  readonly documents?: readonly JsonObject[]
  readonly matches?: readonly number[]
  readonly error?: string
}

const DATE_FIELDS = new Set(['createdAt', 'seen.at'])
const text = readFileSync(new URL('../cases/filters.json', import.meta.url), 'utf8')
const topics = parseJson(text) as unknown as Readonly<Record<string, readonly Case[]>>

for (const [topic, cases] of Object.entries(topics)) {
  describe(topic, () => {
    for (const row of cases) it(row.name, () => (row.error === undefined ? assertMatches(row) : assertRefused(row)))
  })
}

function assertMatches({ filter, documents = [], matches: expected }: Case): void {
  const parsed = parseFilter(filter, { dateFields: DATE_FIELDS })
  const all = [...documents.keys()]
  const found = (using: Filter): number[] => all.filter((i) => matches(using, documents[i] as JsonObject))
  assert.deepEqual(found(parsed), expected)
  assert.deepEqual(found(readFilter(writeFilter(parsed))), expected, 'after its way through a text')
  // The negation of a filter matches exactly the others: no condition is neither true nor false.
  const others = parseFilter({ $nor: [filter] }, { dateFields: DATE_FIELDS })
  assert.deepEqual(found(others), all.filter((i) => !expected?.includes(i)), 'negated')
}

function assertRefused({ filter, error = '' }: Case): void {
  assert.throws(
    () => parseFilter(filter, { dateFields: DATE_FIELDS }),
    (thrown: Error) => {
      assert.ok(thrown instanceof Failure && thrown.code === 'badRequest', `${String(thrown)} for ${writeJson(filter)}`)
      assert.ok(thrown.message.includes(error), `${thrown.message}\nlacks ${error}`)
      return true
    },
  )
}
