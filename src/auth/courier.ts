/**
 * The courier: takes messages from the outbox and hands them to the mailer, until each is accepted, permanently
 * rejected, or its code has expired (retry-schedule.ts). Several are in flight at once (mail-attempts.ts); when the
 * mail server is unreachable, one probe goes at a time (mail-circuit.ts).
 *
 * When a newer code comes for an address, the attempt with the old one is aborted: its code is void and it is never
 * retried. The new message goes only after the old attempt has ended, so that the newest mail has the valid code.
 */
import { repeat } from '../base/repeating.ts'
import type { Writer } from '../store/writes/writer.ts'
import { createAttempts } from './mail-attempts.ts'
import { createCircuit } from './mail-circuit.ts'
import { ATTEMPT_MS_MAX, createDelivery, type DeliveryOptions } from './mail-delivery.ts'
import { PAUSE_MAX_MS } from './retry-schedule.ts'

/** Longer than any attempt. */
const LEASE_MS = ATTEMPT_MS_MAX + 10_000
/** The longest sleeps. Another process may make a message due (`mail retry`); with none waiting it cannot. */
const SLEEP_WAITING_MS = 2_000
const SLEEP_IDLE_MS = 30_000
/** After an error of the store. */
const SLEEP_AFTER_ERROR_MS = 5_000
/** For attempts in flight when the service stops: one aborted after its last byte would be sent twice. */
const STOP_GRACE_MS = 5_000

export interface CourierOptions extends DeliveryOptions {
  readonly store: Pick<Writer, 'takeMessages' | 'finishMessage'>
  readonly sealKey: Buffer
  /** Whether this process sends: of the nodes of a cluster, one does. */
  readonly isOnDuty?: (() => boolean) | undefined
}

export function startCourier(options: CourierOptions) {
  const { store, now, log, isOnDuty = () => true } = options
  const circuit = createCircuit()
  const deliver = createDelivery(options, circuit)
  const attempts = createAttempts({ ...options, circuit, deliver, onChange: () => void rounds.wake() })
  let stopped = false

  /** Takes what is due. Resolves with how long to sleep. */
  const takeMessages = async (): Promise<number> => {
    if (!isOnDuty()) return SLEEP_IDLE_MS
    const pausedUntil = circuit.pausedUntil(now())
    const lanes = attempts.freeLanes
    const work = await store.takeMessages({
      now: now(),
      leaseMs: LEASE_MS,
      take: pausedUntil === undefined ? lanes : Math.min(lanes, attempts.isProbing ? 0 : 1),
      onlyRequested: pausedUntil !== undefined && now() < pausedUntil,
      pauseMsMax: PAUSE_MAX_MS,
      inHand: attempts.ids(),
    })
    for (const id of work.unwanted) attempts.supersede(id)
    for (const { id, attempts: tries, reply } of work.expired) log.error('mail.expired', { id, attempt: tries, reply })
    if (!stopped) for (const message of work.messages) attempts.start(message)
    return sleepMs(work.nextDue)
  }
  const sleepMs = (nextDue: number | undefined): number => {
    const longest = nextDue === undefined && attempts.ids().length === 0 ? SLEEP_IDLE_MS : SLEEP_WAITING_MS
    const pausedUntil = circuit.pausedUntil(now())
    const isBusy = attempts.freeLanes <= 0 || (pausedUntil !== undefined && attempts.isProbing)
    if (nextDue === undefined || isBusy) return longest
    return Math.min(longest, Math.max(0, nextDue - now(), (pausedUntil ?? 0) - now()))
  }
  const rounds = repeat(takeMessages, {
    onError(error) {
      log.error('mail.courier-failed', { error })
      return SLEEP_AFTER_ERROR_MS
    },
  })

  return {
    /** Since when the mail server fails for every message; undefined where it does not. What one message meets does not count. */
    failingSince: (): number | undefined => circuit.failingSince,
    wake: (): void => void rounds.wake(),
    /** The mail server is another one: what waits because of the former one goes now. */
    serverChanged(): void {
      circuit.answered()
      void rounds.wake()
    },
    /** Resolves when nothing is in flight and nothing is due. */
    async idle(): Promise<void> {
      while (rounds.current() !== undefined || attempts.ids().length > 0) {
        await Promise.all([rounds.current(), attempts.allDone()])
      }
    },
    async stop(): Promise<void> {
      stopped = true
      await Promise.all([rounds.stop(), attempts.stop(STOP_GRACE_MS)])
    },
  }
}
