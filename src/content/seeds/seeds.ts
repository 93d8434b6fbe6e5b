/**
 * The records that every installation has: countries, languages, and the configuration of the apps. Ids are derived
 * from the ISO code, so that a start finds what an earlier one has seeded and content can move between installations.
 * All have one fixed date: apps compare embedded copies by every member.
 */
import { hash } from 'node:crypto'
import countryData from '../../../data/countries.json' with { type: 'json' }
import languageData from '../../../data/languages.json' with { type: 'json' }
import configData from '../../../data/remote-config.json' with { type: 'json' }
import type { JsonObject } from '../../base/json.ts'
import { REMOTE_CONFIG_ID } from '../../models/remote-config.ts'


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
  return { id: REMOTE_CONFIG_ID, ...configData, createdAt: SEED_DATE, updatedAt: SEED_DATE }
}
