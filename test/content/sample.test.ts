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

describe('sample documents', () => {
  const dated = ['createdAt', 'updatedAt', 'status', 'type']
  const shapes: readonly [string, readonly JsonObject[], readonly string[]][] = [
    ['topic', topics, ['id', 'name', 'description', 'iconUrl', ...dated]],
    ['source', sources, ['id', 'name', 'description', 'url', 'logoUrl', 'sourceType', 'language', 'headquarters', ...dated]],
    ['headline', headlines, ['id', 'title', 'excerpt', 'url', 'imageUrl', 'source', 'eventCountry', 'topic', ...dated]],
  ]
  for (const [type, items, members] of shapes) {
    it(`of the type ${type} have all required members in the documented order, no other, and an id of their own`, () => {
      for (const item of items) {
        const isPublished = type === 'headline' && item['status'] !== 'draft'
        assert.deepEqual(Object.keys(item), isPublished ? [...members, 'publishedAt'] : members)
        assert.deepEqual([item['type'], isId(text(item['id']))], [type, true])
        const [created, updated] = [text(item['createdAt']), text(item['updatedAt'])]
        assert.ok(parseIsoDate(created) === created && created <= updated && updated <= isoDate(NOW), `${created} ${updated}`)
      }
      assert.equal(new Set(items.map(({ id }) => id)).size, items.length)
    })
  }

  it('point only at the reserved domain .example, which leads nowhere', () => {
    for (const item of [...topics, ...sources, ...headlines]) {
      for (const url of [item['iconUrl'], item['imageUrl'], item['url']]) if (url !== undefined) assert.match(text(url), /^https:\/\/[\w.-]+\.example\b/)
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
