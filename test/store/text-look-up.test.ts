/** Documents by ranges of a sought text: each range has its share, whatever another one holds. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { HEADLINE } from '../../scripts/tools/data-bodies.ts'
import { testStore } from '../../scripts/tools/stores.ts'

const LAST = '\u{10ffff}'

it('lookUp() finds at most as many of each range as are wanted, in their order, over all ranges', async (t) => {
  const { store } = testStore(t)
  const add = (id: string, url: string): Promise<unknown> => store.insert(headline, { id, value: { ...HEADLINE, id, url } as unknown as JsonObject })
  for (let n = 0; n < 30; n++) await add(`many-${n}`, `https://a.example/page#${String(n).padStart(2, '0')}`)
  await add('b', 'https://b.example/')
  await add('c', 'https://c.example/x')
  const ids = (ranges: readonly (readonly [string, string])[], limit: number): string[] =>
    store.documents.lookUp(headline, 'url', ranges.map(([from, to]) => ({ from, to })), limit).map(({ id }) => id)
  const [all, one, other, none] = [['https://a', `https://a${LAST}`], ['https://b.example/', 'https://b.example/'], ['https://c', `https://c${LAST}`], ['https://d', 'https://e']] as const
  assert.deepEqual(ids([one, all, none, other], 3), ['b', 'many-0', 'many-1', 'many-2', 'c'])
  assert.deepEqual(ids([all, all], 2), ['many-0', 'many-1', 'many-0', 'many-1'])
  assert.equal(ids([all], 30).length, 30)
  assert.deepEqual(ids([...Array.from({ length: 250 }, () => none), one, ...Array.from({ length: 250 }, () => other)], 1).length, 251)
  assert.deepEqual(ids([], 3), [])
})
