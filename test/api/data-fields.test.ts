// also: cache-off
/** Projections: `fields` on lists and reads, alone and with sort, cursor, remembered pages and ETags. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Person } from '../support/cast.ts'
import { HEADLINE, TOPIC } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, standard, guest } = await startSite({ publicRemoteConfig: 'on' })

const get = (target: string, query: Record<string, unknown>, by: Person | undefined = standard, headers = {}): Promise<ApiResponse> =>
  service.data('GET', target, query, { token: by?.token, headers })

const ids: string[] = []
for (const title of ['C', 'A', 'B']) {
  const body = { ...HEADLINE, title, author: 'kept', source: { ...HEADLINE.source, name: `Source ${title}` } }
  const made = await service.data('POST', '', { model: 'headline' }, { token: admin.token, body })
  ids.push(String(made.at('data.id')))
}

describe('fields', () => {
  it('leave those members, in the order of the document, and always the id', async () => {
    const rows: [fields: string, wanted: object][] = [
      ['title', { id: ids[0], title: 'C' }],
      ['id', { id: ids[0] }],
      ['type,title,title', { id: ids[0], title: 'C', type: 'headline' }],
      ['source.name,title', { id: ids[0], title: 'C', source: { name: 'Source C' } }],
      ['source.headquarters.isoCode,source.name', { id: ids[0], source: { name: 'Source C', headquarters: { isoCode: 'IS' } } }],
      ['topic,topic.name', { id: ids[0], topic: TOPIC }],
    ]
    for (const [fields, wanted] of rows) {
      const read = await get(`/${ids[0]}`, { model: 'headline', fields })
      assert.equal(JSON.stringify(read.at('data')), JSON.stringify(wanted), fields)
      const list = await get('', { model: 'headline', fields, filter: { title: 'C' } })
      assert.deepEqual(list.at('data'), { items: [wanted], cursor: null, hasMore: false })
      const query = { token: standard.token, body: { fields, filter: { title: 'C' } }, isUndescribed: true } as const
      assert.deepEqual((await service.data('POST', '/query', { model: 'headline' }, query)).at('data.items'), [wanted])
    }
  })

  it('have ETags and remembered pages of their own', async () => {
    for (const target of ['', `/${ids[0]}`]) {
      const tags = new Set<string>()
      for (const fields of [undefined, 'title', 'title,url']) {
        const query = { model: 'headline', ...(fields === undefined ? {} : { fields }) }
        for (let i = 0; i < 3; i++) {
          const response = await get(target, query)
          const tag = response.headers.get('etag') ?? ''
          tags.add(tag)
          const known = await get(target, query, standard, { 'If-None-Match': tag })
          assert.deepEqual([known.status, known.text], [304, ''])
          const one = target === '' ? response.at('data.items[0]') : response.at('data')
          assert.equal(Object.keys(one as object).length, fields === undefined ? 14 : fields === 'title' ? 2 : 3)
        }
      }
      assert.equal(tags.size, 3)
    }
    const tag = (await get(`/${ids[0]}`, { model: 'headline', fields: 'title' })).headers.get('etag') ?? ''
    const patch = { token: admin.token, body: { title: 'D' }, headers: { 'If-Match': tag } }
    assert.equal((await service.data('PATCH', `/${ids[0]}`, { model: 'headline' }, patch)).status, 412)
  })

  it('that are no paths of the model are a 400 which says so', async () => {
    const wanted = 'badRequest: Cannot read fields: expected paths of members of headline, separated by commas, found '
    for (const [fields, found] of [
      ['titel', '"titel": did you mean "title"?'],
      ['', '""'],
      ['title,', '""'],
      [' title', '" title": did you mean "title"?'],
      ['title.x', '"title.x": did you mean "title"?'],
      ['source.', '"source.": did you mean "source"?'],
      ['source.password', '"source.password"'],
      ['__proto__', '"__proto__"'],
      ['constructor.name', '"constructor.name"'],
      ['author', '"author"'],
    ]) {
      assert.equal((await get('', { model: 'headline', fields })).error, `${wanted}${found}`)
      assert.equal((await get(`/${ids[0]}`, { model: 'headline', fields })).status, 400)
    }
    const many = Array.from({ length: 51 }, (_, i) => `x${i}`).join()
    assert.match((await get('', { model: 'headline', fields: many })).error, /expected at most 50 of them, found more$/)
    const long = Array(400).fill('title').join()
    assert.match((await get('', { model: 'headline', fields: long })).error, /expected at most 2000 characters, found 2399$/)
    assert.equal((await get('', { model: 'headline', fields: Array(300).fill('title').join() })).status, 200)
  })

  it('show a stranger and a guest nothing that they could not read without', async () => {
    for (const [by, status] of [[undefined, 401], [guest, 403]] as const) {
      assert.equal((await service.data('GET', `/${standard.id}`, { model: 'user', fields: 'email' }, { token: by?.token })).status, status)
      assert.equal((await service.data('GET', '', { model: 'user', fields: 'email' }, { token: by?.token })).status, status)
    }
    // Asked for by its owner before, so that it would be remembered if it could be.
    for (let i = 0; i < 3; i++) assert.equal((await get(`/${standard.id}`, { model: 'user', fields: 'email' })).status, 200)
    assert.equal((await get(`/${standard.id}`, { model: 'user', fields: 'email' }, guest)).status, 403)
    assert.equal((await service.data('GET', '/nowhere', { model: 'headline', fields: 'nonsense' }, { token: standard.token })).status, 400)
  })
})
