/** Rows as people have them: references by name or code, cells separated by semicolons or tabs, and rows that come as drafts. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, madeId } = await startSite()
const { token } = admin
/** Sends rows of CSV, unless the body says otherwise. */
const send = (body: JsonObject, path = ''): Promise<ApiResponse> => service.call('POST', `/api/v1/admin/import${path}`, { token, body: { model: 'topic', format: 'csv', ...body } })

describe('a reference of a row', () => {
  const idOf = async (model: string, filter: JsonObject): Promise<string> =>
    String((await service.data('GET', '', { model, filter, limit: 1 }, { token })).at('data.items[0].id'))
  const COLUMNS = ['title', 'excerpt', 'url', 'imageUrl', 'source.name', 'topic.name', 'eventCountry.name'] as const
  let [source, topic] = ['', '']

  before(async () => {
    source = await madeId('source', { name: 'The Tide' })
    topic = await madeId('topic', { name: 'Harbours' })
    for (let i = 0; i < 2; i++) await madeId('topic', { name: 'Weather' })
  })

  it('a source, a topic and a country are found by their names', async () => {
    const { at } = await send({ model: 'headline', columns: [...COLUMNS], rows: 'Ferry,,https://e.org/1,, The Tide ,Harbours,Germany\n' })
    assert.deepEqual([at('data.inserted'), at('data.rejected')], [1, []])
    const found = await service.data('GET', '', { model: 'headline', filter: { title: 'Ferry' } }, { token })
    const [ferry] = found.at('data.items') as JsonObject[]
    const stored = (await service.data('GET', `/${source}`, { model: 'source' }, { token })).at('data')
    assert.deepEqual(ferry?.['source'], stored)
    assert.equal((ferry?.['topic'] as JsonObject)['id'], topic)
  })

  it('a country and a language are found by their codes, in any case', async () => {
    const columns = ['name', 'description', 'url', 'sourceType', 'language.code', 'headquarters.isoCode']
    const { at } = await send({ model: 'source', columns, rows: 'Post,,https://e.org,blog,DE,de\n' })
    assert.deepEqual([at('data.inserted'), at('data.rejected')], [1, []])
    const post = await service.data('GET', '', { model: 'source', filter: { name: 'Post' } }, { token })
    assert.equal(post.at('data.items[0].language.id'), await idOf('language', { code: 'de' }))
    assert.equal(post.at('data.items[0].headquarters.id'), await idOf('country', { isoCode: 'DE' }))
  })

  it('JSON lines refer in the same way', async () => {
    const row = { title: 'Quay', excerpt: '', url: 'https://e.org/q', imageUrl: '', source: { name: 'The Tide' }, topic: { name: 'Harbours' }, eventCountry: { isoCode: 'de' } }
    const { at } = await send({ model: 'headline', format: 'ndjson', rows: `${JSON.stringify(row)}\n` })
    assert.deepEqual([at('data.inserted'), at('data.rejected')], [1, []])
  })

  for (const [what, row, message] of [
    ['that no document has', 'Tram,,https://e.org/2,,The Tied,Harbours,Germany', 'source.name: expected the name of a source, found "The Tied", which no source has'],
    ['that two documents have', 'Tram,,https://e.org/2,,The Tide,Weather,Germany', 'topic.name: expected a name that one topic has, found "Weather", which several have: use topic.id'],
  ] as const) {
    for (const dryRun of [true, false]) {
      it(`a name ${what} is rejected, with its column and line${dryRun ? ', in a check too' : ''}`, async () => {
        const { at } = await send({ model: 'headline', columns: [...COLUMNS], rows: `Bridge,,https://e.org/3,,The Tide,Harbours,Germany\n${row}\n`, dryRun })
        assert.deepEqual(at('data.rejected'), [{ line: 2, id: null, message }])
      })
    }
  }

  it('a code and a name that do not belong together are rejected', async () => {
    const columns = ['title', 'excerpt', 'url', 'imageUrl', 'source.name', 'topic.name', 'eventCountry.isoCode', 'eventCountry.name']
    const { at } = await send({ model: 'headline', columns, rows: 'Tram,,https://e.org/2,,The Tide,Harbours,FR,Germany\n' })
    assert.equal(at('data.rejected[0].message'), 'eventCountry.isoCode: expected the code of a country named "Germany", found "FR"')
  })

  it('the preview maps a column that is called as the reference is', async () => {
    const { at } = await send({ model: 'headline', rows: 'Title,Source,Topic,Country,Source ID\n' }, '/preview')
    const columns = (at('data.header') as { column: string }[]).map(({ column }) => column)
    assert.deepEqual(columns, ['title', 'source.name', 'topic.name', 'eventCountry.name', 'source.id'])
  })
})

describe('rows that come as drafts', () => {
  const asDrafts = (columns: readonly string[], rows: string): Promise<ApiResponse> => send({ columns: [...columns], rows, asDrafts: true })
  const stored = async (name: string): Promise<JsonObject | undefined> => {
    const query = { model: 'topic', filter: { name }, incomplete: true }
    return (await service.data('GET', '', query, { token, isUndescribed: true })).at('data.items[0]') as JsonObject | undefined
  }

  it('a new document becomes a draft, whatever its row says', async () => {
    const { at } = await asDrafts(['name', 'description', 'iconUrl', 'status'], 'Live,,https://e.org/i.png,active\nOther,,https://e.org/i.png,\n')
    assert.deepEqual([at('data.inserted'), at('data.rejected')], [2, []])
    assert.deepEqual([(await stored('Live'))?.['status'], (await stored('Other'))?.['status']], ['draft', 'draft'])
  })

  it('it may lack required members', async () => {
    const { at } = await asDrafts(['name'], 'Short\n')
    assert.deepEqual([at('data.inserted'), at('data.rejected')], [1, []])
    assert.equal((await stored('Short'))?.['status'], 'draft')
  })

  it('a document that is replaced keeps its status, and stays complete', async () => {
    const id = await madeId('topic', { name: 'Public', status: 'active' })
    const whole = await asDrafts(['id', 'name', 'description', 'iconUrl', 'status'], `${id},Renamed,,https://e.org/i.png,draft\n`)
    assert.deepEqual([whole.at('data.replaced'), whole.at('data.rejected')], [1, []])
    assert.equal((await stored('Renamed'))?.['status'], 'active')
    const short = await asDrafts(['id', 'description'], `${id},Nameless\n`)
    assert.match(String(short.at('data.rejected[0].message')), /^name: /)
    assert.equal((await stored('Renamed'))?.['description'], '')
  })

  it('anything but true and false is 400', async () => {
    const { status, text } = await send({ columns: ['name'], rows: 'Short\n', asDrafts: 'yes' })
    assert.equal(status, 400)
    assert.match(text, /asDrafts: expected true or false, found/)
  })
})

describe('cells that are separated by another character', () => {
  const ICON = 'https://images.example/t.png'

  for (const separator of [';', '\t']) {
    const name = separator === ';' ? 'semicolons' : 'tabs'
    it(`a file with ${name} is previewed and imported, also in pieces`, async () => {
      const line = (cells: readonly string[]): string => `${cells.join(separator)}\r\n`
      const header = line(['Name', 'Description', 'Icon URL', 'Status'])
      const preview = await send({ rows: header + line([`One of ${name}`, '"1,5 million"', ICON, 'active']) }, '/preview')
      assert.equal(preview.status, 200, preview.text)
      assert.equal(preview.at('data.separator'), separator)
      assert.deepEqual(preview.at('data.rows'), [[`One of ${name}`, '1,5 million', ICON, 'active']])
      const columns = (preview.at('data.header') as { column: string }[]).map(({ column }) => column)
      const first = await send({ rows: header + line([`One of ${name}`, '1,5 million', ICON, 'active']), columns, hasHeader: true, isLast: false })
      assert.deepEqual([first.at('data.inserted'), first.at('data.rejected'), first.at('data.separator')], [1, [], separator])
      const second = await send({ rows: line([`Two of ${name}`, '2,5', ICON, 'active']), columns, separator, line: 3 })
      assert.deepEqual([second.at('data.inserted'), second.at('data.rejected')], [1, []])
    })
  }

  it('another separator is 400, and says which there are', async () => {
    const { status, text } = await send({ rows: 'a|b\n', hasHeader: true, separator: '|' })
    assert.equal(status, 400)
    assert.match(text, /separator: expected a comma, a semicolon or a tab, found \"\|\"|separator: expected a comma/)
  })
})

describe('what spreadsheets leave in a file', () => {
  const HEADER = 'Name;Description;Icon URL;Status\r\n'
  const columns = ['name', 'description', 'iconUrl', 'status']

  it('rows whose cells are all empty are skipped, also above the names of the columns', async () => {
    const rows = `\r\n;;;\r\n${HEADER}Tides;;;draft\r\n;;;\r\n \r\n;Rain;;draft\r\n`
    const preview = await send({ rows }, '/preview')
    assert.equal(preview.at('data.header[0].name'), 'Name')
    assert.deepEqual(preview.at('data.rows'), [['Tides', '', '', 'draft'], ['', 'Rain', '', 'draft']])
    for (const dryRun of [true, false]) {
      const { at } = await send({ rows, columns, hasHeader: true, separator: ';', dryRun })
      assert.deepEqual([at('data.inserted'), at('data.nextLine'), at('data.bytes')], [1, 8, rows.length])
      const rejected = at('data.rejected') as { line: number }[]
      assert.deepEqual(rejected.map(({ line }) => line), [7])
    }
  })

  it('the day of a date may stand first, with dots', async () => {
    const store = async (date: string): Promise<ApiResponse> =>
      send({ model: 'headline', columns: ['title', 'status', 'publishedAt'], rows: `Dated ${date},draft,${date}\n`, incomplete: true })
    for (const [written, stored] of [
      ['31.12.2026', '2026-12-31T00:00:00.000Z'],
      ['1.2.2027 14:30', '2027-02-01T14:30:00.000Z'],
      ['2027-02-01T14:30:00+01:00', '2027-02-01T13:30:00.000Z'],
    ] as const) {
      assert.deepEqual((await store(written)).at('data.rejected'), [])
      const query = { model: 'headline', filter: { title: `Dated ${written}` }, incomplete: true }
      assert.equal((await service.data('GET', '', query, { token, isUndescribed: true })).at('data.items[0].publishedAt'), stored)
    }
    for (const wrong of ['31.02.2027', '1.13.2027', '1.2.27', '1.2.2027.', '1/2/2027'])
      assert.match(String((await store(wrong)).at('data.rejected[0].message')), /^publishedAt: expected an ISO 8601 date, found/, wrong)
  })
})
