import { boolean, choice, id, map, model, nullable, record, text, timestamp, whole, type DocumentOf } from './schema.ts'
import { APP_ROLES, DECORATORS } from './user.ts'

const adIdentifiers = record({
  feedNativeAdId: nullable(text()),
  feedBannerAdId: nullable(text()),
  feedToArticleInterstitialAdId: nullable(text()),
  inArticleNativeAdId: nullable(text()),
  inArticleBannerAdId: nullable(text()),
})

const AD_PLATFORMS = ['admob', 'local', 'demo'] as const

/**
 * The configuration that the apps read at start. A document that an app cannot decode stops every installation, so
 * its keyed maps take known keys only; fixed records keep further members, which other app versions may know.
 */
export const remoteConfig = model({
  name: 'remote_config',
  fields: {
    id: id(),
    userPreferenceConfig: record({
      guestFollowedItemsLimit: whole(),
      guestSavedHeadlinesLimit: whole(),
      guestSavedFiltersLimit: whole(),
      authenticatedFollowedItemsLimit: whole(),
      authenticatedSavedHeadlinesLimit: whole(),
      authenticatedSavedFiltersLimit: whole(),
      premiumFollowedItemsLimit: whole(),
      premiumSavedHeadlinesLimit: whole(),
      premiumSavedFiltersLimit: whole(),
    }),
    adConfig: record({
      enabled: boolean(),
      primaryAdPlatform: choice(AD_PLATFORMS),
      platformAdIdentifiers: map(AD_PLATFORMS, adIdentifiers),
      feedAdConfiguration: record({
        enabled: boolean(),
        adType: choice(['banner', 'native', 'video', 'interstitial']),
        visibleTo: map(APP_ROLES, record({ adFrequency: whole(), adPlacementInterval: whole() })),
      }),
      articleAdConfiguration: record({
        enabled: boolean(),
        bannerAdShape: choice(['square', 'rectangle']),
        visibleTo: map(
          APP_ROLES,
          map(['aboveArticleContinueReadingButton', 'belowArticleContinueReadingButton'], boolean()),
        ),
      }),
      interstitialAdConfiguration: record({
        enabled: boolean(),
        adType: choice(['interstitial'], { implied: 'interstitial' }),
        visibleTo: map(APP_ROLES, record({ transitionsBeforeShowingInterstitialAds: whole() })),
      }),
    }),
    feedDecoratorConfig: map(
      DECORATORS,
      record({
        category: choice(['callToAction', 'contentCollection']),
        enabled: boolean(),
        visibleTo: map(APP_ROLES, record({ daysBetweenViews: whole() })),
        itemsToDisplay: nullable(whole()),
      }),
    ),
    appStatus: record({
      isUnderMaintenance: boolean(),
      latestAppVersion: text(),
      isLatestVersionOnly: boolean(),
      iosUpdateUrl: text(),
      androidUpdateUrl: text(),
    }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  },
  extras: 'keep',
  access: { list: 'everybody', read: 'everybody', create: 'admin', replace: 'admin', remove: 'admin' },
  search: [],
  indexes: [],
  singleton: '6643b1b7a4a4e6e1a8e7b1c2',
})

export type RemoteConfig = DocumentOf<typeof remoteConfig>
