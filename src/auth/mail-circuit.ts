/**
 * A circuit breaker for the mail server: when it is unreachable, or rejects a password, every message would fail in the
 * same way. So sending pauses, and then one message goes alone, as a probe; the others keep their attempts. After
 * several failures in a row the circuit is open, which is logged once, and once more when it closes.
 */
import { MINUTE_MS } from '../base/duration.ts'
import { DeliveryError, type Stage } from '../mail/delivery/delivery-error.ts'
import { nextTry, type FailedTry, type Pace } from './retry-schedule.ts'

/** Failures in a row that open the circuit. */
const FAILURES_TO_OPEN = 3
/** From the failure that opens the circuit on, the pause is 5 to 60 seconds. */
const PACE: Pace = { first: 2_500, max: MINUTE_MS }

/** The stages before a message is mentioned; and the disk, which is the same for every message. */
const BEFORE_MESSAGE: readonly Stage[] = ['connect', 'greeting', 'ehlo', 'starttls', 'tls', 'auth', 'file']

interface ServerFailure extends Omit<FailedTry, 'attempts'> {
  /** The circuit's epoch when the attempt began. */
  readonly epoch: number
}

export type Circuit = ReturnType<typeof createCircuit>

export function createCircuit() {
  let [failures, epoch] = [0, 0]
  let pausedUntil: number | undefined
  let failingSince: number | undefined
  return {
    /** When the first of the failures in a row ended, in milliseconds since the epoch; undefined where the last try succeeded. */
    get failingSince(): number | undefined {
      return failingSince
    },
    /** Milliseconds since the epoch; undefined while nothing is wrong. A pause is too long where a clock was set back. */
    pausedUntil(now: number): number | undefined {
      if (pausedUntil !== undefined && pausedUntil - now > PACE.max) pausedUntil = now
      return pausedUntil
    },
    get isOpen(): boolean {
      return failures >= FAILURES_TO_OPEN
    },
    /** Identifies the present state, so that an attempt can say in which one it began. */
    get epoch(): number {
      return epoch
    },
    /** Of the attempts that began together, one counts. Returns whether this opened the circuit. */
    failed({ epoch: begun, ...attempt }: ServerFailure): boolean {
      if (begun !== epoch) return false
      epoch++
      failures++
      failingSince ??= attempt.now
      const tried = { ...attempt, attempts: failures }
      pausedUntil = nextTry(tried, PACE) ?? nextTry({ ...tried, expiresAt: Infinity }, PACE)
      return failures === FAILURES_TO_OPEN
    },
    /** The server accepted or rejected a message. Returns whether the circuit was open. */
    answered(): boolean {
      const wasOpen = failures >= FAILURES_TO_OPEN
      if (failures > 0) epoch++
      failures = 0
      pausedUntil = undefined
      failingSince = undefined
      return wasOpen
    },
  }
}

/** Whether the failure is about the server and not the message: it came before MAIL, or the server left (421). */
export function isServerFailure(error: unknown): boolean {
  if (!(error instanceof DeliveryError) || !error.temporary) return false
  // A program that cannot be started fails for every message; its exit status is about this one.
  if (error.stage === 'exec') return error.kind === 'start'
  // A 421 to a recipient or a message may be about that one only.
  return BEFORE_MESSAGE.includes(error.stage) || (error.stage === 'mail' && (error.reply ?? '').startsWith('421'))
}
