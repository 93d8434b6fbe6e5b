/**
 * Callers of the texts of users: most requests are from few callers, whose texts stay the same. Parsing one takes as long as
 * reading it from the database.
 */
import { setNewest } from '../base/bounded-map.ts'
import { callerOf, type Caller, type TokenLimits } from './caller.ts'

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
