/** When guests and sessions were last active, as the store keeps it: written now and then, so that reads stay reads. */
import { setNewest } from '../base/bounded-map.ts'
import { HOUR_MS, MINUTE_MS } from '../base/duration.ts'

const KNOWN_GUESTS_MAX = 10_000
const KNOWN_SESSIONS_MAX = 50_000
const USED_STEP_MS = 5 * MINUTE_MS
const GUEST_RETRY_MS = MINUTE_MS

/** What has to be stored, by the store or, in another thread, by a message to it. */
export interface ActivityRecords {
  readonly seeGuest: (id: string, now: number) => Promise<void>
  readonly useSession: (jti: string, now: number) => Promise<void>
}

export type Activity = ReturnType<typeof createActivity>

export function createActivity({ seeGuest, useSession }: ActivityRecords) {
  return { guestSeen: createGuestActivity(seeGuest), ...createSessionActivity(useSession) }
}

/** Returns a function that stores once an hour that a guest was active; after a failure, none for a while. */
function createGuestActivity(seeGuest: ActivityRecords['seeGuest']): (id: string, now: number) => void {
  const hours = new Map<string, number>()
  let failedAt = Number.NEGATIVE_INFINITY
  return (id, now) => {
    const hour = Math.floor(now / HOUR_MS)
    if (hours.get(id) === hour || Math.abs(now - failedAt) < GUEST_RETRY_MS) return
    setNewest(hours, id, hour, KNOWN_GUESTS_MAX)
    seeGuest(id, now).catch(() => {
      hours.delete(id)
      failedAt = now
    })
  }
}

/** Stores when each session was used, to within USED_STEP_MS. A failure is retried a step later. */
function createSessionActivity(useSession: ActivityRecords['useSession']) {
  const steps = new Map<string, number>()
  const sessionOpened = (jti: string, now: number): void => setNewest(steps, jti, now, KNOWN_SESSIONS_MAX)
  return {
    sessionOpened,
    sessionUsed(jti: string, now: number): void {
      const last = steps.get(jti)
      if (last !== undefined && Math.abs(now - last) < USED_STEP_MS) return
      sessionOpened(jti, now)
      useSession(jti, now).catch(() => {})
    },
  }
}
