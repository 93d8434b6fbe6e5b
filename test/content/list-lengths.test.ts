/**
 * Attack: a saved filter that names a thousand sources costs as much as it is long, for the price of one request. So
 * lengths come first: the look-ups and the checks behind them are bounded.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { createDrafts } from '../../src/content/drafts.ts'
import { checkListLengths } from '../../src/content/rules/list-lengths.ts'
import { throwProblem } from '../../src/content/rules/problems.ts'
import { userContentPreferences } from '../../src/models/user-content-preferences.ts'
import { PREFERENCES } from '../../scripts/tools/data-bodies.ts'

const ids = (count: number): Json[] => Array.from({ length: count }, (_, i) => ({ id: `${i}` }))
const filterOf = (list: string, count: number): JsonObject => ({ id: 'f', name: 'F', [list]: ids(count) })

describe('a list', () => {
  for (const [path, max, body] of [
    ['followedTopics', 1_000, (count: number) => ({ followedTopics: ids(count) })],
    ['savedHeadlines', 1_000, (count: number) => ({ savedHeadlines: ids(count) })],
    ['savedFilters', 1_000, (count: number) => ({ savedFilters: ids(count) })],
    ['savedFilters[1].topics', 500, (count: number) => ({ savedFilters: [{}, filterOf('topics', count)] })],
    ['savedFilters[0].sources', 500, (count: number) => ({ savedFilters: [filterOf('sources', count)] })],
    ['savedFilters[0].countries', 500, (count: number) => ({ savedFilters: [filterOf('countries', count)] })],
  ] as const) {
    it(`takes ${max} entries at ${path}, and not one more`, () => {
      checkListLengths(userContentPreferences, body(max))
      assert.throws(() => checkListLengths(userContentPreferences, body(max + 1)), {
        code: 'invalidInput',
        message: `${path}: expected at most ${max} entries, found ${max + 1}`,
      })
    })
  }

  it('that is too long is refused before anything is looked up', async () => {
    const asked: string[] = []
    const get = (_model: unknown, id: string): undefined => void asked.push(id)
    const drafts = createDrafts({ get }, { now: () => 0, newId: () => 'new', live: () => ({ review: false }) })
    const body = { ...PREFERENCES, id: 'u', followedSources: ids(5), savedFilters: [filterOf('sources', 501)] }
    const references = { bytesMax: Infinity }
    await assert.rejects(
      drafts.replace(userContentPreferences, 'u', body, { report: throwProblem, references }),
      /savedFilters\[0\]\.sources: expected at most 500 entries, found 501/,
    )
    assert.deepEqual(asked, [])
  })
})
