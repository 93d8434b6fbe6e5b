/** Who is asking: what authorization needs to know of a signed-in user. */
import { setNewest } from '../base/bounded-map.ts'
import { DASHBOARD_ROLES, type User } from './user.ts'

export type Caller = Pick<User, 'id' | 'appRole' | 'dashboardRole'> & {
  /** Of a token of the API that may do less than its roles. */
  readonly scope?: TokenScope
  /** Of any token of the API. */
  readonly byToken?: true
}

/** What a token may do with documents: read stands for lists, queries and plans too, replace for patches. */
export const TOKEN_METHODS = ['read', 'create', 'replace', 'delete'] as const
export type TokenMethod = (typeof TOKEN_METHODS)[number]

/** Work of administrators that a token may be made for alone: it reads metrics, or lists and downloads backups. */
export const TOKEN_SCOPES = ['metrics', 'backups'] as const
export type ScopeName = (typeof TOKEN_SCOPES)[number]

/** Null is every model, or every method. With either, a token reaches the data endpoint only. */
export type TokenScope = {
  readonly models: readonly string[] | null
  readonly methods: readonly TokenMethod[] | null
  /** With these, a token reaches nothing else; models and methods are empty then, also for programs that do not know this. */
  readonly scopes?: readonly ScopeName[]
}

/** What a token of the API may do at most. */
export type TokenLimits = TokenScope & {
  readonly role: User['dashboardRole']
}

/** The caller of a user's JSON text. A token has the lower of its own role and the one that the user has now. */
export function callerOf(id: string, text: string, limits?: TokenLimits): Caller {
  const { appRole, dashboardRole } = JSON.parse(text) as User
  if (limits === undefined) return { id, appRole, dashboardRole }
  const { role, models, methods, scopes } = limits
  if (scopes !== undefined) {
    // Without a role: what is outside its scopes is refused in any case.
    const scope = { models: [], methods: [], scopes: dashboardRole === 'admin' ? scopes : [] }
    return { id, appRole, dashboardRole: 'none', byToken: true, scope }
  }
  const caller = { id, appRole, dashboardRole: isHigherRole(dashboardRole, role) ? role : dashboardRole, byToken: true } as const
  return models === null && methods === null ? caller : { ...caller, scope: { models, methods } }
}

/** Whether the first of two roles in the dashboard may do more than the second. */
export function isHigherRole(role: User['dashboardRole'], other: User['dashboardRole']): boolean {
  return DASHBOARD_ROLES.indexOf(role) > DASHBOARD_ROLES.indexOf(other)
}

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

/*
 * Callers of the texts of users: most requests are from few callers, whose texts stay the same. Parsing one takes as long as
 * reading it from the database.
 */

export const KNOWN_CALLERS_MAX = 10_000

/** The parts of a claim that a caller follows from. */
export interface CallerKey {
  readonly userId: string
  readonly jti: string
  readonly apiToken?: TokenLimits
}

export type CallerReader = ReturnType<typeof createCallerReader>

/** Returns a function that parses the text of a user, once while it stays the same. */
export function createCallerReader() {
  const known = new Map<string, { readonly user: string; readonly caller: Caller }>()
  return ({ userId, jti, apiToken }: CallerKey, user: string): Caller => {
    // A token has roles of its own, which never change.
    const key = apiToken === undefined ? userId : jti
    const before = known.get(key)
    if (before?.user === user) return before.caller
    const caller = callerOf(userId, user, apiToken)
    setNewest(known, key, { user, caller }, KNOWN_CALLERS_MAX)
    return caller
  }
}
