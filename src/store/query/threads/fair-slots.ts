/**
 * A number of slots that callers share fairly: a caller that finds none free waits in its line (fair-queue.ts).
 *
 * A caller is rejected only where its own line is full, where it has waited as long as its client will, or where all
 * lines together are full. A caller that disconnects leaves its line.
 */
import type { Clock } from '../../../base/clock.ts'
import { fail, type Failure } from '../../../base/failure.ts'
import type { CallerClass } from '../../../models/caller.ts'
import type { QueryCaller } from '../find-query.ts'
import { createFairQueue, type CallerKey, type Waiting } from './fair-queue.ts'

/** Entries in the line of one caller. */
const LINE_MAX = 16
/** Clients give up after 15 s; what has waited so long still has the time to run. */
const WAIT_MS_MAX = 10_000
/** A waiting query weighs its text, and at least so much for what the entry holds: 512 entries at most. */
const ENTRY_BYTES_MIN = 8 * 1024
const WAITING_BYTES_MAX = 4 * 1024 * 1024
const RETRY_AFTER_S = 2

export interface SlotLimits {
  readonly slots: number
  /** Of these, slots for dashboard roles only. */
  readonly reserved: number
  /** Slots of one caller at the same time. */
  readonly perCaller: Readonly<Record<CallerClass, number>>
  readonly waitMsMax?: number
  readonly waitingBytesMax?: number
}

/** Gives a slot back; once, however often it is called. */
export type Release = () => void
interface Entry extends Waiting {
  readonly start: () => void
  readonly reject: (error: unknown) => void
}

export type FairSlots = ReturnType<typeof createFairSlots>
export type SlotCounts = ReturnType<FairSlots['counts']>

export function createFairSlots(limits: SlotLimits, now: Clock) {
  const slots = createSlots(limits)
  const waiters = createWaiters(limits, now)
  let [isClosed, isHeld] = [false, false]

  const mayGo = (caller: CallerKey): boolean => !isHeld && slots.hasRoom(caller)
  const occupy = (caller: CallerKey): Release => {
    const release = slots.occupy(caller)
    return () => {
      if (!release()) return
      waiters.yieldTurn(caller)
      waiters.start(mayGo)
    }
  }
  return {
    /**
     * Resolves when the caller has a slot. Throws tooManyRequests where the caller's line is full or it has waited too
     * long, networkError where all lines are full or the slots are closed, and the reason of the signal when it aborts.
     */
    async take(caller: QueryCaller, bytes: number): Promise<Release> {
      const key = keyOf(caller)
      if (isClosed) throw stopping()
      caller.signal?.throwIfAborted()
      // No caller is overtaken: a slot is only free here when no waiting caller may have it.
      if (mayGo(key)) return occupy(key)
      return waiters.add(caller, Math.max(bytes, ENTRY_BYTES_MIN), () => occupy(key))
    },
    counts: () => ({ running: slots.running(), ...waiters.counts() }),
    /** Gives out no slot until `resume`: all wait. */
    hold(): void {
      isHeld = true
    },
    resume(): void {
      isHeld = false
      waiters.start(mayGo)
    },
    /** Rejects all who wait, and all who come. Slots that are taken stay so. */
    close(): void {
      isClosed = true
      waiters.rejectAll()
    },
  }
}

/** The callers that wait for a slot. */
function createWaiters({ waitMsMax = WAIT_MS_MAX, waitingBytesMax = WAITING_BYTES_MAX }: SlotLimits, now: Clock) {
  const queue = createFairQueue<Entry>({ lineMax: LINE_MAX, weightMax: waitingBytesMax })
  /** Since the start: rejected because the caller's line was full, because all were, or after too long a wait. */
  const refused = { lineFull: 0, allFull: 0, waitedTooLong: 0 }
  let [abandoned, waited, waitedMs] = [0, 0, 0]
  return {
    yieldTurn: queue.yieldTurn,
    /** Resolves with the slot that `occupy` takes when it is the caller's turn. */
    async add(waiting: QueryCaller, weight: number, occupy: () => Release): Promise<Release> {
      const { signal } = waiting
      const key = keyOf(waiting)
      if (queue.isFull(key)) {
        refused.lineFull++
        throw tooManyOfCaller()
      }
      const turn = Promise.withResolvers<Release>()
      const since = now()
      const leave = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      const entry: Entry = {
        ...key,
        weight,
        start() {
          leave()
          waited++
          waitedMs += Math.max(0, now() - since)
          turn.resolve(occupy())
        },
        reject(error) {
          leave()
          turn.reject(error)
        },
      }
      const onAbort = (): void => {
        queue.remove(entry)
        abandoned++
        entry.reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        queue.remove(entry)
        refused.waitedTooLong++
        entry.reject(waitedTooLong())
      }, waitMsMax)
      signal?.addEventListener('abort', onAbort)
      for (const loser of queue.add(entry)) {
        refused.allFull++
        loser.reject(tooManyOfAll())
      }
      return turn.promise
    },
    /** Starts those whose turn it is, for as long as there are slots for them. */
    start(mayGo: (caller: CallerKey) => boolean): void {
      for (let next = queue.take(mayGo); next !== undefined; next = queue.take(mayGo)) next.start()
    },
    rejectAll(): void {
      for (const entry of queue.clear()) entry.reject(stopping())
    },
    /** `waited` and `waitedMs`: how many had to wait and got their turn, and how long they waited in all. */
    counts: () => ({ waiting: queue.counts(), refused: { ...refused }, abandoned, waited, waitedMs }),
  }
}

function keyOf({ id, class: name, group }: QueryCaller): CallerKey {
  return { caller: id, class: name, group }
}

/** Who has the slots. */
function createSlots({ slots, reserved, perCaller }: SlotLimits) {
  const running = { guest: 0, user: 0, dashboard: 0 }
  const callers = new Map<string, number>()
  return {
    running: (): Readonly<Record<CallerClass, number>> => ({ ...running }),
    hasRoom({ caller, class: name }: CallerKey): boolean {
      const others = running.guest + running.user
      if (others + running.dashboard >= slots) return false
      if (name !== 'dashboard' && others >= slots - reserved) return false
      return (callers.get(caller) ?? 0) < perCaller[name]
    },
    /** Takes a slot. The result gives it back, and returns whether it did. */
    occupy({ caller, class: name }: CallerKey): () => boolean {
      running[name]++
      callers.set(caller, (callers.get(caller) ?? 0) + 1)
      let isTaken = true
      return () => {
        if (!isTaken) return false
        isTaken = false
        running[name]--
        const left = (callers.get(caller) ?? 1) - 1
        if (left === 0) callers.delete(caller)
        else callers.set(caller, left)
        return true
      }
    },
  }
}

const RETRY = { headers: { 'Retry-After': String(RETRY_AFTER_S) } }

function tooManyOfCaller(): Failure {
  return fail('tooManyRequests', `Too many slow queries: ${LINE_MAX} of yours are waiting, try again when they are done`, RETRY)
}

function waitedTooLong(): Failure {
  return fail('tooManyRequests', 'Too many slow queries: this one waited too long for its turn, try again soon', RETRY)
}

function tooManyOfAll(): Failure {
  return fail('networkError', 'Too many slow queries of all callers are waiting: try again soon', RETRY)
}

/** The failure of a query that the end of the service cuts off. */
export function stopping(): Failure {
  return fail('networkError', 'The service is stopping')
}
