/** What becomes of a guest's preferences when the guest signs in to an account that exists. */
import { isoDate } from '../base/dates.ts'
import { isObject, type Json, type JsonObject } from '../base/json.ts'
import { isAdmin } from '../models/caller.ts'
import { PREFERENCE_LISTS, preferenceLimit } from '../models/preference-limits.ts'
import type { RemoteConfig } from '../models/remote-config.ts'
import type { User } from '../models/user.ts'
import type { SignIn } from '../store/store.ts'

/** What the store knows of both, and the configuration that sets the limits. */
type MergeParts = Parameters<SignIn['merge']>[0] & { readonly config: JsonObject }

/**
 * Each list becomes the account's own entries, then the guest's whose id is not there yet, cut at the limit of the
 * account's role. What the account had before is never cut; administrators have no limits.
 */
export function mergePreferences(parts: MergeParts, now: number): JsonObject {
  const { account, guest, user, config } = parts
  const { appRole } = user as unknown as User
  const merged: Record<string, Json> = {}
  for (const list of PREFERENCE_LISTS) {
    const own = asList(account[list])
    const gained = withoutKnown(asList(guest[list]), own)
    const limit = isAdmin(user as unknown as User)
      ? Infinity
      : preferenceLimit(list, appRole, config as unknown as RemoteConfig)
    merged[list] = [...own, ...gained.slice(0, Math.max(0, limit - own.length))]
  }
  return { ...account, ...merged, updatedAt: isoDate(now) }
}

/** The entries whose id is not among the known ones, each id once: a guest may have one entry twice. */
function withoutKnown(entries: readonly Json[], known: readonly Json[]): readonly Json[] {
  const ids = new Set(known.map(idOf))
  return entries.filter((entry) => {
    const id = idOf(entry)
    return !ids.has(id) && ids.add(id)
  })
}

function asList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function idOf(entry: Json): Json | undefined {
  return isObject(entry) ? entry['id'] : undefined
}
