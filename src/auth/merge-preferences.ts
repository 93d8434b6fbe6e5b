/** Merges a guest's preferences into those of an existing account that the guest signs in to. */
import { isoDate } from '../base/dates.ts'
import { isObject, type Json, type JsonObject } from '../base/json.ts'
import { isAdmin } from '../models/caller.ts'
import { PREFERENCE_LISTS, preferenceLimit } from '../models/preference-limits.ts'
import type { RemoteConfig } from '../models/remote-config.ts'
import type { User } from '../models/user.ts'
import type { SignIn } from '../store/accounts/account-tables.ts'

/** Each list: the account's own entries, which are never cut, then the guest's, up to the limit of the role. */
export function mergePreferences(
  { account, guest, user, config }: Parameters<SignIn['merge']>[0] & { readonly config: JsonObject },
  now: number,
): JsonObject {
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
