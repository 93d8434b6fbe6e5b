/** What a user begins with: the user itself, settings, preferences. */
import { isoDate } from '../base/dates.ts'
import type { JsonObject } from '../base/json.ts'
import { DECORATORS, type User } from '../models/user.ts'
import type { NewAccount } from '../store/store.ts'

/**
 * A reserved name (RFC 2606): no mail for a guest can ever reach anybody. The original used a domain that somebody
 * owns.
 */
const GUEST_DOMAIN = 'anonymous.invalid'

/** The administrator of an app that runs the service for itself. Nobody can sign in by mail to this name either. */
export const LOCAL_ADMIN_EMAIL = 'administrator@local.invalid'

export function guestEmail(id: string): string {
  return `${id}@${GUEST_DOMAIN}`
}

/** Whether a normalised address is there only because every user has one: no mail goes to it, or to a subdomain. */
export function isStandIn(email: string): boolean {
  return email.endsWith(`@${GUEST_DOMAIN}`) || email.endsWith(`.${GUEST_DOMAIN}`) || email === LOCAL_ADMIN_EMAIL
}

export interface NewUser {
  readonly id: string
  readonly email: string
  readonly appRole: User['appRole']
  readonly dashboardRole: User['dashboardRole']
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The language of the settings: a whole copy of its record. */
  readonly language: JsonObject
}

export function newAccount({ id, email, appRole, dashboardRole, now, language }: NewUser): NewAccount {
  const dates = { createdAt: isoDate(now), updatedAt: isoDate(now) }
  const feedDecoratorStatus = Object.fromEntries(
    DECORATORS.map((kind) => [kind, { isCompleted: false, lastShownAt: null }]),
  )
  const { createdAt, updatedAt } = dates
  return {
    user: { id, value: { id, email, appRole, dashboardRole, createdAt, feedDecoratorStatus, updatedAt } },
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
