// also: cache-off
/** Cursors: every item once, in the order of the sort, whatever happens to the item at which a page ended. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Json } from '../../src/base/json.ts'
import { LANGUAGE, TOPIC, withOwnCode } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { pageOf, startSite, type Page } from '../support/service/site.ts'

const { service, admin, madeId: made, remove } = await startSite()
const MINUTE_MS = 60_000

const list = (query: Record<string, unknown>): Promise<ApiResponse> => service.data('GET', '', query, { token: admin.token })

const page = async (query: Record<string, unknown>): Promise<Page> => pageOf(await list(query))

/** The ids of all pages one after the other. */
async function walk(query: Record<string, unknown>): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null | undefined = undefined; cursor !== null;) {
    const next: Page = await page({ ...query, ...(cursor === undefined ? {} : { cursor }) })
    assert.ok(next.items.length > 0, 'a page in the middle is empty')
    ids.push(...next.items.map(({ id }) => String(id)))
    assert.ok(ids.length <= 200, 'the pages do not end')
    cursor = next.cursor
  }
  return ids
}

describe('all pages together', () => {
  const extras: readonly (Json | undefined)[] = [
    ...[null, undefined, 3, '3', 'a', 'B', 'é', '𝄞', true, false, 0, -1.5, 1e21, [2, 9], [], [[1]], { k: 1 }, { k: 0 }],
    ...['a', 3, null, undefined, 'a\0b', 'a\0c', '', ' ', 'a+b&c=d', 'x'.repeat(300)],
  ]
  const bigNumbers = ['9007199254740993', '9007199254740992', '9007199254740993.5', '1e400']
  const ids: string[] = []
  before(async () => {
    for (const [i, extra] of extras.entries()) {
      if (i % 4 === 0) service.advance(MINUTE_MS)
      const status = ['active', 'draft', 'archived'][i % 3] ?? ''
      const name = ['Zebra', 'apple', 'Åland', 'a\0b', 'a\0a', 'a', '𝄞', '\uffff'][i % 8] ?? ''
      const deep = extra === undefined ? {} : { extra, deep: { list: [{ v: extra }, { v: i }] } }
      ids.push(await made('topic', { ...TOPIC, name, status, ...deep }))
    }
    for (const number of bigNumbers) {
      const body = JSON.stringify({ ...TOPIC, extra: 'BIG' }).replace('"BIG"', number)
      const response = await service.data('POST', '', { model: 'topic' }, { token: admin.token, body })
      ids.push(String(response.at('data.id')))
    }
  })

  const sorts = [undefined, 'name:asc', 'status,extra:desc,updatedAt', 'deep.list.v:desc']
  for (const sort of sorts) {
    it(`sorted by ${sort ?? 'nothing'} hold every item once, in the order of one long page`, async () => {
      const query = { model: 'topic', ...(sort === undefined ? {} : { sort }) }
      const whole = (await page({ ...query, limit: 100 })).items.map(({ id }) => String(id))
      assert.equal(whole.length, ids.length)
      assert.deepEqual([...whole].sort(), [...ids].sort())
      for (const limit of [2, 7, ids.length - 1]) assert.deepEqual(await walk({ ...query, limit }), whole, `limit ${limit}`)
    })
  }
})

describe('between two pages', () => {
  const scenarios: readonly (readonly [sort: string, change: 'delete' | 'change', wanted: readonly string[]])[] = [
    ['name:asc', 'change', ['c', 'd', 'e', 'z']],
    ['updatedAt:desc', 'delete', ['c', 'b', 'a']],
    ['extra:asc', 'delete', ['c', 'd', 'e']],
    ['id:asc', 'change', ['c', 'd', 'e']],
  ]
  for (const [sort, change, wanted] of scenarios) {
    it(`the last item of the page may ${change === 'delete' ? 'go' : 'change'}, sorted by ${sort}`, async () => {
      const mark = `${sort}${change}`
      const made4: string[] = []
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        service.advance(MINUTE_MS)
        made4.push(await made('language', withOwnCode('language', { ...LANGUAGE, name, mark, extra: name })))
      }
      const query = { model: 'language', filter: { mark }, sort }
      const first = await page({ ...query, limit: 2 })
      const last = first.items.at(-1) ?? {}
      service.advance(MINUTE_MS)
      if (change === 'delete') assert.equal((await remove('language', String(last['id']))).status, 204)
      else {
        const body = { ...last, name: 'z', extra: 'z' }
        const put = await service.data('PUT', `/${String(last['id'])}`, { model: 'language' }, { token: admin.token, body })
        assert.equal(put.status, 200)
      }
      const rest = await page({ ...query, cursor: first.cursor })
      assert.deepEqual(rest.items.map(({ name }) => name), wanted)
      assert.equal(made4.length, 5)
    })
  }
})

it('a cursor of another model or sort is refused, and the same sort in other words taken', async () => {
  const { cursor = '' } = await page({ model: 'country', sort: 'name:asc', limit: 1 })
  for (const query of [{ model: 'language', sort: 'name:asc' }, { model: 'country', sort: 'name:desc' }, { model: 'country' }]) {
    const response = await list({ ...query, cursor })
    assert.equal(response.status, 400, response.text)
    assert.match(response.error, /^badRequest: Cannot read cursor ".*": expected one of (model|sort) ".*", found "/)
  }
  assert.equal((await list({ model: 'country', sort: ' name ', cursor })).status, 200)
})
