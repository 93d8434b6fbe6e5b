import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { mergePreferences } from '../../src/auth/merge-preferences.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const LISTS = ['followedCountries', 'followedSources', 'followedTopics', 'savedHeadlines', 'savedFilters'] as const

/** `'ab'` stands for the entries with the ids a and b; `mark` tells whose they were. */
const entries = (ids: string, mark: string): JsonObject[] => [...ids].map((id) => ({ id, mark }))
const preferences = (ids: string, mark: string): JsonObject => ({
  id: mark,
  ...Object.fromEntries(LISTS.map((list) => [list, entries(ids, mark)])),
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
})
const limited = (figure: number): JsonObject => {
  const names = ['guest', 'authenticated', 'premium'].flatMap((role) =>
    ['FollowedItemsLimit', 'SavedHeadlinesLimit', 'SavedFiltersLimit'].map((limit) => role + limit),
  )
  return { userPreferenceConfig: Object.fromEntries(names.map((name) => [name, figure])) }
}
const STANDARD: JsonObject = { id: 'account', appRole: 'standardUser', dashboardRole: 'none' }
const ADMIN: JsonObject = { ...STANDARD, dashboardRole: 'admin' }

interface Row {
  readonly name: string
  readonly account: string
  readonly guest: string
  readonly limit?: number
  readonly user?: JsonObject
  readonly merged: string
}
const ROWS: readonly Row[] = [
  { name: 'nothing and nothing', account: '', guest: '', merged: '' },
  { name: 'nothing of the guest', account: 'ab', guest: '', merged: 'ab' },
  { name: 'nothing of the account', account: '', guest: 'ab', merged: 'ab' },
  { name: 'own entries first, in their order', account: 'ba', guest: 'dc', merged: 'badc' },
  { name: 'what both have stays the own', account: 'ab', guest: 'bcab', merged: 'abc' },
  { name: 'what the guest has twice comes once', account: 'a', guest: 'bcbc', merged: 'abc' },
  { name: 'what the account has twice stays', account: 'aa', guest: 'a', merged: 'aa' },
  { name: 'up to the limit', account: 'ab', guest: 'cde', limit: 5, merged: 'abcde' },
  { name: 'cut one past the limit', account: 'ab', guest: 'cde', limit: 4, merged: 'abcd' },
  { name: 'known entries of the guest take no room', account: 'ab', guest: 'abc', limit: 3, merged: 'abc' },
  { name: 'nothing is added at the limit', account: 'ab', guest: 'c', limit: 2, merged: 'ab' },
  { name: 'nothing is taken away past the limit', account: 'abc', guest: 'd', limit: 2, merged: 'abc' },
  { name: 'a limit of none', account: '', guest: 'ab', limit: 0, merged: '' },
  { name: 'administrators have no limits', account: 'ab', guest: 'cd', limit: 2, user: ADMIN, merged: 'abcd' },
]

describe('mergePreferences()', () => {
  for (const { name, account, guest, limit = 9, user = STANDARD, merged } of ROWS) {
    it(`${name}: "${account}" and "${guest}" make "${merged}"`, () => {
      const parts = {
        account: preferences(account, 'account'),
        guest: preferences(guest, 'guest'),
        user,
        config: limited(limit),
      }
      const result = mergePreferences(parts, NOW)
      for (const list of LISTS) {
        const found = result[list] as JsonObject[]
        assert.equal(found.map(({ id }) => id).join(''), merged, list)
        found.forEach(({ id, mark }, i) =>
          assert.equal(mark, i < account.length ? 'account' : 'guest', `${list}: ${String(id)}`),
        )
      }
      assert.deepEqual([result['id'], result['updatedAt']], ['account', '2026-03-01T12:00:00.000Z'])
    })
  }

  it('takes the limit of the list and of the role', () => {
    const config = limited(9)
    const figures = config['userPreferenceConfig'] as Record<string, number>
    const standard = { authenticatedFollowedItemsLimit: 1, authenticatedSavedHeadlinesLimit: 2, authenticatedSavedFiltersLimit: 3 }
    const premium = { premiumFollowedItemsLimit: 4, premiumSavedHeadlinesLimit: 5, premiumSavedFiltersLimit: 6 }
    Object.assign(figures, standard, premium)
    const lengths = (user: JsonObject): number[] => {
      const parts = { account: preferences('', 'account'), guest: preferences('abcdefgh', 'guest'), user, config }
      const merged = mergePreferences(parts, NOW)
      return LISTS.map((list) => (merged[list] as unknown[]).length)
    }
    assert.deepEqual(lengths(STANDARD), [1, 1, 1, 2, 3])
    assert.deepEqual(lengths({ ...STANDARD, appRole: 'premiumUser' }), [4, 4, 4, 5, 6])
    assert.deepEqual(lengths({ ...STANDARD, dashboardRole: 'publisher' }), [1, 1, 1, 2, 3])
  })
})
