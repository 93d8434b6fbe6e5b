// isolated: it stands in for what a browser has once
/** Values of the configuration apart from the page: tables and what their cells mean, and what locks readers out. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { memberOf, type Members } from '../../src/dashboard/any-documents.ts'
import { columnsOf, valueFromCells } from '../../src/dashboard/screens/configuration/grid-shape.ts'
import { readLimitName } from '../../src/dashboard/screens/configuration/limit-names.ts'
import { warningsOf } from '../../src/dashboard/screens/configuration/lock-outs.ts'
import { valueText } from '../../src/dashboard/screens/configuration/configuration-value.ts'
import { withDifferences } from '../../src/dashboard/document-difference.ts'
import { useLanguage } from '../../src/dashboard/texts.ts'
import { remoteConfigSeed } from '../../src/content/seeds/seeds.ts'
import { remoteConfig, type RemoteConfig } from '../../src/models/remote-config.ts'
import type { MapField } from '../../src/models/schema.ts'

const { feedDecoratorConfig, adConfig } = remoteConfig.fields
const { feedAdConfiguration, articleAdConfiguration, platformAdIdentifiers } = adConfig.fields

describe('a value that changes', () => {
  before(() => {
    Object.assign(globalThis, { document: { documentElement: {} } })
    return useLanguage('en')
  })

  for (const [path, value, words] of [
    ['appStatus.isUnderMaintenance', true, 'yes'],
    ['adConfig.interstitialAdConfiguration.adType', 'interstitial', 'Full screen'],
    ['feedDecoratorConfig.rateApp.category', 'callToAction', 'Call to action'],
    ['appStatus.latestAppVersion', 'banner', 'banner'],
    ['constructor.prototype', 'native', 'native'],
    ['feedDecoratorConfig.rateApp.itemsToDisplay', 5, '5'],
  ] as const) {
    it(`is “${words}” where ${path} is ${JSON.stringify(value)}`, () => {
      assert.equal(valueText(path.split('.'), value), words)
    })
  }
})

describe('a map as a table', () => {
  it('has a column for each short value of a row, and is none where there are long ones', () => {
    const names = (field: MapField) => columnsOf(field)?.map(({ steps }) => steps.join('.'))
    assert.deepEqual(names(feedDecoratorConfig), [
      'category',
      'enabled',
      'visibleTo.guestUser.daysBetweenViews',
      'visibleTo.standardUser.daysBetweenViews',
      'visibleTo.premiumUser.daysBetweenViews',
      'itemsToDisplay',
    ])
    assert.deepEqual(names(feedAdConfiguration.fields.visibleTo), ['adFrequency', 'adPlacementInterval'])
    assert.equal(names(platformAdIdentifiers), undefined)
  })

  const card = { category: 'callToAction', enabled: false, visibleTo: {}, itemsToDisplay: null, own: 1 }
  for (const [name, field, original, changes, wanted] of [
    ['is as it was where nothing was touched', feedDecoratorConfig, { upgrade: card }, {}, { upgrade: card }],
    [
      'has a role once its cell is filled, and keeps undeclared members',
      feedDecoratorConfig,
      { upgrade: card },
      { 'upgrade.visibleTo.guestUser.daysBetweenViews': 7 },
      { upgrade: { ...card, visibleTo: { guestUser: { daysBetweenViews: 7 } } } },
    ],
    [
      'has a row once one of its cells is filled, whole',
      feedDecoratorConfig,
      {},
      { 'rateApp.enabled': true },
      { rateApp: { category: 'callToAction', enabled: true, visibleTo: {}, itemsToDisplay: null } },
    ],
    [
      'loses a role when its cells are cleared',
      feedAdConfiguration.fields.visibleTo,
      { guestUser: { adFrequency: 5, adPlacementInterval: 3 } },
      { 'guestUser.adFrequency': null, 'guestUser.adPlacementInterval': null },
      undefined,
    ],
    [
      'leaves it to the server to refuse a row that is half empty',
      feedAdConfiguration.fields.visibleTo,
      { guestUser: { adFrequency: 5, adPlacementInterval: 3 } },
      { 'guestUser.adFrequency': null },
      { guestUser: { adPlacementInterval: 3 } },
    ],
    [
      'keeps what is not ticked where it was there',
      articleAdConfiguration.fields.visibleTo,
      { guestUser: { aboveArticleContinueReadingButton: false }, premiumUser: {} },
      {},
      { guestUser: { aboveArticleContinueReadingButton: false }, premiumUser: {} },
    ],
  ] as const) {
    it(name, () => {
      const cell = (steps: readonly string[]) => {
        const change = (changes as Record<string, never>)[steps.join('.')]
        // As an untouched control gives it: a tick that is not set is false.
        const stored = steps.reduce(memberOf, original as never) ?? null
        return change !== undefined ? change : (stored ?? (/enabled|Button/.test(steps.at(-1) ?? '') ? false : null))
      }
      assert.deepEqual(valueFromCells(field, { original: original as never, cell }), wanted)
    })
  }

  it('knows the two parts in the name of a limit', () => {
    assert.deepEqual(readLimitName('authenticatedSavedFiltersLimit'), {
      who: 'authenticated',
      what: 'SavedFiltersLimit',
    })
    assert.equal(readLimitName('guestlist'), undefined)
    for (const name of Object.keys(remoteConfig.fields.userPreferenceConfig.fields))
      assert.ok(readLimitName(name), name)
  })
})

describe('a configuration', () => {
  const seed = remoteConfigSeed() as unknown as Members & RemoteConfig
  it('as it is at first warns of nothing', () => assert.deepEqual(warningsOf(seed), []))
  it('that is none at all warns of nothing and fails nowhere', () => {
    for (const broken of [{}, { appStatus: null, userPreferenceConfig: [0], feedDecoratorConfig: { a: 1 } }]) {
      assert.deepEqual(warningsOf(broken), [])
    }
  })
  for (const [path, value, wanted] of [
    ['appStatus.isUnderMaintenance', true, { kind: 'maintenance' }],
    ['appStatus.isLatestVersionOnly', true, { kind: 'oldVersions', version: seed.appStatus.latestAppVersion }],
    ['userPreferenceConfig.guestSavedFiltersLimit', 0, { kind: 'nothing', name: 'guestSavedFiltersLimit' }],
    ['adConfig.enabled', true, { kind: 'noIdentifiers' }],
    ['adConfig.feedAdConfiguration.enabled', true, { kind: 'feedAds' }],
    [
      'feedDecoratorConfig.suggestedTopics',
      { category: 'contentCollection', enabled: true, visibleTo: {}, itemsToDisplay: 0 },
      { kind: 'noItems', name: 'suggestedTopics' },
    ],
  ] as const) {
    it(`warns of ${path} ${JSON.stringify(value)}`, () => {
      const changed = withDifferences(seed, [{ steps: path.split('.'), before: undefined, after: value }])
      assert.deepEqual(warningsOf(changed), [wanted])
    })
  }
})
