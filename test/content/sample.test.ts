import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isoDate, parseIsoDate } from '../../src/base/dates.ts'
import { isId } from '../../src/base/ids.ts'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { sampleContent } from '../../src/content/seeds/sample.ts'
import { countrySeeds, languageSeeds } from '../../src/content/seeds/seeds.ts'

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

  it('gives no id, name or title twice', () => {
    const all = [...topics, ...sources, ...headlines]
    assert.equal(new Set(all.map((item) => item['id'])).size, all.length)
    for (const [items, member] of [[topics, 'name'], [sources, 'name'], [headlines, 'title'], [headlines, 'url']] as const) {
      assert.equal(new Set(items.map((item) => item[member])).size, items.length, member)
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
})

describe('loading the sample at another time', () => {
  it('gives the same ids six months later, and dates six months younger', () => {
    const later = sampleContent({ now: NOW + 180 * DAY_MS, countries, languages })
    for (const [before, after] of [[topics, later.topics], [sources, later.sources], [headlines, later.headlines]] as const) {
      assert.deepEqual(after.map((item) => item['id']), before.map((item) => item['id']))
      after.forEach((item, i) => {
        const shift = Date.parse(text(item['createdAt'])) - Date.parse(text(before[i]?.['createdAt']))
        assert.equal(shift, 180 * DAY_MS)
      })
    }
  })
})

it('the sample has a second page and every status of each model, and news of each of the last six weeks', () => {
  for (const items of [topics, sources, headlines]) {
    assert.ok(active(items).length > DEFAULT_PAGE)
    assert.deepEqual([...new Set(items.map((item) => item['status']))].sort(), ['active', 'archived', 'draft'])
  }
  assert.equal(new Set(sources.map((source) => source['sourceType'])).size, 9)
  const told = new Set(active(headlines).map((headline) => object(headline['topic'])['id']))
  assert.deepEqual(active(topics).filter((topic) => !told.has(topic['id'])), [])
  const ages = headlines.map((headline) => NOW - Date.parse(text(headline['createdAt'])))
  const weeks = new Set(ages.map((age) => Math.floor(age / (7 * DAY_MS))))
  assert.deepEqual([...weeks].sort(), [0, 1, 2, 3, 4, 5])
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
