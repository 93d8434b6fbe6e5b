/** The documents that the program brings along: countries, languages, the configuration, and the sample. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isId } from '../../src/base/ids.ts'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { countrySeeds, languageSeeds, remoteConfigSeed, seedId } from '../../src/content/seeds/seeds.ts'
import { REMOTE_CONFIG_ID } from '../../src/models/remote-config.ts'
import { isoDate, parseIsoDate } from '../../src/base/dates.ts'
import { drawMark, drawScene, MARKS, SCENES } from '../../src/content/seeds/drawn-pictures.ts'
import { readPicture } from '../../src/media/read-picture.ts'
import { hashOfBytes } from '../../src/store/media/picture-files.ts'
import { sampleContent } from '../../src/content/seeds/sample.ts'

const SEED_DATE = '2025-01-01T00:00:00.000Z'

describe('countrySeeds()', () => {
  const countries = countrySeeds()

  it('writes a country as the apps read it, in the documented order of members', () => {
    // The id is the sha256sum of "country:IS", cut; installations meet by it, so it must never change.
    const names = { id: 'fd6d66ff42e654d0fa985bc2', isoCode: 'IS', name: 'Iceland', flagUrl: 'https://flagcdn.com/h40/is.png' }
    const wanted = { ...names, createdAt: SEED_DATE, updatedAt: SEED_DATE, status: 'active', type: 'country' }
    assert.equal(JSON.stringify(countries.find((country) => country['isoCode'] === 'IS')), JSON.stringify(wanted))
  })

  it('knows all 249 countries once, each by an upper-case code and a name of its own', () => {
    assert.equal(countries.length, 249)
    for (const member of ['id', 'isoCode', 'name']) assertDistinct(countries, member)
    for (const country of countries) {
      assert.match(String(country['isoCode']), /^[A-Z]{2}$/)
      assert.ok(isId(String(country['id'])))
      assertName(country['name'])
    }
  })

  it('takes flags from the place that the operator names, with or without a slash at its end', () => {
    for (const flagBaseUrl of ['/flags', '/flags/']) {
      assert.equal(countrySeeds({ flagBaseUrl })[0]?.['flagUrl'], '/flags/ad.png')
    }
  })
})

describe('languageSeeds()', () => {
  const languages = languageSeeds()

  it('writes a language as the apps read it, in the documented order of members and without a type', () => {
    const names = { id: '38c9f14c35cc3cffd3e3c35e', code: 'is', name: 'Icelandic', nativeName: 'Íslenska' }
    const wanted = { ...names, createdAt: SEED_DATE, updatedAt: SEED_DATE, status: 'active' }
    assert.equal(JSON.stringify(languages.find(({ code }) => code === 'is')), JSON.stringify(wanted))
  })

  it('knows all 183 languages once, each by a lower-case code and a name of its own', () => {
    assert.equal(languages.length, 183)
    for (const member of ['id', 'code', 'name']) assertDistinct(languages, member)
    for (const language of languages) {
      assert.match(String(language['code']), /^[a-z]{2}$/)
      assertName(language['name'])
      assertName(language['nativeName'])
    }
  })
})

describe('remoteConfigSeed()', () => {
  const config = remoteConfigSeed()

  it('carries the id that the apps have built in, and the members they require in the documented order', () => {
    assert.equal(config['id'], '6643b1b7a4a4e6e1a8e7b1c2')
    assert.equal(config['id'], REMOTE_CONFIG_ID)
    const members = ['userPreferenceConfig', 'adConfig', 'feedDecoratorConfig', 'appStatus']
    assert.deepEqual(Object.keys(config), ['id', ...members, 'createdAt', 'updatedAt'])
    assert.deepEqual(Object.values(config['userPreferenceConfig'] as JsonObject), [5, 10, 3, 15, 30, 10, 30, 100, 25])
    assert.equal((config['adConfig'] as JsonObject)['enabled'], false)
    assert.equal((config['appStatus'] as JsonObject)['isUnderMaintenance'], false)
    assert.equal(config['createdAt'], SEED_DATE)
    assert.equal(config['updatedAt'], SEED_DATE)
  })
})

it('seedId() keeps models apart that share a code', () => {
  assert.notEqual(seedId('country', 'IS'), seedId('language', 'IS'))
  assert.notEqual(seedId('country', 'IS'), seedId('country', 'is'))
})

function assertDistinct(records: readonly JsonObject[], member: string): void {
  assert.equal(new Set(records.map((record) => record[member])).size, records.length, member)
}

/** Not blank, not padded, composed as keyboards write it, and none of the abbreviations of menus. */
function assertName(name: unknown): void {
  assert.equal(typeof name, 'string')
  const text = String(name)
  assert.equal(text, text.trim().normalize('NFC'))
  assert.match(text, /^\p{L}/u)
  assert.doesNotMatch(text, /&|^St\. |U\.S\.|SAR/)
}
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

it('the pictures of the sample are small, different, and those that the site would keep as they are', () => {
  const drawn = [...Array.from({ length: SCENES }, (_, i) => drawScene(i)), ...Array.from({ length: MARKS }, (_, i) => drawMark(i))]
  const hashes = drawn.map((bytes) => {
    const picture = readPicture(Buffer.from(bytes))
    assert.deepEqual([picture.format, picture.bytes.equals(bytes)], ['png', true])
    return hashOfBytes(bytes)
  })
  assert.equal(new Set(hashes).size, drawn.length)
  assert.ok(drawn.reduce((sum, { length }) => sum + length, 0) < 100_000)
  const own = { scenes: ['https://a.example/s1', 'https://a.example/s2'], marks: ['https://a.example/m'] }
  const content = sampleContent({ now: NOW, countries, languages, pictures: own })
  assert.deepEqual([...new Set(content.headlines.map((one) => one['imageUrl']))].sort(), own.scenes)
  assert.deepEqual([...new Set([...content.topics.map((one) => one['iconUrl']), ...content.sources.map((one) => one['logoUrl'])])], own.marks)
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
