/**
 * The records that every installation has: countries, languages, and the configuration of the apps.
 *
 * Ids are derived from the ISO code and not drawn, so that two installations agree about them, content can move
 * between them, and a start finds again what an earlier start has seeded. For the same reason all seeds carry one
 * fixed date: apps compare embedded copies by every member, dates included.
 */
import { hash } from 'node:crypto'
import countryData from '../../data/countries.json' with { type: 'json' }
import languageData from '../../data/languages.json' with { type: 'json' }
import type { JsonObject } from '../base/json.ts'

/** Built into the apps; they ask for the configuration by this id and by no other way. */
export const REMOTE_CONFIG_ID = '6643b1b7a4a4e6e1a8e7b1c2'

/** Where the flags of the seeded countries are, unless the operator names another place. */
export const FLAG_BASE_URL = 'https://flagcdn.com/h40'

const SEED_DATE = '2025-01-01T00:00:00.000Z'
const ID_HEX_CHARS = 24

/** The id of a seeded record: the first 24 hex characters of SHA-256 of `country:IS`, `language:is` and the like. */
export function seedId(model: string, key: string): string {
  // In one call: there are hundreds at every start.
  return hash('sha256', `${model}:${key}`).slice(0, ID_HEX_CHARS)
}

/** All countries of ISO 3166-1, in the order of their codes. `flagBaseUrl` may end in a slash or not. */
export function countrySeeds({ flagBaseUrl = FLAG_BASE_URL }: { readonly flagBaseUrl?: string } = {}): JsonObject[] {
  const base = flagBaseUrl.replace(/\/+$/, '')
  return countryData.countries.map(({ isoCode, name }) => ({
    id: seedId('country', isoCode),
    isoCode,
    name,
    flagUrl: `${base}/${isoCode.toLowerCase()}.png`,
    createdAt: SEED_DATE,
    updatedAt: SEED_DATE,
    status: 'active',
    type: 'country',
  }))
}

/** The languages of ISO 639-1, in the order of their codes. */
export function languageSeeds(): JsonObject[] {
  return languageData.languages.map(({ code, name, nativeName }) => ({
    id: seedId('language', code),
    code,
    name,
    nativeName,
    createdAt: SEED_DATE,
    updatedAt: SEED_DATE,
    status: 'active',
  }))
}

/**
 * The configuration that a new installation gives to the apps. Advertisements are off in all places, because later
 * pages of the feed look only at the switch of the feed. All six decorators are named, so that an operator finds them
 * in the dashboard. An enabled collection needs items to display, or the feed of the app breaks.
 */
export function remoteConfigSeed(): JsonObject {
  return {
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
    adConfig: adConfigSeed(),
    feedDecoratorConfig: {
      linkAccount: disabledDecorator('callToAction', null),
      upgrade: disabledDecorator('callToAction', null),
      rateApp: {
        category: 'callToAction',
        enabled: true,
        visibleTo: {
          guestUser: { daysBetweenViews: 14 },
          standardUser: { daysBetweenViews: 30 },
          premiumUser: { daysBetweenViews: 0 },
        },
        itemsToDisplay: null,
      },
      enableNotifications: disabledDecorator('callToAction', null),
      suggestedTopics: {
        category: 'contentCollection',
        enabled: true,
        visibleTo: { guestUser: { daysBetweenViews: 7 }, standardUser: { daysBetweenViews: 14 } },
        itemsToDisplay: 5,
      },
      suggestedSources: disabledDecorator('contentCollection', 5),
    },
    appStatus: {
      isUnderMaintenance: false,
      latestAppVersion: '1.1.0',
      isLatestVersionOnly: false,
      iosUpdateUrl: 'https://apps.example.org/ios',
      androidUpdateUrl: 'https://apps.example.org/android',
    },
    createdAt: SEED_DATE,
    updatedAt: SEED_DATE,
  }
}

function adConfigSeed(): JsonObject {
  const aroundTheButton = { aboveArticleContinueReadingButton: true, belowArticleContinueReadingButton: true }
  return {
    enabled: false,
    primaryAdPlatform: 'admob',
    platformAdIdentifiers: {
      admob: {
        feedNativeAdId: null,
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
      visibleTo: { guestUser: { ...aroundTheButton }, standardUser: { ...aroundTheButton } },
    },
    interstitialAdConfiguration: {
      enabled: false,
      adType: 'interstitial',
      visibleTo: {
        guestUser: { transitionsBeforeShowingInterstitialAds: 5 },
        standardUser: { transitionsBeforeShowingInterstitialAds: 10 },
      },
    },
  }
}

function disabledDecorator(category: string, itemsToDisplay: number | null): JsonObject {
  return { category, enabled: false, visibleTo: {}, itemsToDisplay }
}
