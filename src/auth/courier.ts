/**
 * The courier: takes messages from the outbox and hands them to the mailer.
 *
 * A message is tried until it is accepted, refused for good, or its code has expired (retry-schedule.ts). Several are
 * under way at once, so that one recipient's server that answers late does not hold up the others; when the mail server
 * itself is away, one probe goes at a time (mail-circuit.ts).
 *
 * What a crash can do: a message that was taken and not recorded as done is tried again at the next start. If the
 * server had accepted it, in the moment between its reply and our commit, it is delivered twice. No protocol can close
 * that gap, since SMTP has no way to ask what became of a message (RFC 1047), and the other choice would be to lose a
 * code that somebody waits for. So the gap is kept as short as it can be: the result is written in the same turn of the
 * event loop in which the reply arrived, and before the lane says anything more to the server. Both copies have the
 * same Message-ID, which is made of the message's id, so that whoever receives them can tell.
 *
 * When a newer code comes for an address, an attempt with the old one is broken off wherever it stands: its code is
 * void, it is never tried again, so nothing can be doubled; and the person may have asked again because that attempt
 * hangs. The new message goes only after the old attempt has ended, so that the newest mail has the code that works.
 */
import type { DeliveryResult, OutboxMessage, OutboxWork, OutboxWriter } from '../store/store.ts'
import { unseal } from './codes.ts'
import { createCircuit } from './mail-circuit.ts'
import { ATTEMPT_MS_MAX, createDelivery, type DeliveryAttempt, type DeliveryOptions } from './mail-delivery.ts'
import { PAUSE_MAX_MS } from './retry-schedule.ts'

/** Messages that are under way at once. */
const LANES = 4
/** Longer than any attempt. */
const LEASE_MS = ATTEMPT_MS_MAX + 10_000
/** The longest sleeps. Another process may make a message due (`mail retry`); with none waiting it cannot. */
const SLEEP_WAITING_MS = 2_000
const SLEEP_IDLE_MS = 30_000
/** After an error of the store. */
const SLEEP_AFTER_ERROR_MS = 5_000
/** At the end of the service, what is under way may finish: broken off after its last byte, it would be sent twice. */
const STOP_GRACE_MS = 5_000

export interface Courier {
  /** Something may be due now. */
  wake(): void
  /** Resolves when nothing is under way, and nothing may be tried at this moment. */
  idle(): Promise<void>
  stop(): Promise<void>
}

export interface CourierOptions extends DeliveryOptions {
  readonly store: OutboxWriter
  readonly sealKey: Buffer
}

interface Attempt extends DeliveryAttempt {
  brokenOff: DeliveryAttempt['brokenOff']
  breakOff(why: 'stop' | 'unwanted' | 'late'): void
  done: Promise<void>
}

export function startCourier(options: CourierOptions): Courier {
  const { store, sealKey, now, log } = options
  const circuit = createCircuit()
  const deliver = createDelivery(options, circuit)
  /** By the message's id, until the result is on disk. */
  const inHand = new Map<string, Attempt>()
  let lanesInUse = 0
  let turning: Promise<void> | undefined
  let again = false
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const wake = (): void => {
    if (stopped) return
    again = true
    turning ??= turn()
      .catch((error: unknown) => {
        log.error('mail.courier-failed', { error })
        sleep(SLEEP_AFTER_ERROR_MS)
      })
      .finally(() => {
        turning = undefined
        if (again) wake()
      })
  }
  const sleep = (ms: number): void => {
    clearTimeout(timer)
    if (stopped) return
    timer = setTimeout(wake, ms)
    timer.unref()
  }
  const isProbing = (): boolean => [...inHand.values()].some(({ epoch }) => epoch === circuit.epoch)

  const turn = async (): Promise<void> => {
    again = false
    const waitsUntil = circuit.waitsUntil(now())
    const mayProbe = !isProbing()
    const free = LANES - lanesInUse
    const work = await store.takeMessages({
      now: now(),
      leaseMs: LEASE_MS,
      take: waitsUntil === undefined ? free : Math.min(free, mayProbe ? 1 : 0),
      onlyAsked: waitsUntil !== undefined && now() < waitsUntil,
      pauseMsMax: PAUSE_MAX_MS,
      inHand: [...inHand.keys()],
    })
    for (const id of work.unwanted) inHand.get(id)?.breakOff('unwanted')
    for (const { id, attempts, reply } of work.expired) log.error('mail.expired', { id, attempt: attempts, reply })
    if (stopped) return
    for (const message of work.messages) if (!inHand.has(message.id)) begin(message)
    sleep(sleepMs(work))
  }
  const sleepMs = ({ nextDue }: OutboxWork): number => {
    const longest = nextDue === undefined && inHand.size === 0 ? SLEEP_IDLE_MS : SLEEP_WAITING_MS
    const waitsUntil = circuit.waitsUntil(now())
    const isBusy = lanesInUse >= LANES || (waitsUntil !== undefined && isProbing())
    if (nextDue === undefined || isBusy) return longest
    return Math.min(longest, Math.max(0, nextDue - now(), (waitsUntil ?? 0) - now()))
  }

  const begin = (message: OutboxMessage): void => {
    const content = unseal(sealKey, message.sealed)
    if (content === undefined) {
      log.error('mail.unreadable', { id: message.id, reason: UNREADABLE })
      void record(message.id, { kind: 'failed', reply: UNREADABLE }).then(wake)
      return
    }
    const earlier = [...inHand.values()].filter((attempt) => attempt.content.email === content.email)
    const controller = new AbortController()
    const attempt: Attempt = {
      message,
      content,
      epoch: circuit.epoch,
      signal: controller.signal,
      brokenOff: undefined,
      breakOff(why) {
        attempt.brokenOff ??= why
        controller.abort()
      },
      done: Promise.resolve(),
    }
    inHand.set(message.id, attempt)
    lanesInUse++
    attempt.done = carry(attempt, earlier)
  }
  const carry = async (attempt: Attempt, earlier: readonly Attempt[]): Promise<void> => {
    const { id } = attempt.message
    for (const one of earlier) one.breakOff('unwanted')
    await Promise.all(earlier.map(({ done }) => done))
    const limit = setTimeout(() => attempt.breakOff('late'), ATTEMPT_MS_MAX)
    const result = await deliver(attempt)
    clearTimeout(limit)
    lanesInUse--
    const recorded = record(id, result)
    // Asks for the next message in the transaction that records this one, and so never before it.
    wake()
    await recorded
    inHand.delete(id)
    wake()
  }
  /** A result that cannot be written is kept until it can: the server has the message. */
  const record = async (id: string, result: DeliveryResult): Promise<void> => {
    for (;;) {
      try {
        return await store.finishMessage(id, result, now())
      } catch (error) {
        log.error('mail.courier-failed', { id, error })
        if (stopped) return
        await new Promise((resolve) => setTimeout(resolve, SLEEP_AFTER_ERROR_MS))
      }
    }
  }

  const allDone = (): Promise<unknown> => Promise.all([...inHand.values()].map(({ done }) => done))
  wake()
  return {
    wake,
    idle: async () => {
      while (turning !== undefined || inHand.size > 0) await Promise.all([turning, allDone()])
    },
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await turning
      const grace = setTimeout(() => inHand.forEach((attempt) => attempt.breakOff('stop')), STOP_GRACE_MS)
      await allDone()
      clearTimeout(grace)
    },
  }
}

const UNREADABLE = 'sealed with another secret'
