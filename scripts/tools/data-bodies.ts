/**
 * A document of every model as clients send it, and small changes to one: a member put in or taken out at a dotted
 * path. The embedded copies carry dates and ids of their own, as copies do that were read long ago.
 */
import type { Json, JsonObject } from '../../src/base/json.ts'
import { countrySeeds, languageSeeds } from '../../src/content/seeds/seeds.ts'

const DATES = { createdAt: '2025-10-01T08:00:00.000Z', updatedAt: '2025-10-02T09:30:00.000Z' }

export const REMOTE_CONFIG_ID = '6643b1b7a4a4e6e1a8e7b1c2'
export const SUMMARY_ID = '6643b1b7a4a4e6e1a8e7b1c3'

export const LANGUAGE = {
  id: '66f000000000000000000201',
  code: 'is',
  name: 'Icelandic',
  nativeName: 'Íslenska',
  ...DATES,
  status: 'active',
} as const

export const COUNTRY = {
  id: '66f000000000000000000101',
  isoCode: 'IS',
  name: 'Iceland',
  flagUrl: 'https://flags.example.org/is.png',
  ...DATES,
  status: 'active',
  type: 'country',
} as const

export const TOPIC = {
  id: '66f000000000000000000301',
  name: 'Harbours',
  description: 'Ships, ports and tides.',
  iconUrl: 'https://cdn.example.org/icons/harbours.png',
  ...DATES,
  status: 'active',
  type: 'topic',
} as const

export const SOURCE = {
  id: '66f000000000000000000401',
  name: 'The Harbour Post',
  description: 'A small paper about the sea.',
  url: 'https://harbour.example.org',
  logoUrl: '',
  sourceType: 'localNewsOutlet',
  language: LANGUAGE,
  headquarters: COUNTRY,
  ...DATES,
  status: 'active',
  type: 'source',
} as const

export const HEADLINE = {
  id: '66f000000000000000000501',
  title: 'New ferry line opens',
  excerpt: 'Two boats a day from next week.',
  url: 'https://harbour.example.org/a/1',
  imageUrl: 'https://cdn.example.org/img/ferry.jpg',
  source: SOURCE,
  eventCountry: COUNTRY,
  topic: TOPIC,
  ...DATES,
  status: 'active',
  type: 'headline',
} as const

const NOT_SHOWN = { isCompleted: false, lastShownAt: null }

export const USER = {
  id: '66f000000000000000000601',
  email: 'reader@example.org',
  appRole: 'standardUser',
  dashboardRole: 'none',
  createdAt: '2025-10-01T08:00:00.000Z',
  feedDecoratorStatus: {
    linkAccount: NOT_SHOWN,
    upgrade: NOT_SHOWN,
    rateApp: { isCompleted: false, lastShownAt: '2025-10-03T10:00:00.000Z' },
    enableNotifications: NOT_SHOWN,
    suggestedTopics: NOT_SHOWN,
    suggestedSources: NOT_SHOWN,
  },
} as const

export const SETTINGS = {
  id: '66f000000000000000000601',
  displaySettings: {
    baseTheme: 'system',
    accentTheme: 'defaultBlue',
    fontFamily: 'SystemDefault',
    textScaleFactor: 'medium',
    fontWeight: 'regular',
  },
  language: { ...LANGUAGE, id: '66f000000000000000000202', code: 'en', name: 'English', nativeName: 'English' },
  feedPreferences: {
    headlineDensity: 'standard',
    headlineImageStyle: 'smallThumbnail',
    showSourceInHeadlineFeed: true,
    showPublishDateInHeadlineFeed: true,
  },
} as const

export const PREFERENCES = {
  id: '66f000000000000000000601',
  followedCountries: [],
  followedSources: [],
  followedTopics: [TOPIC],
  savedHeadlines: [],
  savedFilters: [{ id: '0b7f1f6e-6a1e-4a55-9b43-7c1f4f0f2a10', name: 'Sea news', topics: [TOPIC], sources: [], countries: [] }],
} as const

const AROUND_THE_BUTTON = { aboveArticleContinueReadingButton: true, belowArticleContinueReadingButton: true }

export const REMOTE_CONFIG = {
  id: REMOTE_CONFIG_ID,
  userPreferenceConfig: {
    guestFollowedItemsLimit: 5,
    guestSavedHeadlinesLimit: 10,
    guestSavedFiltersLimit: 3,
    authenticatedFollowedItemsLimit: 15,
    authenticatedSavedHeadlinesLimit: 30,
    authenticatedSavedFiltersLimit: 10,
    premiumFollowedItemsLimit: 30,
    premiumSavedHeadlinesLimit: 100,
    premiumSavedFiltersLimit: 25,
  },
  adConfig: {
    enabled: false,
    primaryAdPlatform: 'admob',
    platformAdIdentifiers: {
      admob: {
        feedNativeAdId: 'ca-app-pub-1/2',
        feedBannerAdId: null,
        feedToArticleInterstitialAdId: null,
        inArticleNativeAdId: null,
        inArticleBannerAdId: null,
      },
    },
    feedAdConfiguration: {
      enabled: false,
      adType: 'native',
      visibleTo: {
        guestUser: { adFrequency: 5, adPlacementInterval: 3 },
        standardUser: { adFrequency: 10, adPlacementInterval: 5 },
      },
    },
    articleAdConfiguration: {
      enabled: false,
      bannerAdShape: 'rectangle',
      visibleTo: { guestUser: AROUND_THE_BUTTON, standardUser: AROUND_THE_BUTTON },
    },
    interstitialAdConfiguration: {
      enabled: false,
      adType: 'interstitial',
      visibleTo: {
        guestUser: { transitionsBeforeShowingInterstitialAds: 5 },
        standardUser: { transitionsBeforeShowingInterstitialAds: 10 },
      },
    },
  },
  feedDecoratorConfig: {
    rateApp: {
      category: 'callToAction',
      enabled: true,
      visibleTo: { guestUser: { daysBetweenViews: 14 }, premiumUser: { daysBetweenViews: 0 } },
      itemsToDisplay: null,
    },
    suggestedTopics: {
      category: 'contentCollection',
      enabled: true,
      visibleTo: { guestUser: { daysBetweenViews: 7 } },
      itemsToDisplay: 5,
    },
  },
  appStatus: {
    isUnderMaintenance: false,
    latestAppVersion: '1.1.0',
    isLatestVersionOnly: false,
    iosUpdateUrl: 'https://apps.example.org/ios',
    androidUpdateUrl: 'https://apps.example.org/android',
  },
  ...DATES,
} as const

/** The body of each model that has one, by the model's name. */
export const BODIES: Readonly<Record<string, JsonObject>> = {
  headline: HEADLINE,
  topic: TOPIC,
  source: SOURCE,
  country: COUNTRY,
  language: LANGUAGE,
  user: USER,
  user_app_settings: SETTINGS,
  user_content_preferences: PREFERENCES,
  remote_config: REMOTE_CONFIG,
}

/** The body of a new document, with a code of its own where the model has codes. */
export function bodyOf(model: string): JsonObject {
  const body = BODIES[model]
  if (body === undefined) throw new Error(`No body of model ${model}`)
  return withOwnCode(model, body)
}

/**
 * A copy with the value at a dotted path (`source.language.code`, `savedFilters.0.name`); undefined takes the member
 * out. Every step but the last must be there.
 */
export function withAt(body: JsonObject, path: string, value: Json | undefined): JsonObject {
  // Through JSON and not structuredClone(), which would keep one country that stands in two places one object.
  const copy = JSON.parse(JSON.stringify(body)) as Record<string, unknown>
  const steps = path.split('.')
  const last = steps.pop() ?? ''
  let holder = copy
  for (const step of steps) {
    const next = holder[step]
    if (typeof next !== 'object' || next === null) throw new Error(`${path}: no object at ${step}`)
    holder = next as Record<string, unknown>
  }
  if (value === undefined) delete holder[last]
  else holder[last] = value
  return copy as JsonObject
}

/** As many different topics (or copies of any other document) as asked for, told apart by their ids. */
export function copies<T extends JsonObject>(document: T, count: number): T[] {
  return Array.from({ length: count }, (_, i) => ({ ...document, id: `copy-${i}` }))
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
const PAIRS = LETTERS.flatMap((one) => LETTERS.map((other) => one + other))
const SEEDED = new Set(countrySeeds({ flagBaseUrl: '' }).map(({ isoCode }) => isoCode))
const SEEDED_LANGUAGES = new Set(languageSeeds().map(({ code }) => code))
const FREE_CODES = {
  country: PAIRS.filter((code) => !SEEDED.has(code)),
  language: PAIRS.map((code) => code.toLowerCase()).filter((code) => !SEEDED_LANGUAGES.has(code)),
}

/** A code of a country or a language that no seed has, and no other call of this test file gets. */
export function freeCode(model: keyof typeof FREE_CODES): string {
  const code = FREE_CODES[model].shift()
  if (code === undefined) throw new Error(`No ${model} is left without a code`)
  return code
}

/** Codes are of one document only. */
export function withOwnCode(model: string, body: JsonObject): JsonObject {
  if (model === 'country') return { ...body, isoCode: freeCode(model) }
  return model === 'language' ? { ...body, code: freeCode(model) } : body
}

export const PUBLICATION = {
  id: '66f000000000000000000801',
  name: 'harbour-news',
  title: 'Harbour News',
  description: 'What happens at the quays.',
  language: 'en',
  filter: '{}',
  sort: 'publishedAt:desc',
  pageSize: 30,
  members: ['excerpt', 'imageUrl', 'source', 'topic', 'eventCountry'],
  visibility: 'public',
  isPaused: false,
  contact: 'news@harbour.example',
  rights: '© 2026 The Harbour Post',
  ...DATES,
} as const

export const FEED = {
  id: '66f000000000000000000701',
  address: 'https://harbour.example.org/feed.xml',
  title: 'The Harbour Post',
  siteUrl: 'https://harbour.example.org',
  source: SOURCE,
  topic: TOPIC,
  country: COUNTRY,
  language: null,
  arrival: 'published',
  paused: false,
  keepsPictures: false,
  rules: [],
  retentionDays: null,
  retentionItems: null,
  username: '',
  ...DATES,
} as const
