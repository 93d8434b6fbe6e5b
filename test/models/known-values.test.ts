/** The values of choices and the keys of maps that apps in use know: one that they do not know ends the reading of a whole document. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { MODELS } from '../../src/models/registry.ts'
import type { Field, Model } from '../../src/models/schema.ts'

const ROLES = ['guestUser', 'standardUser', 'premiumUser']
const DECORATORS = ['linkAccount', 'upgrade', 'rateApp', 'enableNotifications', 'suggestedTopics', 'suggestedSources']
const PLATFORMS = ['admob', 'local', 'demo']
const STATUS = ['active', 'draft', 'archived']

const KNOWN: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  headline: { status: STATUS, type: ['headline'] },
  topic: { status: STATUS, type: ['topic'] },
  source: {
    status: STATUS,
    sourceType: ['newsAgency', 'localNewsOutlet', 'nationalNewsOutlet', 'internationalNewsOutlet', 'specializedPublisher', 'blog', 'governmentSource', 'aggregator', 'other'],
    type: ['source'],
  },
  country: { status: STATUS, type: ['country'] },
  language: { status: STATUS },
  user: { appRole: ROLES, dashboardRole: ['none', 'publisher', 'admin'], feedDecoratorStatus: DECORATORS },
  user_app_settings: {
    'displaySettings.baseTheme': ['light', 'dark', 'system'],
    'displaySettings.accentTheme': ['defaultBlue', 'newsRed', 'graphiteGray'],
    'displaySettings.textScaleFactor': ['small', 'medium', 'large', 'extraLarge'],
    'displaySettings.fontWeight': ['light', 'regular', 'bold'],
    'feedPreferences.headlineDensity': ['compact', 'standard', 'comfortable'],
    'feedPreferences.headlineImageStyle': ['hidden', 'smallThumbnail', 'largeThumbnail'],
  },
  user_content_preferences: {},
  remote_config: {
    'adConfig.primaryAdPlatform': PLATFORMS,
    'adConfig.platformAdIdentifiers': PLATFORMS,
    // Debug builds of the app stop at the last two, which no seed has.
    'adConfig.feedAdConfiguration.adType': ['banner', 'native', 'interstitial', 'video'],
    'adConfig.feedAdConfiguration.visibleTo': ROLES,
    'adConfig.articleAdConfiguration.bannerAdShape': ['square', 'rectangle'],
    'adConfig.articleAdConfiguration.visibleTo': ROLES,
    'adConfig.articleAdConfiguration.visibleTo.*': ['aboveArticleContinueReadingButton', 'belowArticleContinueReadingButton'],
    'adConfig.interstitialAdConfiguration.adType': ['interstitial'],
    'adConfig.interstitialAdConfiguration.visibleTo': ROLES,
    feedDecoratorConfig: DECORATORS,
    'feedDecoratorConfig.*.category': ['callToAction', 'contentCollection'],
    'feedDecoratorConfig.*.visibleTo': ROLES,
  },
  dashboard_summary: {},
}

/** What a field may say that is not free, by its path; copies of other models are those of the models. */
function valuesOf(field: Field, path: string): readonly (readonly [path: string, values: readonly string[]])[] {
  switch (field.kind) {
    case 'choice':
      return [[path, field.values]]
    case 'constant':
      return [[path, [field.value]]]
    case 'nullable':
    case 'optional':
    case 'list':
      return valuesOf(field.of, path)
    case 'map':
      return [[path, field.keys], ...valuesOf(field.of, `${path}.*`)]
    case 'record':
      return Object.entries(field.fields).flatMap(([name, of]) => valuesOf(of, `${path}.${name}`))
    default:
      return []
  }
}

for (const [name, known] of Object.entries(KNOWN)) {
  it(`${name} has no choice, and no key of a map, that apps in use do not know`, () => {
    const model: Model = MODELS.find((one) => one.name === name) ?? assert.fail(`no model ${name}`)
    const sorted = (values: Readonly<Record<string, readonly string[]>>) =>
      Object.fromEntries(Object.entries(values).map(([path, some]) => [path, some.toSorted()]))
    const found = Object.fromEntries(Object.entries(model.fields).flatMap(([member, field]) => valuesOf(field, member)))
    assert.deepEqual(sorted(found), sorted(known))
  })
}
