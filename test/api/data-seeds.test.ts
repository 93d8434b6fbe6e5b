// also: executable
/** What is there after a start: only what was missing is added, by id, and nothing is overwritten; and the sample content. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { COUNTRY, REMOTE_CONFIG_ID } from '../../scripts/tools/data-bodies.ts'
import { START, startService, type TestService } from '../support/service/service.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { pageOf, startSite } from '../support/service/site.ts'

const { service, cast } = await startSite()
async function all(
  site: TestService,
  token: string,
  model: string,
): Promise<JsonObject[]> {
  const items: JsonObject[] = []
  for (let cursor: string | null | undefined = undefined; cursor !== null;) {
    const query = { model, limit: 100, ...(cursor === undefined ? {} : { cursor }) }
    const response = await site.data('GET', '', query, { token })
    const page = pageOf(response)
    items.push(...page.items)
    cursor = page.cursor
  }
  return items
}

it('a first start brings countries, languages and the configuration, and no content', async (t) => {
  const site = await startService(t, {}, { isEmpty: true })
  const { token } = await site.guest()
  const [countries, languages] = [await all(site, token, 'country'), await all(site, token, 'language')]
  assert.deepEqual([countries.length, languages.length], [249, 183])
  assert.equal(countries.find(({ isoCode }) => isoCode === 'IS')?.['flagUrl'], 'https://flagcdn.com/h40/is.png')
  assert.deepEqual((await all(site, token, 'remote_config')).map(({ id }) => id), [REMOTE_CONFIG_ID])
  assert.deepEqual(await all(site, token, 'topic'), [])
})

it('flags come from where the operator has them', async (t) => {
  const site = await startService(t, { flagBaseUrl: 'http://flags.lan/' })
  const { token } = await site.guest()
  const response = await site.data('GET', '', { model: 'country', filter: { isoCode: 'IS' } }, { token })
  assert.equal(response.at('data.items[0].flagUrl'), 'http://flags.lan/is.png')
})

it('a later start keeps what was edited or added, and brings back by its id what was deleted and what nothing replaced', async (t) => {
  const directory = temporaryDirectory(t)
  const first = await startService(t, {}, { directory })
  const { token } = await first.admin()
  const find = async (site: TestService, model: string, filter: JsonObject): Promise<JsonObject[]> =>
    (await site.data('GET', '', { model, filter }, { token })).at('data.items') as JsonObject[]
  const [iceland = {}] = await find(first, 'country', { isoCode: 'IS' })
  const [norway = {}] = await find(first, 'country', { isoCode: 'NO' })
  const [sweden = {}] = await find(first, 'country', { isoCode: 'SE' })
  const [danish = {}] = await find(first, 'language', { code: 'da' })
  const save = async (method: string, model: string, body: JsonObject): Promise<void> => {
    const target = method === 'POST' ? '' : `/${String(body['id'])}`
    const response = await first.data(method, target, { model }, { token, ...(method === 'DELETE' ? {} : { body }) })
    assert.ok(response.status < 300, response.text)
  }
  await save('PUT', 'country', { ...iceland, name: 'Ísland', status: 'archived', extra: 1 })
  await save('DELETE', 'country', norway)
  await save('POST', 'country', { ...COUNTRY, isoCode: 'NO', name: 'Another Norway' })
  // Under another code it is still the record of Sweden: it is found again by its id and not by its code.
  await save('PUT', 'country', { ...sweden, isoCode: 'XX' })
  await save('DELETE', 'language', danish)
  await first.stop()

  const second = await startService(t, {}, { directory, start: START + 86_400_000 })
  const [again = {}] = await find(second, 'country', { isoCode: 'IS' })
  assert.deepEqual([again['name'], again['status'], again['extra']], ['Ísland', 'archived', 1])
  // Its code is taken.
  const norways = await find(second, 'country', { isoCode: 'NO' })
  assert.deepEqual(norways.map(({ name }) => name), ['Another Norway'])
  assert.deepEqual(await find(second, 'country', { isoCode: 'SE' }), [])
  assert.deepEqual((await find(second, 'country', { isoCode: 'XX' })).map(({ id }) => id), [sweden['id']])
  assert.deepEqual(await find(second, 'language', { code: 'da' }), [danish])
  assert.equal((await all(second, token, 'country')).length, 249)
})
const SAMPLE = '/api/v1/admin/sample'
it('the sample content is loaded once, in the name of the administrator', async () => {
  const { token, id } = cast.admin
  const first = await service.call('POST', SAMPLE, { token })
  assert.ok(Number(first.at('data.headlines')) > 100, first.text)
  const list = await service.data('GET', '', { model: 'headline', limit: 1, count: true }, { token })
  assert.equal(list.at('data.total'), first.at('data.headlines'))
  const again = await service.call('POST', SAMPLE, { token })
  assert.deepEqual(again.at('data'), { topics: 0, sources: 0, headlines: 0 })
  const trail = await service.call('GET', `/api/v1/admin/audit?limit=1&filter=${encodeURIComponent('{"event":"command"}')}`, { token })
  assert.deepEqual([trail.at('data.items[0].actor'), trail.at('data.items[0].details[0].value')], [id, 'seed'])
})
