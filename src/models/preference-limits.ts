/** How much a user may follow and save: the lists of the preferences, and their limits for each app role. */
import type { RemoteConfig } from './remote-config.ts'
import type { User } from './user.ts'

export const PREFERENCE_LISTS = [
  'followedCountries',
  'followedSources',
  'followedTopics',
  'savedHeadlines',
  'savedFilters',
] as const
export type PreferenceList = (typeof PREFERENCE_LISTS)[number]

const ROLE_PREFIX = { guestUser: 'guest', standardUser: 'authenticated', premiumUser: 'premium' } as const

/** The greatest length of a list; each followed list is counted by itself. */
export function preferenceLimit(
  list: PreferenceList,
  appRole: User['appRole'],
  { userPreferenceConfig }: Pick<RemoteConfig, 'userPreferenceConfig'>,
): number {
  const prefix = ROLE_PREFIX[appRole]
  switch (list) {
    case 'savedHeadlines':
      return userPreferenceConfig[`${prefix}SavedHeadlinesLimit`]
    case 'savedFilters':
      return userPreferenceConfig[`${prefix}SavedFiltersLimit`]
    default:
      return userPreferenceConfig[`${prefix}FollowedItemsLimit`]
  }
}
