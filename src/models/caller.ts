/** Who is asking: what authorization needs to know of a signed-in user. */
import type { User } from './user.ts'

export type Caller = Pick<User, 'id' | 'appRole' | 'dashboardRole'>

/** The rank of a caller among others that wait for the same thing. */
export type CallerClass = 'guest' | 'user' | 'dashboard'

/** From the first to wait to the first to be served. */
export const CALLER_CLASSES: readonly CallerClass[] = ['guest', 'user', 'dashboard']

export function isAdmin(caller: Pick<Caller, 'dashboardRole'>): boolean {
  return caller.dashboardRole === 'admin'
}

/** Publishers and administrators may sign in to the dashboard. */
export function hasDashboard(caller: Pick<Caller, 'dashboardRole'>): boolean {
  return caller.dashboardRole === 'publisher' || isAdmin(caller)
}

export function classOf(caller: Pick<Caller, 'appRole' | 'dashboardRole'>): CallerClass {
  if (hasDashboard(caller)) return 'dashboard'
  return caller.appRole === 'guestUser' ? 'guest' : 'user'
}
