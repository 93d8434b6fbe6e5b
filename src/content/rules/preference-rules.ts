import type { Json, JsonObject } from '../../base/json.ts'
import { isAdmin, type Caller } from '../../models/caller.ts'
import { PREFERENCE_LISTS, preferenceLimit } from '../../models/preference-limits.ts'
import type { RemoteConfig } from '../../models/remote-config.ts'
import { problemAt, type Report } from './problems.ts'

export interface PreferenceChange {
  readonly caller: Caller
  readonly config: RemoteConfig
  /** Undefined for new preferences. */
  readonly stored: JsonObject | undefined
  readonly next: JsonObject
  readonly report: Report
}

/** Reports lists that are longer than their limit and than they were: entries can be removed one by one. */
export function checkPreferences({ caller, config, stored, next, report }: PreferenceChange): void {
  if (isAdmin(caller)) return
  for (const list of PREFERENCE_LISTS) {
    const limit = preferenceLimit(list, caller.appRole, config)
    const [length, before] = [lengthOf(next[list]), lengthOf(stored?.[list])]
    if (length > limit && length > before) {
      const message = `at most ${limit} entries for a ${caller.appRole}, found ${length}`
      report(problemAt(list, 'overLimit', message, { max: String(limit) }))
    }
  }
}

function lengthOf(list: Json | undefined): number {
  return Array.isArray(list) ? list.length : 0
}
