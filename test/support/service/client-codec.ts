/**
 * Replies as the mobile app and the dashboard decode them: one missing member, null, wrong type or unknown enum value
 * makes the whole reply useless to them, so it must make a test fail.
 *
 * Written from the tables of the API, without a look at src/models: what is said twice can disagree. On top of what
 * the clients need stands what the service promises for what it writes itself: dates in UTC with milliseconds and `Z`,
 * `type` where a model has one, both dates on every stored model. Unknown members are ignored, as the clients do,
 * except in keyed maps, where they throw. Every decoder gives the value that it was given, typed, or throws an Error
 * that names the path and what was found there.
 */

/** `path` is where the value stands, for the message. */
export type Decode<T> = (value: unknown, path?: string) => T
type Decoded<D> = D extends Decode<infer T> ? T : never
type Members = Readonly<Record<string, Decode<unknown>>>
type DecodedMembers<M extends Members> = { readonly [name in keyof M]: Decoded<M[name]> }

const ROOT = '$'

function wrong(path: string, wanted: string, found: unknown): Error {
  const text = found === undefined ? 'nothing' : JSON.stringify(found)
  return new Error(`Cannot decode ${path}: expected ${wanted}, found ${text.length > 120 ? `${text.slice(0, 120)}…` : text}`)
}

function asObject(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(path, 'an object', value)
  return value as Readonly<Record<string, unknown>>
}

// --- The small pieces

const text: Decode<string> = (value, path = ROOT) => {
  if (typeof value !== 'string') throw wrong(path, 'a string', value)
  return value
}

const filledText: Decode<string> = (value, path = ROOT) => {
  if (text(value, path) === '') throw wrong(path, 'a string that is not empty', value)
  return value as string
}

const flag: Decode<boolean> = (value, path = ROOT) => {
  if (typeof value !== 'boolean') throw wrong(path, 'true or false', value)
  return value
}

const whole: Decode<number> = (value, path = ROOT) => {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrong(path, 'a whole number', value)
  return value
}

function oneOf<const V extends string>(...values: readonly V[]): Decode<V> {
  return (value, path = ROOT) => {
    const found = values.find((one) => one === value)
    if (found === undefined) throw wrong(path, `one of ${values.join(', ')}`, value)
    return found
  }
}

function exactly<const V extends string>(wanted: V): Decode<V> {
  return oneOf(wanted)
}

function nullable<T>(decode: Decode<T>): Decode<T | null> {
  return (value, path = ROOT) => (value === null ? null : decode(value, path))
}

/** Null, or not there at all. */
function optional<T>(decode: Decode<T>): Decode<T | null | undefined> {
  return (value, path = ROOT) => (value === null || value === undefined ? value : decode(value, path))
}

function listOf<T>(decode: Decode<T>): Decode<readonly T[]> {
  return (value, path = ROOT) => {
    if (!Array.isArray(value)) throw wrong(path, 'an array', value)
    value.forEach((item, i) => decode(item, `${path}[${i}]`))
    return value as readonly T[]
  }
}

/** Fixed members; others are ignored. */
function record<const M extends Members>(members: M): Decode<DecodedMembers<M>> {
  return (value, path = ROOT) => {
    const object = asObject(value, path)
    for (const [name, decode] of Object.entries(members)) {
      if (!Object.hasOwn(object, name)) decode(undefined, `${path}.${name}`)
      else decode(object[name], `${path}.${name}`)
    }
    return value as DecodedMembers<M>
  }
}

/** Any of the keys, no other. */
function mapOf<const K extends string, T>(keys: readonly K[], decode: Decode<T>): Decode<Readonly<Partial<Record<K, T>>>> {
  return (value, path = ROOT) => {
    for (const [key, entry] of Object.entries(asObject(value, path))) {
      if (!keys.some((known) => known === key)) throw wrong(`${path}.${key}`, `one of the keys ${keys.join(', ')}`, key)
      decode(entry, `${path}.${key}`)
    }
    return value as Readonly<Partial<Record<K, T>>>
  }
}

// --- Dates

const SERVER_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** What Dart's DateTime.parse documents: a date, perhaps a time, perhaps a zone. */
const READABLE_DATE = /^[+-]?\d{4,6}-?\d\d-?\d\d(?:[ T]\d\d(?::?\d\d(?::?\d\d(?:[.,]\d+)?)?)?(?: ?[zZ]| ?[-+]\d\d(?::?\d\d)?)?)?$/

/** A date that the server wrote: UTC, milliseconds, `Z`, and a day that exists. */
export const decodeServerDate: Decode<string> = (value, path = ROOT) => {
  const date = text(value, path)
  const time = SERVER_DATE.test(date) ? Date.parse(date) : Number.NaN
  if (Number.isNaN(time) || new Date(time).toISOString() !== date) {
    throw wrong(path, 'a UTC date such as 2025-10-20T12:34:56.789Z', value)
  }
  return date
}

/** A date inside an embedded object: any form that a client sends and can read. */
const readableDate: Decode<string> = (value, path = ROOT) => {
  if (!READABLE_DATE.test(text(value, path))) throw wrong(path, 'an ISO 8601 date', value)
  return value as string
}

// --- The models

const STATUS = oneOf('active', 'draft', 'archived')
const APP_ROLES = ['guestUser', 'standardUser', 'premiumUser'] as const
const DASHBOARD_ROLES = ['none', 'publisher', 'admin'] as const
const DECORATORS = ['linkAccount', 'upgrade', 'rateApp', 'enableNotifications', 'suggestedTopics', 'suggestedSources'] as const

/** Content as it stands alone, with the server's dates, and as it is embedded, with dates as they were sent. */
function contentModels(date: Decode<string>) {
  const dates = { createdAt: date, updatedAt: date, status: STATUS }
  const topic = record({ id: filledText, name: text, description: text, iconUrl: text, ...dates, type: exactly('topic') })
  const country = record({ id: filledText, isoCode: text, name: text, flagUrl: text, ...dates, type: exactly('country') })
  const language = record({ id: filledText, code: text, name: text, nativeName: text, ...dates })
  return { dates, topic, country, language }
}

const embeddedBasics = contentModels(readableDate)
const embeddedTopic = embeddedBasics.topic
const embeddedCountry = embeddedBasics.country
const embeddedLanguage = embeddedBasics.language

const sourceMembers = {
  id: filledText,
  name: text,
  description: text,
  url: text,
  logoUrl: text,
  sourceType: oneOf(
    'newsAgency',
    'localNewsOutlet',
    'nationalNewsOutlet',
    'internationalNewsOutlet',
    'specializedPublisher',
    'blog',
    'governmentSource',
    'aggregator',
    'other',
  ),
  language: embeddedLanguage,
  headquarters: embeddedCountry,
  type: exactly('source'),
}
const embeddedSource = record({ ...sourceMembers, ...embeddedBasics.dates })

const headlineMembers = {
  id: filledText,
  title: text,
  excerpt: text,
  url: text,
  imageUrl: text,
  source: embeddedSource,
  eventCountry: embeddedCountry,
  topic: embeddedTopic,
  type: exactly('headline'),
}
const embeddedHeadline = record({ ...headlineMembers, ...embeddedBasics.dates })

const basics = contentModels(decodeServerDate)
export const decodeTopic = basics.topic
export const decodeCountry = basics.country
export const decodeLanguage = basics.language
export const decodeSource = record({ ...sourceMembers, ...basics.dates })
export const decodeHeadline = record({ ...headlineMembers, ...basics.dates })

const stamps = { createdAt: decodeServerDate, updatedAt: decodeServerDate }

export const decodeUser = record({
  id: filledText,
  email: filledText,
  appRole: oneOf(...APP_ROLES),
  dashboardRole: oneOf(...DASHBOARD_ROLES),
  feedDecoratorStatus: mapOf(DECORATORS, record({ isCompleted: flag, lastShownAt: optional(decodeServerDate) })),
  ...stamps,
})

export const decodeUserAppSettings = record({
  id: filledText,
  displaySettings: record({
    baseTheme: oneOf('light', 'dark', 'system'),
    accentTheme: oneOf('defaultBlue', 'newsRed', 'graphiteGray'),
    fontFamily: text,
    textScaleFactor: oneOf('small', 'medium', 'large', 'extraLarge'),
    fontWeight: oneOf('light', 'regular', 'bold'),
  }),
  language: embeddedLanguage,
  feedPreferences: record({
    headlineDensity: oneOf('compact', 'standard', 'comfortable'),
    headlineImageStyle: oneOf('hidden', 'smallThumbnail', 'largeThumbnail'),
    showSourceInHeadlineFeed: flag,
    showPublishDateInHeadlineFeed: flag,
  }),
  ...stamps,
})

export const decodeUserContentPreferences = record({
  id: filledText,
  followedCountries: listOf(embeddedCountry),
  followedSources: listOf(embeddedSource),
  followedTopics: listOf(embeddedTopic),
  savedHeadlines: listOf(embeddedHeadline),
  savedFilters: listOf(
    record({
      id: text,
      name: text,
      topics: listOf(embeddedTopic),
      sources: listOf(embeddedSource),
      countries: listOf(embeddedCountry),
    }),
  ),
  ...stamps,
})

// --- The configuration of the apps

const PLATFORMS = ['admob', 'local', 'demo'] as const
const perRole = <T>(decode: Decode<T>): Decode<Readonly<Partial<Record<(typeof APP_ROLES)[number], T>>>> =>
  mapOf(APP_ROLES, decode)

export const decodeRemoteConfig = record({
  id: exactly('6643b1b7a4a4e6e1a8e7b1c2'),
  userPreferenceConfig: record({
    guestFollowedItemsLimit: whole,
    guestSavedHeadlinesLimit: whole,
    guestSavedFiltersLimit: whole,
    authenticatedFollowedItemsLimit: whole,
    authenticatedSavedHeadlinesLimit: whole,
    authenticatedSavedFiltersLimit: whole,
    premiumFollowedItemsLimit: whole,
    premiumSavedHeadlinesLimit: whole,
    premiumSavedFiltersLimit: whole,
  }),
  adConfig: record({
    enabled: flag,
    primaryAdPlatform: oneOf(...PLATFORMS),
    platformAdIdentifiers: mapOf(
      PLATFORMS,
      record({
        feedNativeAdId: optional(text),
        feedBannerAdId: optional(text),
        feedToArticleInterstitialAdId: optional(text),
        inArticleNativeAdId: optional(text),
        inArticleBannerAdId: optional(text),
      }),
    ),
    feedAdConfiguration: record({
      enabled: flag,
      // Debug builds of the app stop at the two other types.
      adType: oneOf('banner', 'native'),
      visibleTo: perRole(record({ adFrequency: whole, adPlacementInterval: whole })),
    }),
    articleAdConfiguration: record({
      enabled: flag,
      bannerAdShape: oneOf('square', 'rectangle'),
      visibleTo: perRole(mapOf(['aboveArticleContinueReadingButton', 'belowArticleContinueReadingButton'], flag)),
    }),
    interstitialAdConfiguration: record({
      enabled: flag,
      adType: optional(exactly('interstitial')),
      visibleTo: perRole(record({ transitionsBeforeShowingInterstitialAds: whole })),
    }),
  }),
  feedDecoratorConfig: mapOf(
    DECORATORS,
    record({
      category: oneOf('callToAction', 'contentCollection'),
      enabled: flag,
      visibleTo: perRole(record({ daysBetweenViews: whole })),
      itemsToDisplay: nullable(whole),
    }),
  ),
  appStatus: record({
    isUnderMaintenance: flag,
    latestAppVersion: text,
    isLatestVersionOnly: flag,
    iosUpdateUrl: text,
    androidUpdateUrl: text,
  }),
  ...stamps,
})

export const decodeDashboardSummary = record({
  id: exactly('6643b1b7a4a4e6e1a8e7b1c3'),
  headlineCount: whole,
  topicCount: whole,
  sourceCount: whole,
})

// --- What replies are wrapped in

export interface Page<T> {
  readonly items: readonly T[]
  readonly cursor: string | null
  readonly hasMore: boolean
}

/** A page, with the rule between its two last members: a cursor exactly where more follows. */
export function decodePage<T>(value: unknown, decodeItem: Decode<T>, path = ROOT): Page<T> {
  const page = record({ items: listOf(decodeItem), cursor: nullable(filledText), hasMore: flag })(value, path)
  if (page.hasMore !== (page.cursor !== null)) {
    throw wrong(`${path}.cursor`, page.hasMore ? 'a cursor, as hasMore is true' : 'null, as hasMore is false', page.cursor)
  }
  return page
}

/** A decoder of pages, to be put into decodeEnvelope(). */
export function pageOf<T>(decodeItem: Decode<T>): Decode<Page<T>> {
  return (value, path = ROOT) => decodePage(value, decodeItem, path)
}

export interface Envelope<T> {
  readonly data: T
  readonly metadata: { readonly requestId: string; readonly timestamp: string }
}

/** The whole body of a 200 or 201. Without a decoder, `data` is only checked to be an object. */
export function decodeEnvelope<T = Readonly<Record<string, unknown>>>(
  value: unknown,
  decodeData: Decode<T> = asObject as Decode<T>,
  path = ROOT,
): Envelope<T> {
  asObject(asObject(value, path)['data'], `${path}.data`)
  const metadata = record({ requestId: filledText, timestamp: decodeServerDate })
  return record({ data: decodeData, metadata })(value, path) as Envelope<T>
}

/** `data` of a sign-in. */
export const decodeAuthSuccess = record({ user: decodeUser, token: filledText })

/** The whole body of an error, which has the one member and in it the two. */
export function decodeError(value: unknown, path = ROOT): { readonly code: string; readonly message: string } {
  const { error } = record({ error: record({ code: filledText, message: filledText }) })(value, path)
  const others = Object.keys(value as object).filter((name) => name !== 'error')
  if (others.length > 0) throw wrong(`${path}.${others[0]}`, 'no member beside "error"', others[0])
  return error
}

/** The decoder of each model's item. */
export const DECODERS = {
  headline: decodeHeadline,
  topic: decodeTopic,
  source: decodeSource,
  country: decodeCountry,
  language: decodeLanguage,
  user: decodeUser,
  user_app_settings: decodeUserAppSettings,
  user_content_preferences: decodeUserContentPreferences,
  remote_config: decodeRemoteConfig,
  dashboard_summary: decodeDashboardSummary,
} as const satisfies Readonly<Record<string, Decode<unknown>>>
