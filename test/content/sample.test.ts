import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isoDate, parseIsoDate } from '../../src/base/dates.ts'
import { Failure } from '../../src/base/failure.ts'
import { isId } from '../../src/base/ids.ts'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { sampleContent } from '../../src/content/seeds/sample.ts'
import { countrySeeds, languageSeeds, seedId } from '../../src/content/seeds/seeds.ts'

const NOW = Date.parse('2025-11-21T10:20:30.456Z')
const DAY_MS = 86_400_000
/** The most items that a list gives at once where the caller names no limit. */
const DEFAULT_PAGE = 20

const countries = countrySeeds()
const languages = languageSeeds()
const { topics, sources, headlines } = sampleContent({ now: NOW, countries, languages })

describe('the shape of sample documents', () => {
  const dated = ['createdAt', 'updatedAt', 'status', 'type']
  const shapes: readonly [string, readonly JsonObject[], readonly string[]][] = [
    ['topic', topics, ['id', 'name', 'description', 'iconUrl', ...dated]],
    ['source', sources, ['id', 'name', 'description', 'url', 'logoUrl', 'sourceType', 'language', 'headquarters', ...dated]],
    ['headline', headlines, ['id', 'title', 'excerpt', 'url', 'imageUrl', 'source', 'eventCountry', 'topic', ...dated]],
  ]
  for (const [type, items, members] of shapes) {
    it(`every ${type} has all required members in the documented order, and no other`, () => {
      assert.ok(items.length > 0)
      for (const item of items) {
        const isPublished = type === 'headline' && item['status'] !== 'draft'
        assert.deepEqual(Object.keys(item), isPublished ? [...members, 'publishedAt'] : members)
        assert.equal(item['type'], type)
        assert.ok(isId(text(item['id'])))
        assert.ok(['active', 'draft', 'archived'].includes(text(item['status'])))
        for (const member of ['name', 'title', 'description', 'excerpt']) {
          if (!members.includes(member)) continue
          const value = text(item[member])
          assert.equal(value, value.trim().normalize('NFC'))
          assert.ok(value.length > 0)
          // Soft hyphens and zero-width spaces hide in copied text and make a search miss what the eye sees.
          assert.doesNotMatch(value, /[\u00ad\u200b\ufeff]| {2}/)
        }
      }
    })
  }

  it('points only at the reserved domain .example, which leads nowhere', () => {
    for (const item of topics) assertUrl(item['iconUrl'])
    for (const item of sources) assertUrl(item['url'])
    for (const item of headlines) {
      assertUrl(item['imageUrl'])
      assertUrl(item['url'])
      assert.ok(text(item['url']).startsWith(`${text(object(item['source'])['url'])}/`))
    }
  })

  it('writes dates in UTC with milliseconds, the creation never after the last change nor after now', () => {
    for (const item of [...topics, ...sources, ...headlines]) {
      const [created, updated] = [text(item['createdAt']), text(item['updatedAt'])]
      assert.equal(parseIsoDate(created), created)
      assert.equal(parseIsoDate(updated), updated)
      assert.ok(created <= updated && updated <= isoDate(NOW), `${created} ${updated}`)
    }
  })

  it('gives no id, name, title or picture twice', () => {
    const all = [...topics, ...sources, ...headlines]
    assert.equal(new Set(all.map((item) => item['id'])).size, all.length)
    for (const [items, member] of [
      [topics, 'name'],
      [topics, 'iconUrl'],
      [sources, 'name'],
      [sources, 'url'],
      [headlines, 'title'],
      [headlines, 'url'],
      [headlines, 'imageUrl'],
    ] as const) {
      const repeated = items.map((item) => item[member]).filter((value, i, values) => values.indexOf(value) !== i)
      assert.deepEqual(repeated, [], member)
    }
  })
})

describe('embedded copies', () => {
  const record = new Map([...topics, ...sources, ...countries, ...languages].map((item) => [item['id'], item]))
  const assertCopy = (copy: Json | undefined): void => {
    // As text, so that the order of members counts too.
    assert.equal(JSON.stringify(copy), JSON.stringify(record.get(object(copy)['id'])))
  }

  it('equal their records, member for member', () => {
    for (const source of sources) {
      assertCopy(source['language'])
      assertCopy(source['headquarters'])
    }
    for (const headline of headlines) {
      assertCopy(headline['source'])
      assertCopy(headline['eventCountry'])
      assertCopy(headline['topic'])
    }
  })

  it('are the records that were handed in, changed or not', () => {
    const renamed = countries.map((country) => ({ ...country, name: `${text(country['name'])}!` }))
    const changed = sampleContent({ now: NOW, countries: renamed, languages })
    assert.match(text(object(changed.headlines[0]?.['eventCountry'])['name']), /!$/)
    assert.match(text(object(changed.sources[0]?.['headquarters'])['name']), /!$/)
  })
})

describe('loading the sample at another time', () => {
  it('gives the same text at the same time', () => {
    assert.deepEqual(sampleContent({ now: NOW, countries, languages }), { topics, sources, headlines })
  })

  it('gives the same ids six months later, and dates six months younger', () => {
    const later = sampleContent({ now: NOW + 180 * DAY_MS, countries, languages })
    for (const [before, after] of [
      [topics, later.topics],
      [sources, later.sources],
      [headlines, later.headlines],
    ] as const) {
      assert.deepEqual(
        after.map((item) => item['id']),
        before.map((item) => item['id']),
      )
      after.forEach((item, i) => {
        const shift = Date.parse(text(item['createdAt'])) - Date.parse(text(before[i]?.['createdAt']))
        assert.equal(shift, 180 * DAY_MS)
      })
    }
  })

  it('derives ids from slugs, so that the records of two installations are the same', () => {
    assert.equal(headlines[0]?.['id'], seedId('headline', 'hafnarposturinn-01'))
    assert.ok(topics.some((topic) => topic['id'] === seedId('topic', 'harbours')))
    assert.ok(sources.some((source) => source['id'] === seedId('source', 'kernel-and-lamp')))
  })

  it('says which country or language is missing', () => {
    const without = (records: readonly JsonObject[], member: string, code: string): JsonObject[] =>
      records.filter((item) => item[member] !== code)
    assert.throws(
      () => sampleContent({ now: NOW, countries: without(countries, 'isoCode', 'IS'), languages }),
      (error) => error instanceof Failure && error.code === 'notFound' && error.message.includes('isoCode "IS"'),
    )
    assert.throws(
      () => sampleContent({ now: NOW, countries, languages: without(languages, 'code', 'is') }),
      (error) => error instanceof Failure && error.code === 'notFound' && error.message.includes('code "is"'),
    )
  })
})

describe('what the sample lets one try', () => {
  it('a second page of each model, with and without inactive documents', () => {
    for (const items of [topics, sources, headlines]) assert.ok(active(items).length > DEFAULT_PAGE)
    assert.ok(topics.length >= 30)
    assert.ok(sources.length >= 40)
    assert.ok(headlines.length >= 400)
  })

  it('drafts and archived items of every kind', () => {
    for (const items of [topics, sources, headlines]) {
      const statuses = new Set(items.map((item) => item['status']))
      assert.deepEqual([...statuses].sort(), ['active', 'archived', 'draft'])
    }
  })

  it('every kind of source, from at least 20 countries in at least 10 languages', () => {
    const types = new Set(sources.map((source) => source['sourceType']))
    assert.deepEqual([...types].sort(), [
      'aggregator',
      'blog',
      'governmentSource',
      'internationalNewsOutlet',
      'localNewsOutlet',
      'nationalNewsOutlet',
      'newsAgency',
      'other',
      'specializedPublisher',
    ])
    assert.ok(new Set(sources.map((source) => object(source['headquarters'])['isoCode'])).size >= 20)
    assert.ok(new Set(headlines.map((headline) => object(object(headline['source'])['language'])['code'])).size >= 10)
  })

  it('a country with active sources in which nothing active has happened', () => {
    const eventful = new Set(active(headlines).map((headline) => object(headline['eventCountry'])['isoCode']))
    const homes = new Set(active(sources).map((source) => text(object(source['headquarters'])['isoCode'])))
    assert.deepEqual([...homes].filter((isoCode) => !eventful.has(isoCode)).sort(), ['BT', 'LU'])
  })

  it('a country in which something happened and that is home to no source', () => {
    const homes = new Set(sources.map((source) => object(source['headquarters'])['isoCode']))
    assert.ok(active(headlines).some((headline) => !homes.has(object(headline['eventCountry'])['isoCode'])))
  })

  it('something to read under every active topic and from nearly every active source', () => {
    const told = (member: string): Set<Json | undefined> =>
      new Set(active(headlines).map((headline) => object(headline[member])['id']))
    assert.deepEqual(
      active(topics).filter((topic) => !told('topic').has(topic['id'])),
      [],
    )
    const silent = active(sources).filter((source) => !told('source').has(source['id']))
    assert.deepEqual(
      silent.map((source) => source['name']),
      ['The High Valley Gazette'],
    )
  })

  it('the last six weeks, with news of today and of every week', () => {
    const ages = headlines.map((headline) => NOW - Date.parse(text(headline['createdAt'])))
    assert.ok(Math.max(...ages) <= 42 * DAY_MS)
    for (let week = 0; week < 6; week++) {
      assert.ok(ages.filter((age) => Math.floor(age / (7 * DAY_MS)) === week).length >= 20, `week ${week}`)
    }
    assert.ok(ages.some((age) => age < DAY_MS / 4))
    const records = [...topics, ...sources].map((item) => NOW - Date.parse(text(item['createdAt'])))
    assert.ok(Math.min(...records) > 100 * DAY_MS)
  })

  it('more headlines with one updatedAt than a page holds, so that a cursor has to break the tie', () => {
    const counts = new Map<string, number>()
    for (const headline of active(headlines)) {
      const updated = text(headline['updatedAt'])
      counts.set(updated, (counts.get(updated) ?? 0) + 1)
    }
    assert.ok(Math.max(...counts.values()) > DEFAULT_PAGE)
    assert.ok(headlines.some((headline) => text(headline['updatedAt']) > text(headline['createdAt'])))
  })

  it('searches for signs that regular expressions and query strings give a meaning to', () => {
    for (const sign of ['C++', '(', ')', '[', '"', '?', '%', '&', '+', '$', '👩‍🚀', 'é', 'İ', 'ß', '日', 'و', 'ह']) {
      const inTitle = headlines.some((headline) => text(headline['title']).includes(sign))
      const inExcerpt = headlines.some((headline) => text(headline['excerpt']).includes(sign))
      assert.ok(inTitle || inExcerpt, sign)
    }
  })
})

function active(items: readonly JsonObject[]): readonly JsonObject[] {
  return items.filter((item) => item['status'] === 'active')
}

function text(value: Json | undefined): string {
  assert.equal(typeof value, 'string')
  return value as string
}

function object(value: Json | undefined): JsonObject {
  assert.ok(typeof value === 'object' && value !== null)
  return value as JsonObject
}

function assertUrl(value: Json | undefined): void {
  const url = new URL(text(value))
  assert.equal(url.protocol, 'https:')
  assert.match(url.hostname, /\.example$/)
  assert.equal(url.href.replace(/\/$/, ''), value)
}
