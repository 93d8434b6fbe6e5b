/** The state of a list: what a declaration offers, the address it is in, and the query it is. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { columnFields, defaultColumns, filterFields, sortableFields } from '../../src/dashboard/screens/list/list-fields.ts'
import { listQuery, readState, rulesOf, toggled, writeState } from '../../src/dashboard/screens/list/list-state.ts'
import { country } from '../../src/models/country.ts'
import { headline } from '../../src/models/headline.ts'
import { language } from '../../src/models/language.ts'
import { source } from '../../src/models/source.ts'
import { topic } from '../../src/models/topic.ts'
import { user } from '../../src/models/user.ts'

const ID = '0123456789abcdef01234567'

const rules = rulesOf(headline)

describe('what a list offers by the declaration', () => {
  for (const [model, filters, columns, sortable] of [
    [
      headline,
      'status source eventCountry topic source.sourceType source.language',
      'title source eventCountry topic updatedAt status',
      'updatedAt:desc title',
    ],
    [topic, 'status', 'name description updatedAt status', 'name updatedAt:desc'],
    [
      source,
      'status sourceType language headquarters',
      'name sourceType language headquarters updatedAt status',
      'name updatedAt:desc',
    ],
    [country, 'status', 'name isoCode updatedAt status', 'name updatedAt:desc'],
    [language, 'status', 'name code nativeName updatedAt status', 'name updatedAt:desc'],
    [user, 'appRole dashboardRole', 'email appRole dashboardRole updatedAt', 'createdAt:desc email'],
  ] as const) {
    it(`of ${model.name}`, () => {
      assert.equal(
        filterFields(model)
          .map(({ key }) => key)
          .join(' '),
        filters,
      )
      assert.equal(defaultColumns(model).join(' '), columns)
      assert.equal([...sortableFields(model).values()].join(' '), sortable)
    })
  }

  it('has the name first and leaves out what fits into no cell', () => {
    assert.equal(columnFields(headline)[0]?.name, 'title')
    assert.equal(columnFields(user)[0]?.name, 'email')
    assert.ok(!columnFields(user).some(({ name }) => name === 'feedDecoratorStatus'))
    assert.ok(!columnFields(headline).some(({ name }) => name === 'type'))
  })
})

describe('the address of a list', () => {
  for (const [name, query] of [
    ['nothing', ''],
    ['a search', 'q=storm+%26+sea'],
    ['filters', `status=draft&status=archived&topic=${ID}`],
    ['a nested filter', `source.language=${ID}`],
    ['a sort', 'sort=updatedAt'],
    ['columns', 'columns=title%2Ctopic'],
    ['only the name as column', 'columns=title'],
  ] as const) {
    it(`keeps ${name}`, () => {
      assert.equal(writeState(readState(new URLSearchParams(query), rules), rules).toString(), query)
    })
  }

  for (const [name, query, wanted] of [
    ['the sort that there is anyway', 'sort=updatedAt:desc', ''],
    ['a sort that would be slow', 'sort=excerpt', ''],
    ['a sort that is none', 'sort=%24where%3Adesc', ''],
    ['a status that there is not', 'status=burnt', ''],
    ['a field that there is not', 'author=x&__proto__=x', ''],
    ['an id that cannot be one', `topic=&topic=${'x'.repeat(101)}`, ''],
    ['columns that there are not', 'columns=body,__proto__', ''],
    ['a value given twice', `topic=${ID}&topic=${ID}`, `topic=${ID}`],
    ['more text than anybody searches for', `q=${'x'.repeat(5_000)}`, `q=${'x'.repeat(200)}`],
  ] as const) {
    it(`passes over ${name}`, () => {
      assert.equal(writeState(readState(new URLSearchParams(query), rules), rules).toString(), wanted)
    })
  }

  it('bounds values and columns', () => {
    const many = new URLSearchParams(Array.from({ length: 50 }, (_, i) => ['topic', `id${i}`]))
    assert.equal(readState(many, rules).filters.get('topic')?.length, 20)
    const all = new URLSearchParams({ columns: rules.columns.join() })
    assert.equal(readState(all, rules).columns.length, 8)
  })

  it('names columns before those that were stored, and those before the usual ones', () => {
    const columns = (query: string, stored?: string) => readState(new URLSearchParams(query), rules, stored).columns
    assert.deepEqual(columns('columns=title,url', 'title,status'), ['title', 'url'])
    assert.deepEqual(columns('', 'title,status'), ['title', 'status'])
    assert.deepEqual(columns('', 'nothing,of,this'), rules.defaultColumns)
  })
})

describe('the query of a list', () => {
  const query = (text: string) => listQuery(readState(new URLSearchParams(text), rules), rules)

  it('is sorted and has no filter where nothing is asked', () => {
    assert.deepEqual(query(''), { sort: 'updatedAt:desc' })
  })

  it('has the search, one value as it is and several as $in', () => {
    assert.deepEqual(query(`q=+sea+&status=draft&topic=a&topic=b&source.language=${ID}&sort=updatedAt`), {
      sort: 'updatedAt',
      filter: { q: 'sea', status: 'draft', 'topic.id': { $in: ['a', 'b'] }, 'source.language.id': ID },
    })
  })

  it('takes a value that looks like an operator as a value', () => {
    assert.deepEqual(query('topic=%24where&topic=x').filter, { 'topic.id': { $in: ['$where', 'x'] } })
  })

  it('follows a filter that is turned on and off', () => {
    const state = readState(new URLSearchParams(), rules)
    const filters = toggled(state.filters, 'status', 'draft')
    assert.deepEqual(listQuery({ ...state, filters }, rules).filter, { status: 'draft' })
    assert.deepEqual(toggled(filters, 'status', 'draft'), state.filters)
  })
})
