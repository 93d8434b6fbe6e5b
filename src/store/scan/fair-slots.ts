/**
 * A number of slots that callers share fairly: those who find none free wait in line (fair-queue.ts).
 *
 * A caller is refused only where its own line is full, where it has waited as long as its client will, or where all
 * lines together are full. A caller that is gone leaves its line.
 */
import type { Clock } from '../../base/clock.ts'
import { fail, type Failure } from '../../base/failure.ts'
import type { CallerClass } from '../../models/caller.ts'
import { createFairQueue, type Waiting } from './fair-queue.ts'
import type { Asker } from '../store.ts'

/** Entries in the line of one caller. */
const LINE_MAX = 16
/** Clients give up after 15 s; what has waited so long still has the time to run. */
const WAIT_MS_MAX = 10_000
/** What waits together weighs its text, and each entry at least so much for what hangs on it: 512 entries at most. */
const ENTRY_BYTES_MIN = 8 * 1024
const WAITING_BYTES_MAX = 4 * 1024 * 1024
const RETRY_AFTER_S = 2

export interface SlotLimits {
  readonly slots: number
  /** Of these, slots that only dashboard roles may take. */
  readonly reserved: number
  /** Slots that one caller may have at the same time. */
  readonly perCaller: Readonly<Record<CallerClass, number>>
  readonly waitMsMax?: number
  readonly waitingBytesMax?: number
}

/** Gives a slot back; once, however often it is called. */
export type Release = () => void

export interface SlotCounts {
  readonly running: Readonly<Record<CallerClass, number>>
  readonly waiting: Readonly<Record<CallerClass, number>>
  /** Since the start: refused because the caller's line was full, because all were, or after too long a wait. */
  readonly refused: { readonly lineFull: number; readonly allFull: number; readonly waitedTooLong: number }
  /** Callers that went away while they waited. */
  readonly abandoned: number
  /** How many had to wait and came to their turn, and how long that took in all. */
  readonly waited: number
  readonly waitedMs: number
}

export interface FairSlots {
  /**
   * Resolves when the caller has a slot. Throws tooManyRequests where the caller's line is full or it has waited too
   * long, networkError where all lines are full or the slots are closed, and the reason of the signal when it aborts.
   */
  take(asker: Asker, bytes: number): Promise<Release>
  counts(): SlotCounts
  /** Gives out no slot until `resume`: all wait. */
  hold(): void
  resume(): void
  /** Refuses all who wait, and all who come. Slots that are taken stay so. */
  close(): void
}

interface Entry extends Waiting {
  readonly go: () => void
  readonly refuse: (error: unknown) => void
}

export function createFairSlots(limits: SlotLimits, now: Clock): FairSlots {
  const waitMsMax = limits.waitMsMax ?? WAIT_MS_MAX
  const queue = createFairQueue<Entry>({ lineMax: LINE_MAX, weightMax: limits.waitingBytesMax ?? WAITING_BYTES_MAX })
  const running = { guest: 0, user: 0, dashboard: 0 }
  const perCaller = new Map<string, number>()
  const refused = { lineFull: 0, allFull: 0, waitedTooLong: 0 }
  let [abandoned, waited, waitedMs] = [0, 0, 0]
  let [isClosed, isHeld] = [false, false]

  const mayGo = ({ caller, class: name }: Pick<Waiting, 'caller' | 'class'>): boolean => {
    if (isHeld) return false
    const others = running.guest + running.user
    if (others + running.dashboard >= limits.slots) return false
    if (name !== 'dashboard' && others >= limits.slots - limits.reserved) return false
    return (perCaller.get(caller) ?? 0) < limits.perCaller[name]
  }
  const goOn = (): void => {
    for (let next = queue.take(mayGo); next !== undefined; next = queue.take(mayGo)) next.go()
  }
  const occupy = ({ caller, class: name }: Pick<Waiting, 'caller' | 'class'>): Release => {
    running[name]++
    perCaller.set(caller, (perCaller.get(caller) ?? 0) + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      running[name]--
      const left = (perCaller.get(caller) ?? 1) - 1
      if (left === 0) perCaller.delete(caller)
      else perCaller.set(caller, left)
      queue.yieldTurn({ caller, class: name })
      goOn()
    }
  }
  /** Stands in line until it is the caller's turn. */
  const wait = ({ id, class: name, signal }: Asker, weight: number): Promise<Release> =>
    new Promise((resolve, reject) => {
      const since = now()
      const leave = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      const entry: Entry = {
        caller: id,
        class: name,
        weight,
        go() {
          leave()
          waited++
          waitedMs += Math.max(0, now() - since)
          resolve(occupy(entry))
        },
        refuse(error) {
          leave()
          reject(error as Error)
        },
      }
      const onAbort = (): void => {
        queue.remove(entry)
        abandoned++
        entry.refuse(signal?.reason)
      }
      const timer = setTimeout(() => {
        queue.remove(entry)
        refused.waitedTooLong++
        entry.refuse(waitedTooLong())
      }, waitMsMax)
      signal?.addEventListener('abort', onAbort)
      for (const loser of queue.add(entry)) {
        refused.allFull++
        loser.refuse(tooManyForUs())
      }
    })
  return {
    async take(asker, bytes) {
      const entry = { caller: asker.id, class: asker.class }
      if (isClosed) throw stopping()
      asker.signal?.throwIfAborted()
      // No caller is overtaken: a slot is only free here when no waiting caller may have it.
      if (mayGo(entry)) return occupy(entry)
      if (queue.isFull(entry)) {
        refused.lineFull++
        throw tooManyOfYours()
      }
      return wait(asker, Math.max(bytes, ENTRY_BYTES_MIN))
    },
    counts: () => ({
      running: { ...running },
      waiting: queue.counts(),
      refused: { ...refused },
      abandoned,
      waited,
      waitedMs,
    }),
    hold() {
      isHeld = true
    },
    resume() {
      isHeld = false
      goOn()
    },
    close() {
      isClosed = true
      for (const entry of queue.clear()) entry.refuse(stopping())
    },
  }
}

const RETRY = { headers: { 'Retry-After': String(RETRY_AFTER_S) } }

function tooManyOfYours(): Failure {
  return fail('tooManyRequests', `Too many slow queries: ${LINE_MAX} of yours are waiting, try again when they are done`, RETRY)
}

function waitedTooLong(): Failure {
  return fail('tooManyRequests', 'Too many slow queries: this one waited too long for its turn, try again soon', RETRY)
}

function tooManyForUs(): Failure {
  return fail('networkError', 'Too many slow queries of all callers are waiting: try again soon', RETRY)
}

/** The failure for a query that the end of the service cuts off. */
export function stopping(): Failure {
  return fail('networkError', 'The service is stopping')
}
