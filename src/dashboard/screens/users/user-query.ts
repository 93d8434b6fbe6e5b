/** What the list of users is narrowed to: as it stands in the URL, and as the server is asked. */
import type { Filter } from '../../../client/client.ts'
import { APP_ROLES, DASHBOARD_ROLES } from '../../../models/user.ts'

export interface UserSearch {
  readonly text: string
  /** Empty for all users but guests, who have no e-mail address to be known by. */
  readonly appRole: string
  readonly dashboardRole: string
}

/** What a URL says; what it cannot mean is left out. */
export function readUserSearch(query: URLSearchParams): UserSearch {
  const oneOf = (name: string, values: readonly string[]): string =>
    values.find((value) => value === query.get(name)) ?? ''
  return {
    text: query.get('q') ?? '',
    appRole: oneOf('app', APP_ROLES),
    dashboardRole: oneOf('dashboard', DASHBOARD_ROLES),
  }
}

export function userSearchQuery({ text, appRole, dashboardRole }: UserSearch): URLSearchParams {
  const given = { q: text, app: appRole, dashboard: dashboardRole }
  return new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''))
}

export function userFilter({ text, appRole, dashboardRole }: UserSearch): Filter {
  return {
    ...(text.trim() === '' ? {} : { q: text.trim() }),
    appRole: appRole === '' ? { $ne: 'guestUser' } : appRole,
    ...(dashboardRole === '' ? {} : { dashboardRole }),
  }
}

/** Whether fewer are asked for than all but guests. */
export function isNarrowed(search: UserSearch): boolean {
  return userSearchQuery(search).size > 0
}
