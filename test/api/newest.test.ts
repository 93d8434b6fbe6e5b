import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readNewest } from '../../src/endpoints/parameters.ts'
import { Failure } from '../../src/base/failure.ts'
import { parseQuery } from '../../src/http/query-string.ts'

describe('the limit of a list of the newest', () => {
  for (const [query, wanted] of [
    ['', 100],
    ['limit=1000', 1000],
    ['limit=0', undefined],
    ['limit=1001', undefined],
    ['limit=1e3', undefined],
    ['limit=1&limit=2', undefined],
  ] as const) {
    it(`${query === '' ? 'that is not given' : query.slice(0, 20)} is ${wanted ?? 'refused'}`, () => {
      if (wanted === undefined) assert.throws(() => readNewest(parseQuery(query)), isBadRequest)
      else assert.equal(readNewest(parseQuery(query)), wanted)
    })
  }
})

function isBadRequest(error: unknown): boolean {
  return error instanceof Failure && error.code === 'badRequest'
}
