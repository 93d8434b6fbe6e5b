/** When guests and sessions were last active, as the store keeps it: written now and then, so that reads stay reads. */
import { setNewest } from '../base/bounded-map.ts'
import { DAY_MS, MINUTE_MS } from '../base/duration.ts'
import { SYSTEM } from '../store/actor.ts'
import type { Writable } from '../store/store.ts'

const KNOWN_GUESTS_MAX = 10_000
const KNOWN_SESSIONS_MAX = 50_000
const USED_STEP_MS = 5 * MINUTE_MS
const GUEST_RETRY_MS = MINUTE_MS

/** Returns a function that stores once a day that a guest was active; after a failure, none for a while. */
export function createGuestActivity(store: Writable): (id: string, now: number) => void {
  const days = new Map<string, number>()
  let failedAt = Number.NEGATIVE_INFINITY
  return (id, now) => {
    const day = Math.floor(now / DAY_MS)
    if (days.get(id) === day || Math.abs(now - failedAt) < GUEST_RETRY_MS) return
    setNewest(days, id, day, KNOWN_GUESTS_MAX)
    store
      .as(SYSTEM)
      .seeGuest(id, now)
      .catch(() => {
        days.delete(id)
        failedAt = now
      })
  }
}

/** Stores when each session was used, to within USED_STEP_MS. A failure is retried a step later. */
export function createSessionActivity(store: Writable) {
  const steps = new Map<string, number>()
  const opened = (jti: string, now: number): void => setNewest(steps, jti, now, KNOWN_SESSIONS_MAX)
  return {
    opened,
    used(jti: string, now: number): void {
      const last = steps.get(jti)
      if (last !== undefined && Math.abs(now - last) < USED_STEP_MS) return
      opened(jti, now)
      store
        .as(SYSTEM)
        .useSession(jti, now)
        .catch(() => {})
    },
  }
}
