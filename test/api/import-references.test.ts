/** Rows that refer to other documents as people do: by the name of a source or topic, and by the name or code of a country or language. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService()
const { token } = await service.admin()
const make = async (model: string, members: JsonObject): Promise<string> => {
  const response = await service.data('POST', '', { model }, { token, body: { ...bodyOf(model), ...members } })
  assert.equal(response.status, 201, response.text)
  return String(response.at('data.id'))
}
const send = async (model: string, columns: readonly string[], rows: string, more: JsonObject = {}) => {
  const response = await service.call('POST', '/api/v1/admin/import', { token, body: { model, format: 'csv', columns: [...columns], rows, ...more } })
  assert.equal(response.status, 200, response.text)
  return response
}
const idOf = async (model: string, filter: JsonObject): Promise<string> =>
  String((await service.data('GET', '', { model, filter, limit: 1 }, { token })).at('data.items[0].id'))
const COLUMNS = ['title', 'excerpt', 'url', 'imageUrl', 'source.name', 'topic.name', 'eventCountry.name'] as const
let [source, topic] = ['', '']

before(async () => {
  source = await make('source', { name: 'The Tide' })
  topic = await make('topic', { name: 'Harbours' })
  for (let i = 0; i < 2; i++) await make('topic', { name: 'Weather' })
})

it('a source, a topic and a country are found by their names', async () => {
  const { at } = await send('headline', COLUMNS, 'Ferry,,https://e.org/1,, The Tide ,Harbours,Germany\n')
  assert.deepEqual([at('data.inserted'), at('data.rejected')], [1, []])
  const found = await service.data('GET', '', { model: 'headline', filter: { title: 'Ferry' } }, { token })
  const [ferry] = found.at('data.items') as JsonObject[]
  const stored = (await service.data('GET', `/${source}`, { model: 'source' }, { token })).at('data')
  assert.deepEqual(ferry?.['source'], stored)
  assert.equal((ferry?.['topic'] as JsonObject)['id'], topic)
})

it('a country and a language are found by their codes, in any case', async () => {
  const columns = ['name', 'description', 'url', 'sourceType', 'language.code', 'headquarters.isoCode']
  const { at } = await send('source', columns, 'Post,,https://e.org,blog,DE,de\n')
  assert.deepEqual([at('data.inserted'), at('data.rejected')], [1, []])
  const post = await service.data('GET', '', { model: 'source', filter: { name: 'Post' } }, { token })
  assert.equal(post.at('data.items[0].language.id'), await idOf('language', { code: 'de' }))
  assert.equal(post.at('data.items[0].headquarters.id'), await idOf('country', { isoCode: 'DE' }))
})

it('JSON lines refer in the same way', async () => {
  const row = { title: 'Quay', excerpt: '', url: 'https://e.org/q', imageUrl: '', source: { name: 'The Tide' }, topic: { name: 'Harbours' }, eventCountry: { isoCode: 'de' } }
  const body = { model: 'headline', format: 'ndjson', rows: `${JSON.stringify(row)}\n` }
  const { at } = await service.call('POST', '/api/v1/admin/import', { token, body })
  assert.deepEqual([at('data.inserted'), at('data.rejected')], [1, []])
})

for (const [what, row, message] of [
  ['that no document has', 'Tram,,https://e.org/2,,The Tied,Harbours,Germany', 'source.name: expected the name of a source, found "The Tied", which no source has'],
  ['that two documents have', 'Tram,,https://e.org/2,,The Tide,Weather,Germany', 'topic.name: expected a name that one topic has, found "Weather", which several have: use topic.id'],
] as const) {
  for (const dryRun of [true, false]) {
    it(`a name ${what} is rejected, with its column and line${dryRun ? ', in a check too' : ''}`, async () => {
      const { at } = await send('headline', COLUMNS, `Bridge,,https://e.org/3,,The Tide,Harbours,Germany\n${row}\n`, { dryRun })
      assert.deepEqual(at('data.rejected'), [{ line: 2, id: null, message }])
    })
  }
}

it('a code and a name that do not belong together are rejected', async () => {
  const columns = ['title', 'excerpt', 'url', 'imageUrl', 'source.name', 'topic.name', 'eventCountry.isoCode', 'eventCountry.name']
  const { at } = await send('headline', columns, 'Tram,,https://e.org/2,,The Tide,Harbours,FR,Germany\n')
  assert.equal(at('data.rejected[0].message'), 'eventCountry.isoCode: expected the code of a country named "Germany", found "FR"')
})

it('the preview maps a column that is called as the reference is', async () => {
  const body = { model: 'headline', format: 'csv', rows: 'Title,Source,Topic,Country,Source ID\n' }
  const { at } = await service.call('POST', '/api/v1/admin/import/preview', { token, body })
  const columns = (at('data.header') as { column: string }[]).map(({ column }) => column)
  assert.deepEqual(columns, ['title', 'source.name', 'topic.name', 'eventCountry.name', 'source.id'])
})
