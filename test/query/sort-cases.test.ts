/**
 * Sorting, as a table: each row is a sort, documents, and their positions in the order of the sort, or a part of the
 * message it is refused with. Each order is also paged through with cursors, from every document to the next.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Failure } from '../../src/base/failure.ts'
import { parseJson, type JsonObject } from '../../src/base/json.ts'
import { readCursor, writeCursor } from '../../src/query/cursor.ts'
import { comparePositions, parseSort, sortKeys } from '../../src/query/order.ts'

interface Case {
  readonly name: string
  readonly sort: string
  readonly documents?: readonly JsonObject[]
  readonly order?: readonly number[]
  readonly error?: string
}

const text = readFileSync(new URL('../cases/sorts.json', import.meta.url), 'utf8')
const topics = parseJson(text) as unknown as Readonly<Record<string, readonly Case[]>>

for (const [topic, cases] of Object.entries(topics)) {
  describe(topic, () => {
    for (const row of cases) it(row.name, () => (row.error === undefined ? assertOrder(row) : assertRefused(row)))
  })
}

function assertOrder({ sort: source, documents = [], order: expected = [] }: Case): void {
  const sort = parseSort(source)
  const places = documents.map((document, i) => ({ i, keys: sortKeys(document, sort), id: String(document['id']) }))
  for (const start of [places, places.toReversed()]) {
    assert.deepEqual(start.toSorted((a, b) => comparePositions(sort, a, b)).map(({ i }) => i), expected)
  }
  const ordered = expected.map((i) => places[i] as (typeof places)[number])
  for (const [rank, place] of ordered.entries()) {
    const cursor = writeCursor({ model: 'topic', sort, keys: place.keys, id: place.id })
    const after = readCursor(cursor, { model: 'topic', sort })
    const rest = ordered.filter((other) => comparePositions(sort, other, after) > 0)
    assert.deepEqual(rest.map(({ i }) => i), expected.slice(rank + 1), `after ${place.id}`)
  }
}

function assertRefused({ sort, error = '' }: Case): void {
  assert.throws(
    () => parseSort(sort),
    (thrown: Error) => {
      assert.ok(thrown instanceof Failure && thrown.code === 'badRequest', String(thrown))
      assert.ok(thrown.message.startsWith(`Cannot read sort ${JSON.stringify(sort)}: `), thrown.message)
      assert.ok(thrown.message.includes(error), `${thrown.message}\nlacks ${error}`)
      return true
    },
  )
}

it('attack: a sort as long as a body is refused before it is taken apart', () => {
  const longest = 'a.'.repeat(4095) + 'ab'
  assert.equal(parseSort(longest).length, 1)
  assert.throws(() => parseSort(`${longest}c`), {
    code: 'badRequest',
    message: /^Cannot read sort "a\.a.{50,100}…": expected at most 8192 characters, found 8193$/,
  })
})
