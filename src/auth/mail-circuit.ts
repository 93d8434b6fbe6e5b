/**
 * The circuit: what the courier knows about the mail server as a whole, apart from any one message.
 *
 * When nobody answers, or a password or certificate is refused, every message would fail in the same way. So after such
 * a failure nothing is sent for a while, and then one message alone, as a probe; the others keep their attempts and
 * their times. After several failures in a row the circuit counts as open, which the operator is told once, and once
 * when it closes. The state is pure: time and chance come in.
 */
import { MINUTE_MS } from '../base/duration.ts'
import { DeliveryError, type Stage } from '../mail/delivery/delivery-error.ts'
import { nextTry, type FailedTry, type Pace } from './retry-schedule.ts'

/** Failures in a row after which the operator is told. */
const FAILURES_TO_OPEN = 3
/** From the failure that opens the circuit on, the wait is 5 to 60 seconds. */
const PACE: Pace = { first: 2_500, max: MINUTE_MS }

/** Steps that come before a message is spoken of; and the disk, which is the same for every message. */
const BEFORE_MESSAGE: readonly Stage[] = ['connect', 'greeting', 'ehlo', 'starttls', 'tls', 'auth', 'file']

export interface Circuit {
  /**
   * When the next message may go, in milliseconds since the epoch; undefined while nothing is wrong. A wait that seems
   * longer than any is over: the clock was set back.
   */
  waitsUntil(now: number): number | undefined
  readonly isOpen: boolean
  /** Names the present state, so that an attempt can say in which it began. */
  readonly epoch: number
  /**
   * An attempt failed before its message was spoken of. Of the attempts that began together, one counts. The wait ends
   * in time for one more try of its message. Says whether the circuit opened by it.
   */
  failed(attempt: ServerFailure): boolean
  /** The server took or judged a message. Says whether the circuit had been open. */
  answered(): boolean
}

export interface ServerFailure extends Omit<FailedTry, 'attempts'> {
  /** The circuit's epoch when the attempt began. */
  readonly epoch: number
}

export function createCircuit(): Circuit {
  let [failures, epoch] = [0, 0]
  let waitsUntil: number | undefined
  return {
    waitsUntil(now) {
      if (waitsUntil !== undefined && waitsUntil - now > PACE.max) waitsUntil = now
      return waitsUntil
    },
    get isOpen() {
      return failures >= FAILURES_TO_OPEN
    },
    get epoch() {
      return epoch
    },
    failed({ epoch: begun, ...attempt }) {
      if (begun !== epoch) return false
      epoch++
      failures++
      const tried = { ...attempt, attempts: failures }
      waitsUntil = nextTry(tried, PACE) ?? nextTry({ ...tried, expiresAt: Infinity }, PACE)
      return failures === FAILURES_TO_OPEN
    },
    answered() {
      const wasOpen = failures >= FAILURES_TO_OPEN
      if (failures > 0) epoch++
      failures = 0
      waitsUntil = undefined
      return wasOpen
    },
  }
}

/** Whether the failure speaks of the server and not of the message: it came before MAIL, or the server left (421). */
export function isServerFailure(error: unknown): boolean {
  if (!(error instanceof DeliveryError) || !error.temporary) return false
  // A program that cannot be started takes no message; what it says of one is about that one.
  if (error.stage === 'exec') return error.problem === 'start'
  // A 421 to a recipient or a message may be meant for it alone.
  return BEFORE_MESSAGE.includes(error.stage) || (error.stage === 'mail' && (error.reply ?? '').startsWith('421'))
}
