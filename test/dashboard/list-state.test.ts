// isolated: it mocks the timers of the process
/** The state of a list: what a declaration offers, the address it is in, and the query it is. */
import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { filterFields } from '../../src/dashboard/screens/list/filter-fields.ts'
import { cardColumns, columnsOf, placedColumns, sortableFields, type ListColumn } from '../../src/dashboard/screens/list/list-columns.ts'
import { columnsShown, columnSort, columnsTicked, listQuery, readState, rulesOf, sortOf, toggled, writeState, type ListState } from '../../src/dashboard/screens/list/list-state.ts'
import { headline } from '../../src/models/headline.ts'
import { topic } from '../../src/models/topic.ts'
import { user } from '../../src/models/user.ts'

const ID = '0123456789abcdef01234567'

const rules = rulesOf(headline)
const namesOf = (columns: readonly ListColumn[]): readonly string[] => columns.map(({ name }) => name)

describe('what a list offers by the declaration', () => {
  for (const [model, filters, columns, sortable] of [
    [
      headline,
      'status source eventCountry topic source.sourceType source.language updatedAt publishedAt createdAt',
      'title source eventCountry topic updatedAt status',
      'updatedAt:desc publishedAt:desc title status',
    ],
    [topic, 'status updatedAt createdAt', 'name description updatedAt status', 'name updatedAt:desc status'],
    [user, 'appRole dashboardRole updatedAt createdAt', 'email appRole dashboardRole updatedAt', 'createdAt:desc email'],
  ] as const) {
    it(`of ${model.name}`, () => {
      assert.equal(filterFields(model).map(({ key }) => key).join(' '), filters)
      assert.equal(rulesOf(model).defaultColumns.join(' '), columns)
      assert.equal([...sortableFields(model).values()].join(' '), sortable)
    })
  }

  it('has the name first and leaves out what fits into no cell', () => {
    assert.equal(columnsOf(headline)[0]?.name, 'title')
    assert.equal(columnsOf(user)[0]?.name, 'email')
    assert.ok(!columnsOf(user).some(({ name }) => name === 'feedDecoratorStatus'))
    assert.ok(!columnsOf(headline).some(({ name }) => name === 'type'))
  })
})

describe('where the columns of a list stand', () => {
  const columns = columnsOf(headline).filter(({ name }) => ['title', 'excerpt', 'source', 'topic', 'updatedAt', 'status'].includes(name))
  for (const [rem, own, below] of [
    [60, 'title excerpt updatedAt status', 'source topic'],
    [59, 'title updatedAt status', 'excerpt source topic'],
    [52, 'title updatedAt', 'status excerpt source topic'],
    [21, 'title', 'status updatedAt excerpt source topic'],
  ] as const) {
    it(`in ${rem} rem: ${below} below the name`, () => {
      const placed = placedColumns(columns, rem)
      assert.equal(namesOf(placed.filter(({ isBelow }) => !isBelow)).join(' '), own)
      assert.equal(namesOf(placed.filter(({ isBelow }) => isBelow)).join(' '), below)
    })
  }

  it('is below the name in any case only where nothing is sorted by them', () => {
    assert.deepEqual(columnsOf(headline).filter(({ isBrief, sort }) => isBrief && sort !== undefined), [])
    assert.deepEqual(namesOf(columnsOf(topic).filter(({ isBrief }) => isBrief)), [])
  })
})

describe('a column', () => {
  const column = (name: string): ListColumn => columnsOf(headline).find((one) => one.name === name) ?? assert.fail(name)
  const document = { title: 'Fog', status: 'draft', publishAt: '2026-03-01T08:00:00.000Z', updatedAt: '2026-02-01T08:00:00.000Z' }

  it('shows the member of its name, or is computed from those that it names', () => {
    assert.equal(column('title').value(document), 'Fog')
    assert.equal(column('source').value(document), undefined)
    assert.deepEqual(column('status').value(document), { status: 'draft', publishAt: document.publishAt })
    assert.deepEqual(columnsOf(headline).filter(({ computedFrom }) => computedFrom).map(({ name }) => name), ['status'])
  })

  it('sorts as the tab has it, and not where all rows are equal', () => {
    const sorts = (query: string) => ['title', 'status', 'publishedAt', 'source'].map((name) => columnSort(column(name), readState(new URLSearchParams(query), rules)))
    assert.deepEqual(sorts(''), ['title', 'status', 'publishedAt:desc', undefined])
    assert.deepEqual(sorts('status=active'), ['title', undefined, 'publishedAt:desc', undefined])
    assert.deepEqual(sorts('status=active&status=draft'), ['title', 'status', 'publishedAt:desc', undefined])
    assert.deepEqual(sorts('scheduled=true'), ['title', 'publishAt', 'publishedAt:desc', undefined])
  })

  it('of a date is one on a card: that of the sort', () => {
    const [all, shown] = [rules.columns, columnsShown(readState(new URLSearchParams('status=active'), rules), rules)]
    const details = (...sorts: (string | undefined)[]) => namesOf(cardColumns(shown, all, sorts).filter(({ isDetail }) => isDetail)).join(' ')
    assert.equal(details('title', 'publishedAt:desc'), 'status publishedAt')
    assert.equal(details('updatedAt:desc', 'publishedAt:desc'), 'updatedAt status')
    assert.equal(details('createdAt'), 'status createdAt')
    assert.equal(details('title'), 'updatedAt status publishedAt')
  })
})

describe('the address of a list', () => {
  for (const [name, query] of [
    ['nothing', ''],
    ['a search', 'q=storm+%26+sea'],
    ['filters', `status=draft&status=archived&topic=${ID}`],
    ['a nested filter', `source.language=${ID}`],
    ['what is on or off, and what is left out', `topic=${ID}&without.url=true&without.imageUrl=true&handedInAt=true&not.status=archived&not.topic=a`],
    ['a sort', 'sort=updatedAt'],
    ['the time of publishing, the last first', 'scheduled=true&sort=publishAt%3Adesc'],
    ['the date of a tab as a column of all tabs', 'status=active&columns=title%2Csource%2CeventCountry%2Ctopic%2CupdatedAt%2Cstatus%2CpublishedAt'],
    ['a date that its tab does not show', 'columns=title%2Cstatus%2C-publishedAt'],
    ['a range of dates that goes on with the calendar', 'updatedAt=week'],
    ['the tab of scheduled headlines', 'scheduled=true'],
    ['columns', 'columns=title%2Ctopic'],
  ] as const) {
    it(`keeps ${name}`, () => {
      assert.equal(writeState(readState(new URLSearchParams(query), rules), rules).toString(), query)
    })
  }

  for (const [name, query, wanted] of [
    ['the sort that there is anyway', 'sort=updatedAt:desc', ''],
    ['the sort that the tab has anyway', 'status=active&sort=publishedAt:desc', 'status=active'],
    ['the columns that there are anyway', 'status=active&columns=title,source,eventCountry,topic,updatedAt,status', 'status=active'],
    ['a column hidden that no tab has by itself', 'columns=title,-source', 'columns=title'],
    ['a time to come of other documents', 'status=draft&sort=publishAt', 'status=draft'],
    ['a sort that would be slow', 'sort=excerpt', ''],
    ['a field that there is not', 'author=x&__proto__=x', ''],
    ['an id that cannot be one', `topic=&topic=${'x'.repeat(101)}`, ''],
    ['a flag that is neither, and one of a field that has none', 'without.url=no&without.title=true&not.updatedAt=week', ''],
    ['days that there are not', 'updatedAt=2026-02-30..2026-13-01', ''],
    ['dates that are none', 'updatedAt=..&publishedAt=yesterday&createdAt=2026-03-01..x', ''],
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
    const all = new URLSearchParams({ columns: namesOf(rules.columns).join() })
    assert.equal(readState(all, rules).columns?.length, 8)
  })

  it('names columns before those that were stored, and those before the usual ones', () => {
    const columns = (query: string, stored?: string) => namesOf(columnsShown(readState(new URLSearchParams(query), rules, stored), rules))
    assert.deepEqual(columns('columns=title,url', 'title,status'), ['title', 'url'])
    assert.deepEqual(columns('', 'title,status'), ['title', 'status'])
    assert.deepEqual(columns('', 'nothing,of,this'), rules.defaultColumns)
    assert.deepEqual(columns('status=active', 'title,status'), ['title', 'status', 'publishedAt'])
    assert.deepEqual(columns('status=active'), [...rules.defaultColumns, 'publishedAt'])
  })
})

// A tick in Published took its date along into all other tabs.
describe('the columns that a reader ticks in one tab', () => {
  const state = (query: string, columns?: readonly string[]): ListState => ({ ...readState(new URLSearchParams(query), rules), columns })
  const [all, published] = ['', 'status=active']
  const both = (columns: readonly string[]) => [all, published].map((query) => namesOf(columnsShown(state(query, columns), rules)).join(' '))
  const tick = (query: string, columns: readonly string[] | undefined, change: (shown: readonly string[]) => readonly string[]) =>
    columnsTicked(change(namesOf(columnsShown(state(query, columns), rules))), state(query, columns), rules)
  const without = (name: string) => (shown: readonly string[]) => shown.filter((one) => one !== name)
  const also = (name: string) => (shown: readonly string[]) => namesOf(rules.columns).filter((one) => one === name || shown.includes(one))

  it('are those of all tabs, without the date of the tab', () => {
    const fewer = tick(published, undefined, without('source'))
    assert.deepEqual(both(fewer), ['title eventCountry topic updatedAt status', 'title eventCountry topic updatedAt status publishedAt'])
    assert.deepEqual(tick(published, fewer, also('source')), rules.defaultColumns)
  })

  it('leave the date of the tab out of it where its tick is taken away', () => {
    const hides = tick(published, ['title', 'status'], without('publishedAt'))
    assert.deepEqual(both(hides), ['title status', 'title status'])
    const more = tick(all, hides, also('url'))
    assert.deepEqual(both(more), ['title url status', 'title url status'])
    assert.deepEqual(both(tick(published, more, also('publishedAt'))), ['title url status', 'title url status publishedAt'])
  })
})

describe('the query of a list', () => {
  const query = (text: string) => listQuery(readState(new URLSearchParams(text), rules), rules)

  it('is sorted and has no filter where nothing is asked', () => {
    assert.deepEqual(query(''), { sort: 'updatedAt:desc' })
  })

  it('of a tab is in the order that its documents have', () => {
    const sorts = ['status=active', 'status=draft', 'status=archived', 'status=active&status=draft', 'scheduled=true', 'status=active&topic=a'].map((text) => query(text).sort)
    assert.deepEqual(sorts, ['publishedAt:desc', 'updatedAt:desc', 'updatedAt:desc', 'updatedAt:desc', 'publishAt', 'publishedAt:desc'])
    const topics = rulesOf(topic)
    assert.equal(listQuery(readState(new URLSearchParams('status=active'), topics), topics).sort, 'name')
  })

  it('keeps the sort that a reader has chosen in one tab for the next, as far as that has it', () => {
    const [published, drafts, scheduled] = [
      { filters: new Map([['status', ['active']]]), isScheduled: false },
      { filters: new Map([['status', ['draft']]]), isScheduled: false },
      { filters: new Map(), isScheduled: true },
    ] as const
    const turned = (state: ListState): readonly unknown[] => [published, drafts, scheduled].map((tab) => sortOf({ ...state, ...tab }, rules))
    const chosen = (text: string): ListState => readState(new URLSearchParams(text), rules)
    assert.deepEqual(turned(chosen('status=draft&sort=title')), ['title', 'title', 'title'])
    assert.deepEqual(turned(chosen('status=active&sort=updatedAt%3Adesc')), ['updatedAt:desc', 'updatedAt:desc', 'updatedAt:desc'])
    assert.deepEqual(turned(chosen('scheduled=true&sort=publishAt%3Adesc')), ['publishedAt:desc', 'updatedAt:desc', 'publishAt:desc'])
    assert.deepEqual(turned(chosen('sort=updatedAt%3Adesc')), ['publishedAt:desc', 'updatedAt:desc', 'publishAt'])
  })

  it('has the search, one value as it is and several as $in', () => {
    assert.deepEqual(query(`q=+sea+&status=draft&topic=a&topic=b&source.language=${ID}&sort=updatedAt`), {
      sort: 'updatedAt',
      search: 'sea',
      filter: { status: 'draft', 'topic.id': { $in: ['a', 'b'] }, 'source.language.id': ID },
    })
  })

  it('leaves values out, also beside others of the field, and asks for members that are empty or not there', () => {
    assert.deepEqual(query(`topic=a&not.topic=b&not.status=archived&without.imageUrl=true&handedInAt=true`).filter, {
      'topic.id': { $in: ['a'], $nin: ['b'] },
      imageUrl: { $in: ['', null] },
      handedInAt: { $gt: '' },
      status: { $nin: ['archived'] },
    })
  })

  it('sorts by status in the order of an index', () => {
    assert.equal(query('sort=status').sort, 'status,updatedAt:desc')
    assert.equal(query('sort=status%3Adesc').sort, 'status:desc,updatedAt')
  })

  it('of the tab Scheduled has drafts with a time', () => {
    assert.deepEqual(query('scheduled=true&topic=a').filter, { 'topic.id': 'a', status: 'draft', publishAt: { $gt: '' } })
    assert.deepEqual(listQuery(readState(new URLSearchParams('scheduled=true'), rulesOf(topic)), rulesOf(topic)).filter, undefined)
  })

  it('has ranges of dates from midnight to midnight of the zone of the reader, where a day may have 23 hours', () => {
    const zone = process.env['TZ']
    process.env['TZ'] = 'Europe/Berlin'
    mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-03-29T21:30:00Z') })
    try {
      const updatedAt = (range: string) => query(`updatedAt=${range}`).filter?.['updatedAt']
      assert.deepEqual(updatedAt('today'), { $gte: '2026-03-28T23:00:00.000Z', $lt: '2026-03-29T22:00:00.000Z' })
      assert.deepEqual(updatedAt('week'), { $gte: '2026-03-22T23:00:00.000Z', $lt: '2026-03-29T22:00:00.000Z' })
      assert.deepEqual(updatedAt('month'), { $gte: '2026-02-28T23:00:00.000Z', $lt: '2026-03-31T22:00:00.000Z' })
      assert.deepEqual(updatedAt('2026-02-01..2026-02-28'), { $gte: '2026-01-31T23:00:00.000Z', $lt: '2026-02-28T23:00:00.000Z' })
      assert.equal(updatedAt('2026-10-25..9999-12-31'), undefined)
      assert.deepEqual(updatedAt('..2026-10-25'), { $lt: '2026-10-25T23:00:00.000Z' })
      assert.deepEqual(updatedAt('2026-10-25..'), { $gte: '2026-10-24T22:00:00.000Z' })
    } finally {
      mock.timers.reset()
      if (zone === undefined) delete process.env['TZ']
      else process.env['TZ'] = zone
    }
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
