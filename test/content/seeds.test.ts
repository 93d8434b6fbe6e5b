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
    assert.equal(
      JSON.stringify(
        countries.find((country) => country['isoCode'] === 'IS'),
        undefined,
        1,
      ),
      JSON.stringify(
        {
          // sha256sum of "country:IS", cut; installations meet by this id, so it must never change.
          id: 'fd6d66ff42e654d0fa985bc2',
          isoCode: 'IS',
          name: 'Iceland',
          flagUrl: 'https://flagcdn.com/h40/is.png',
          createdAt: SEED_DATE,
          updatedAt: SEED_DATE,
          status: 'active',
          type: 'country',
        },
        undefined,
        1,
      ),
    )
  })

  it('knows all 249 countries once, each by an upper-case code and a name of its own', () => {
    assert.equal(countries.length, 249)
    assertDistinct(countries, 'id')
    assertDistinct(countries, 'isoCode')
    assertDistinct(countries, 'name')
    for (const country of countries) {
      assert.deepEqual(Object.keys(country), Object.keys(countries[0] ?? {}))
      assert.match(String(country['isoCode']), /^[A-Z]{2}$/)
      assert.ok(isId(String(country['id'])))
      assertName(country['name'])
    }
  })

  it('leaves out codes that are withdrawn, reserved or not assigned', () => {
    const codes = new Set(countries.map((country) => country['isoCode']))
    for (const code of ['AN', 'BU', 'CS', 'DD', 'EU', 'FX', 'NT', 'SU', 'TP', 'UK', 'XK', 'YD', 'YU', 'ZR', 'ZZ']) {
      assert.ok(!codes.has(code), code)
    }
    for (const code of ['AX', 'BQ', 'CW', 'SS', 'SX', 'TL', 'RS', 'ME']) assert.ok(codes.has(code), code)
  })

  it('takes flags from the place that the operator names, with or without a slash at its end', () => {
    for (const flagBaseUrl of ['/flags', '/flags/']) {
      assert.equal(countrySeeds({ flagBaseUrl })[0]?.['flagUrl'], '/flags/ad.png')
    }
  })
})

describe('languageSeeds()', () => {
  const languages = languageSeeds()
  const byCode = new Map(languages.map((language) => [language['code'], language]))

  it('writes a language as the apps read it, in the documented order of members and without a type', () => {
    assert.equal(
      JSON.stringify(byCode.get('is'), undefined, 1),
      JSON.stringify(
        {
          id: '38c9f14c35cc3cffd3e3c35e',
          code: 'is',
          name: 'Icelandic',
          nativeName: 'Íslenska',
          createdAt: SEED_DATE,
          updatedAt: SEED_DATE,
          status: 'active',
        },
        undefined,
        1,
      ),
    )
  })

  it('knows all 183 languages once, each by a lower-case code and a name of its own', () => {
    assert.equal(languages.length, 183)
    assertDistinct(languages, 'id')
    assertDistinct(languages, 'code')
    assertDistinct(languages, 'name')
    for (const language of languages) {
      assert.deepEqual(Object.keys(language), Object.keys(languages[0] ?? {}))
      assert.match(String(language['code']), /^[a-z]{2}$/)
      assert.ok(isId(String(language['id'])))
      assertName(language['name'])
      assertName(language['nativeName'])
    }
  })

  it('leaves out withdrawn codes', () => {
    for (const code of ['bh', 'in', 'iw', 'ji', 'jw', 'mo', 'sh']) assert.ok(!byCode.has(code), code)
  })

  it('names each language in its own script, beginning as a sentence of it does', () => {
    const expected: Readonly<Record<string, string>> = {
      ar: 'العربية',
      az: 'Azərbaycan',
      cu: 'Словѣньскъ ѩзыкъ',
      cy: 'Cymraeg',
      dv: 'ދިވެހިބަސް',
      el: 'Ελληνικά',
      fr: 'Français',
      // Georgian writes no capital at the start of a sentence, although Unicode has the letters.
      ka: 'ქართული',
      iu: 'ᐃᓄᒃᑎᑐᑦ',
      ja: '日本語',
      tl: 'Tagalog',
      tw: 'Twi',
      zh: '中文',
      zu: 'IsiZulu',
    }
    for (const [code, name] of Object.entries(expected)) assert.equal(byCode.get(code)?.['nativeName'], name)
  })

  it('repeats the English name only where English calls a language as it calls itself', () => {
    const sameAsEnglish = languages.filter((language) => language['name'] === language['nativeName'])
    assert.deepEqual(
      sameAsEnglish.map((language) => language['code']),
      'af ak bi en eo ha ho ia ie ig io kl kr mg mi oc tl tw vo wo'.split(' '),
    )
  })
})

describe('remoteConfigSeed()', () => {
  const config = remoteConfigSeed()

  it('carries the id that the apps have built in, and the members they require in the documented order', () => {
    assert.equal(config['id'], '6643b1b7a4a4e6e1a8e7b1c2')
    assert.equal(config['id'], REMOTE_CONFIG_ID)
    assert.deepEqual(Object.keys(config), [
      'id',
      'userPreferenceConfig',
      'adConfig',
      'feedDecoratorConfig',
      'appStatus',
      'createdAt',
      'updatedAt',
    ])
    assert.equal(config['createdAt'], SEED_DATE)
    assert.equal(config['updatedAt'], SEED_DATE)
  })

  it('states the limits of guests, accounts and premium readers', () => {
    assert.deepEqual(Object.values(config['userPreferenceConfig'] as JsonObject), [5, 10, 3, 15, 30, 10, 30, 100, 25])
  })

  it('shows no advertisement anywhere: each of the four switches is off', () => {
    const ads = config['adConfig'] as Record<string, JsonObject>
    assert.deepEqual(Object.keys(ads), [
      'enabled',
      'primaryAdPlatform',
      'platformAdIdentifiers',
      'feedAdConfiguration',
      'articleAdConfiguration',
      'interstitialAdConfiguration',
    ])
    assert.equal(ads['enabled'], false)
    for (const place of ['feedAdConfiguration', 'articleAdConfiguration', 'interstitialAdConfiguration']) {
      assert.equal(ads[place]?.['enabled'], false, place)
    }
  })

  it('names all six decorators, and gives every collection something to display', () => {
    const decorators = config['feedDecoratorConfig'] as Record<string, JsonObject>
    assert.deepEqual(Object.keys(decorators), [
      'linkAccount',
      'upgrade',
      'rateApp',
      'enableNotifications',
      'suggestedTopics',
      'suggestedSources',
    ])
    for (const [name, decorator] of Object.entries(decorators)) {
      assert.deepEqual(Object.keys(decorator), ['category', 'enabled', 'visibleTo', 'itemsToDisplay'], name)
      const displays = decorator['category'] === 'contentCollection' ? 5 : null
      assert.equal(decorator['itemsToDisplay'], displays, name)
    }
  })

  it('locks no app out', () => {
    const status = config['appStatus'] as JsonObject
    assert.equal(status['isUnderMaintenance'], false)
    assert.equal(status['isLatestVersionOnly'], false)
    assert.match(String(status['latestAppVersion']), /^\d+\.\d+\.\d+$/)
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
