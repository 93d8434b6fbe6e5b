/** Who is asking: what authorization needs to know of a signed-in user. */
import type { User } from './user.ts'

export type Caller = Pick<User, 'id' | 'appRole' | 'dashboardRole'>

export function isAdmin(caller: Pick<Caller, 'dashboardRole'>): boolean {
  return caller.dashboardRole === 'admin'
}

/** Publishers and administrators may sign in to the dashboard. */
export function hasDashboard(caller: Pick<Caller, 'dashboardRole'>): boolean {
  return caller.dashboardRole === 'publisher' || isAdmin(caller)
}
