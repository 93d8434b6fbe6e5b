/**
 * The tables of filters and sorts once more, through the store: what they say of `match` and of the order of values has
 * to hold for whole queries. The model declares nothing but an id, so documents of any form go in as they are.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { parseJson, writeJson, type Json, type JsonObject } from '../../src/base/json.ts'
import { id, model } from '../../src/models/schema.ts'
import type { Filter } from '../../src/query/ast.ts'
import { matchAll } from '../../src/query/ast.ts'
import { readCursor, writeCursor } from '../../src/query/cursor.ts'
import { parseSort, type Position, type Sort } from '../../src/query/order.ts'
import { parseFilter } from '../../src/query/parse.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { execute, noEffort } from '../../src/store/plan/executor.ts'
import type { Plan } from '../../src/store/plan/plan.ts'
import { planQuery, possiblePlans } from '../../src/store/plan/planner.ts'
import { modelSchema, SHARED_SCHEMA } from '../../src/store/sqlite/schema-sql.ts'
import type { Found } from '../../src/store/store.ts'
import { temporaryDirectory } from '../support/service/temporary-directory.ts'

const noCaller = {
  list: 'unsupported',
  read: 'unsupported',
  create: 'unsupported',
  replace: 'unsupported',
  remove: 'unsupported',
} as const
const scratch = model({
  name: 'scratch',
  description: '',
  fields: { id: id() },
  extras: 'keep',
  access: noCaller,
  search: [],
  indexes: [],
})
const DATE_FIELDS = new Set(['createdAt', 'seen.at'])

interface Case {
  readonly name: string
  readonly filter?: Json
  readonly sort?: string
  readonly documents?: readonly JsonObject[]
  readonly matches?: readonly number[]
  readonly order?: readonly number[]
  readonly error?: string
}

const database = openDatabase(join(temporaryDirectory({ after: (work) => after(() => work()) }), 'scratch.db'))
after(() => database.close())
for (const { sql } of [...SHARED_SCHEMA, ...modelSchema(scratch)]) database.exec(sql)

function rowsOf(file: string): readonly Case[] {
  const text = readFileSync(new URL(`../cases/${file}`, import.meta.url), 'utf8')
  const topics = parseJson(text) as unknown as Readonly<Record<string, readonly Case[]>>
  return Object.values(topics)
    .flat()
    .filter(({ error }) => error === undefined)
}

/** Each document ends in as many spaces as its position, so that equal ones can be told apart. */
function fill(documents: readonly JsonObject[]): void {
  database.run('DELETE FROM "scratch"')
  for (const [i, document] of documents.entries()) {
    const own = document['id']
    const sql = 'INSERT INTO "scratch" (id, doc) VALUES (?, ?)'
    database.run(sql, typeof own === 'string' ? own : `#${i}`, writeJson(document) + ' '.repeat(i))
  }
}

const positionOf = (item: string): number => item.length - item.trimEnd().length

interface Asked {
  readonly filter: Filter
  readonly sort: Sort
  readonly limit: number
  readonly after?: Position | undefined
}

/** The answer of the plan that the store takes; all others have to give the same. */
function ask({ filter, sort, limit, after: from }: Asked): Found {
  const query = { filter, sort, limit, after: from }
  const run = (plan: Plan): Found | undefined =>
    execute(database, scratch, { plan, query, effort: noEffort(), mayGoOn: () => true })
  const found = run(planQuery(database, scratch, query))
  assert.ok(found)
  // As a reader sees it, whether its documents were read as texts or joined.
  const seen = (one: Found | undefined): unknown => [one?.items, one && Buffer.from(one.joined).toString(), one?.next]
  for (const { plan } of possiblePlans(database, scratch, query)) {
    assert.deepEqual(seen(run(plan)), seen(found), plan.access)
  }
  return found
}

describe('filters through the store', () => {
  for (const { name, filter = {}, documents = [], matches } of rowsOf('filters.json')) {
    it(name, () => {
      fill(documents)
      for (const sort of [[], parseSort('a,b.c:desc')]) {
        const found = ask({ filter: parseFilter(filter, { dateFields: DATE_FIELDS }), sort, limit: 1_000 })
        assert.deepEqual(
          found.items.map(positionOf).sort((a, b) => a - b),
          matches,
        )
      }
    })
  }
})

describe('sorts through the store', () => {
  for (const { name, sort: source = '', documents = [], order } of rowsOf('sorts.json')) {
    it(name, () => {
      fill(documents)
      const sort = parseSort(source)
      assert.deepEqual(ask({ filter: matchAll, sort, limit: 1_000 }).items.map(positionOf), order)
      const seen: number[] = []
      let from: Position | undefined
      do {
        const { items, next } = ask({ filter: matchAll, sort, limit: 1, after: from })
        seen.push(...items.map(positionOf))
        from = next && readCursor(writeCursor({ model: 'scratch', sort, ...next }), { model: 'scratch', sort })
      } while (from !== undefined)
      assert.deepEqual(seen, order, 'one by one')
    })
  }
})
