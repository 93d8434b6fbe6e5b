/** The documents of a new account: the user itself, settings, preferences. */
import { isoDate } from '../base/dates.ts'
import type { JsonObject } from '../base/json.ts'
import { sentName, withoutIdleName } from '../models/display-name.ts'
import { DECORATORS, type User } from '../models/user.ts'
import type { NewAccount } from '../store/accounts/account-tables.ts'

interface NewUser extends Pick<User, 'email' | 'appRole' | 'dashboardRole'> {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly displayName?: string | null | undefined
  /** The language of the settings: a whole copy of its record. */
  readonly language: JsonObject
}

export function newAccount({ id, email, appRole, dashboardRole, displayName, now, language }: NewUser): NewAccount {
  const dates = { createdAt: isoDate(now), updatedAt: isoDate(now) }
  const feedDecoratorStatus = Object.fromEntries(
    DECORATORS.map((kind) => [kind, { isCompleted: false, lastShownAt: null }]),
  )
  const { createdAt, updatedAt } = dates
  return {
    user: { id, value: withoutIdleName({ id, email, appRole, dashboardRole, createdAt, feedDecoratorStatus, updatedAt, ...sentName(displayName) }) },
    settings: { id, ...DEFAULT_SETTINGS, language, feedPreferences: DEFAULT_FEED, ...dates },
    preferences: { id, ...NO_PREFERENCES, ...dates },
  }
}

const DEFAULT_SETTINGS = {
  displaySettings: {
    baseTheme: 'system',
    accentTheme: 'defaultBlue',
    fontFamily: 'SystemDefault',
    textScaleFactor: 'medium',
    fontWeight: 'regular',
  },
}
const DEFAULT_FEED = {
  headlineDensity: 'standard',
  headlineImageStyle: 'smallThumbnail',
  showSourceInHeadlineFeed: true,
  showPublishDateInHeadlineFeed: true,
}
const NO_PREFERENCES = {
  followedCountries: [],
  followedSources: [],
  followedTopics: [],
  savedHeadlines: [],
  savedFilters: [],
}
