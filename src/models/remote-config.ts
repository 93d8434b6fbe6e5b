import {
  boolean,
  choice,
  createdAt,
  id,
  map,
  model,
  nullable,
  record,
  text,
  updatedAt,
  whole,
  type DocumentOf,
} from './schema.ts'
import { APP_ROLES, DECORATORS } from './user.ts'

/** Built into the apps; they ask for the configuration by this id and by no other way. */
export const REMOTE_CONFIG_ID = '6643b1b7a4a4e6e1a8e7b1c2'
const AD_PLATFORMS = ['admob', 'local', 'demo'] as const

const userPreferenceConfig = record(
  {
    guestFollowedItemsLimit: whole({ description: 'Topics, sources and countries that a guest may follow, of each' }),
    guestSavedHeadlinesLimit: whole({ description: 'Headlines that a guest may save' }),
    guestSavedFiltersLimit: whole({ description: 'Filters that a guest may save' }),
    authenticatedFollowedItemsLimit: whole({
      description: 'Topics, sources and countries that a standard user may follow, of each',
    }),
    authenticatedSavedHeadlinesLimit: whole({ description: 'Headlines that a standard user may save' }),
    authenticatedSavedFiltersLimit: whole({ description: 'Filters that a standard user may save' }),
    premiumFollowedItemsLimit: whole({
      description: 'Topics, sources and countries that a premium user may follow, of each',
    }),
    premiumSavedHeadlinesLimit: whole({ description: 'Headlines that a premium user may save' }),
    premiumSavedFiltersLimit: whole({ description: 'Filters that a premium user may save' }),
  },
  'keep',
  { description: 'How much users of each role may follow and save' },
)

const adIdentifiers = record({
  feedNativeAdId: nullable(text()),
  feedBannerAdId: nullable(text()),
  feedToArticleInterstitialAdId: nullable(text()),
  inArticleNativeAdId: nullable(text()),
  inArticleBannerAdId: nullable(text()),
})

const feedAds = record(
  {
    enabled: boolean(),
    adType: choice(['banner', 'native', 'video', 'interstitial'], { example: 'native' }),
    visibleTo: map(
      APP_ROLES,
      record({
        adFrequency: whole({ description: 'Headlines from one advertisement to the next' }),
        adPlacementInterval: whole({ description: 'Headlines before the first advertisement' }),
      }),
      { description: 'Roles that see them; a role that is left out sees none' },
    ),
  },
  'keep',
  { description: 'Advertisements between the headlines of a feed' },
)

const articleAds = record(
  {
    enabled: boolean(),
    bannerAdShape: choice(['square', 'rectangle']),
    visibleTo: map(
      APP_ROLES,
      map(['aboveArticleContinueReadingButton', 'belowArticleContinueReadingButton'], boolean()),
      { description: 'Roles that see them, and where on the page' },
    ),
  },
  'keep',
  { description: 'Advertisements on the page of a headline' },
)

const interstitialAds = record(
  {
    enabled: boolean(),
    adType: choice(['interstitial'], { implied: 'interstitial' }),
    visibleTo: map(
      APP_ROLES,
      record({
        transitionsBeforeShowingInterstitialAds: whole({ description: 'Pages opened from one of them to the next' }),
      }),
    ),
  },
  'keep',
  { description: 'Advertisements over the whole screen between two pages' },
)

const adConfig = record(
  {
    enabled: boolean({ description: 'Whether there are any; disable those of the feed as well' }),
    primaryAdPlatform: choice(AD_PLATFORMS, {
      description: 'The provider: `admob` needs identifiers, `demo` works in demo builds only',
    }),
    platformAdIdentifiers: map(AD_PLATFORMS, adIdentifiers, {
      description: 'The places for advertisements as each platform names them',
    }),
    feedAdConfiguration: feedAds,
    articleAdConfiguration: articleAds,
    interstitialAdConfiguration: interstitialAds,
  },
  'keep',
  { description: 'Advertisements in the apps' },
)

const feedDecorator = record({
  category: choice(['callToAction', 'contentCollection'], {
    description: 'Whether the card calls for an action or shows a collection',
  }),
  enabled: boolean(),
  visibleTo: map(
    APP_ROLES,
    record({ daysBetweenViews: whole({ description: 'Days until the card is shown again' }) }),
    { description: 'Roles that see the card; a role that is left out does not' },
  ),
  itemsToDisplay: nullable(whole(), {
    description: 'Items in a collection; needed where a collection is enabled',
  }),
})

const appStatus = record(
  {
    isUnderMaintenance: boolean({ description: 'Locks every app with a notice while it is true' }),
    latestAppVersion: text({ description: 'The newest version of the apps, such as 1.2.0', example: '1.2.0' }),
    isLatestVersionOnly: boolean({
      description: 'Locks apps older than the newest version until they are updated',
    }),
    iosUpdateUrl: text({
      description: 'Where the app for iOS is updated',
      example: 'https://apps.example.org/ios',
    }),
    androidUpdateUrl: text({
      description: 'Where the app for Android is updated',
      example: 'https://apps.example.org/android',
    }),
  },
  'keep',
  { description: 'Whether the apps may be used' },
)

/**
 * The configuration that the apps read at start. A document that an app cannot decode stops every installation, so
 * its keyed maps take known keys only; fixed records keep further members, which other app versions may know.
 */
export const remoteConfig = model({
  name: 'remote_config',
  description:
    'The one document that every app reads at its start: limits, advertisements, cards of the feed, maintenance',
  fields: {
    id: id({ example: REMOTE_CONFIG_ID }),
    userPreferenceConfig,
    adConfig,
    feedDecoratorConfig: map(DECORATORS, feedDecorator, {
      description: 'Cards between the headlines of a feed, by kind',
    }),
    appStatus,
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  extras: 'keep',
  access: { list: 'everybody', read: 'everybody', create: 'admin', replace: 'admin', remove: 'admin' },
  search: [],
  indexes: [],
  singleton: REMOTE_CONFIG_ID,
})

export type RemoteConfig = DocumentOf<typeof remoteConfig>
