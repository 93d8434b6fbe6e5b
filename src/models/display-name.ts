/** What people with a role in the dashboard are called there. Users of the apps have no such member: no app is to see it. */
import type { Json, JsonObject } from '../base/json.ts'
import { hasDashboard, type Caller } from './caller.ts'

/** The user without a name that is none, or that has no meaning for its role. */
export function withoutIdleName(user: JsonObject): JsonObject {
  const { displayName, ...others } = user
  const isNamed = typeof displayName === 'string' && hasDashboard(user as JsonObject & Caller)
  return isNamed ? { ...others, displayName } : others
}

/** What a checked body says of the name: nothing, that there is none, or what it is. */
export function sentName(sent: Json | undefined): { readonly displayName?: string | null } {
  return sent === undefined ? {} : { displayName: typeof sent === 'string' ? sent.trim() : null }
}
