import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isId } from '../../src/base/ids.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { countrySeeds, languageSeeds, remoteConfigSeed, seedId } from '../../src/content/seeds/seeds.ts'
import { REMOTE_CONFIG_ID } from '../../src/models/remote-config.ts'

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
