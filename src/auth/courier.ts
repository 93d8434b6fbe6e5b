/**
 * The courier: takes messages from the outbox and hands them to the mailer.
 *
 * A message is tried until it is accepted, refused for good, or its code has expired; the pauses between tries grow.
 * The courier wakes when a message is put in, and otherwise when the next one is due. It holds no message longer than
 * one attempt, so a crash loses nothing: the lease runs out and the message is due again.
 */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { DeliveryError } from '../mail/delivery-error.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { MailContent, SignIn } from '../mail/templates.ts'
import type { DeliveryResult, OutboxMessage, OutboxStore } from '../store/store.ts'
import { unseal } from './codes.ts'

/** Longer than the mailer's own limit on one attempt. */
const LEASE_MS = 90_000
const PAUSE_FIRST_MS = 2_000
const PAUSE_MAX_MS = 120_000
/** The longest sleep; a message that another process put in is found after it at the latest. */
const SLEEP_MAX_MS = 30_000
/** After an error of the store. */
const SLEEP_AFTER_ERROR_MS = 5_000

export interface Courier {
  /** Something may be due now. */
  wake(): void
  /** Resolves when nothing is due any more at this moment. */
  idle(): Promise<void>
  stop(): Promise<void>
}

export interface CourierOptions {
  readonly store: OutboxStore
  readonly mailer: Mailer
  readonly sealKey: Buffer
  readonly codeMinutes: number
  /** Names the service in the message. */
  readonly appName: string
  /** Writes the mail in the reader's language. */
  readonly signIn: (signIn: SignIn) => MailContent
  readonly now: Clock
  readonly log: Log
}

export function startCourier(options: CourierOptions): Courier {
  const { store, now, log } = options
  let round: Promise<void> | undefined
  let again = false
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const stopping = new AbortController()

  const deliverDue = async (): Promise<void> => {
    do {
      again = false
      for (;;) {
        const message = stopped ? undefined : await store.takeDueMessage(now(), LEASE_MS)
        if (message === undefined) break
        await store.finishMessage(message.id, await deliver(message, options, stopping.signal), now())
      }
    } while (again)
  }
  const sleepUntilDue = async (): Promise<void> => {
    const due = stopped ? undefined : await store.nextDue()
    sleep(Math.min(SLEEP_MAX_MS, Math.max(0, (due ?? Infinity) - now())))
  }
  const sleep = (ms: number): void => {
    clearTimeout(timer)
    if (stopped) return
    timer = setTimeout(wake, ms)
    timer.unref()
  }
  const wake = (): void => {
    if (stopped) return
    again = true
    round ??= deliverDue()
      .then(sleepUntilDue)
      .catch((error: unknown) => {
        again = false
        log.error('mail.courier-failed', { error })
        sleep(SLEEP_AFTER_ERROR_MS)
      })
      .finally(() => {
        round = undefined
        if (again) wake()
      })
  }
  wake()
  return {
    wake,
    idle: async () => {
      while (round !== undefined) await round
    },
    stop: async () => {
      stopped = true
      stopping.abort()
      clearTimeout(timer)
      await round
    },
  }
}

/** One attempt, and what the outbox is to remember of it. */
async function deliver(message: OutboxMessage, options: CourierOptions, signal: AbortSignal): Promise<DeliveryResult> {
  const { mailer, sealKey, codeMinutes, appName, signIn, now, log } = options
  const content = unseal(sealKey, message.sealed)
  if (content === undefined) {
    log.error('mail.unreadable', { id: message.id, reason: 'sealed with another secret' })
    return { kind: 'failed', reply: 'sealed with another secret' }
  }
  try {
    const mail = signIn({ code: content.code, minutes: codeMinutes, appName, languages: [] })
    const { reply } = await mailer.send({ id: message.id, to: content.email, ...mail }, { signal })
    log.info('mail.delivered', { id: message.id, reply })
    return { kind: 'delivered', reply }
  } catch (error) {
    // An attempt that the end of the service broke off is due again at its next start.
    if (signal.aborted) return { kind: 'later', reply: 'the service stopped', dueAt: now() }
    const reply = error instanceof Error ? error.message : String(error)
    const temporary = !(error instanceof DeliveryError) || error.temporary
    const dueAt = now() + pauseMs(message.attempts)
    if (temporary && dueAt < message.expiresAt) {
      log.warn('mail.deferred', { id: message.id, attempt: message.attempts, reply })
      return { kind: 'later', reply, dueAt }
    }
    log.error('mail.failed', { id: message.id, attempt: message.attempts, reply })
    return { kind: 'failed', reply }
  }
}

/** 2, 4, 8 … seconds, at most two minutes. */
function pauseMs(attempts: number): number {
  return Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** (attempts - 1))
}
