/**
 * One attempt to deliver a sign-in mail: what is said to the mailer, and what its answer means for the outbox.
 *
 * A failure is either the message's own, which is tried again after a pause or ended, or that of the mail server, which
 * the circuit counts and no message pays for. Words for the log and the outbox never hold the code.
 */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { adviceFor } from '../mail/delivery/delivery-advice.ts'
import { DeliveryError } from '../mail/delivery/delivery-error.ts'
import type { Mailer } from '../mail/delivery/mailer.ts'
import type { MailContent, SignIn } from '../mail/templates/templates.ts'
import type { DeliveryResult, OutboxMessage } from '../store/store.ts'
import type { SealedMessage } from './codes.ts'
import { isServerFailure, type Circuit } from './mail-circuit.ts'
import { nextTry, type Random } from './retry-schedule.ts'

/** The end of an attempt of a mailer that forgot its own limits. */
export const ATTEMPT_MS_MAX = 80_000
const REPLY_CHARS_MAX = 500

export interface DeliveryOptions {
  readonly mailer: Pick<Mailer, 'send'>
  /** Writes the mail in the reader's language. */
  readonly signIn: (signIn: SignIn) => MailContent
  readonly codeMinutes: number
  /** Names the service in the message. */
  readonly appName: string
  readonly now: Clock
  readonly random: Random
  readonly log: Log
}

export interface DeliveryAttempt {
  readonly message: OutboxMessage
  readonly content: SealedMessage
  /** The state of the circuit in which it began. */
  readonly epoch: number
  readonly signal: AbortSignal
  /** Why it was broken off. */
  readonly brokenOff: 'stop' | 'unwanted' | 'late' | undefined
}

interface FailureWords {
  readonly reply: string
  /** What the operator can do about it. */
  readonly advice: string | undefined
}

/** Gives the function that makes one attempt and tells what the outbox is to remember of it. It never rejects. */
export function createDelivery(
  { mailer, signIn, codeMinutes, appName, now, random, log }: DeliveryOptions,
  circuit: Circuit,
): (attempt: DeliveryAttempt) => Promise<DeliveryResult> {
  const deliver = async (attempt: DeliveryAttempt): Promise<DeliveryResult> => {
    const { message, content, signal } = attempt
    const { id, attempts } = message
    const masked = (text: string): string => text.replaceAll(content.code, '***')
    const shown = (text: string): string => masked(text).slice(0, REPLY_CHARS_MAX)
    try {
      signal.throwIfAborted()
      const { email, code, languages = [] } = content
      const mail = signIn({ code, minutes: codeMinutes, appName, languages })
      const reply = shown((await mailer.send({ id, to: email, ...mail }, { signal })).reply)
      log.info('mail.delivered', { id, attempt: attempts, reply })
      answered()
      return { kind: 'delivered', reply }
    } catch (error) {
      if (attempt.brokenOff === 'stop') return { kind: 'later', reply: 'the service stopped', dueAt: now() }
      if (attempt.brokenOff === 'unwanted') {
        log.info('mail.superseded', { id, attempt: attempts })
        return { kind: 'later', reply: 'broken off: the code is void', dueAt: now() }
      }
      const reply = shown(attempt.brokenOff === 'late' ? TOO_LONG : errorText(error))
      const words = { reply, advice: error instanceof DeliveryError ? shown(adviceFor(error)) : undefined }
      if (isServerFailure(error)) return serverFailed(attempt, words)
      if (!(error instanceof DeliveryError)) log.error('mail.courier-failed', { id, error: masked(stackOf(error)) })
      else if (error.stage !== 'compose') answered()
      return messageFailed(message, words, !(error instanceof DeliveryError) || error.temporary)
    }
  }
  const messageFailed = (message: OutboxMessage, words: FailureWords, temporary: boolean): DeliveryResult => {
    const { reply } = words
    const { id, attempts, expiresAt } = message
    const dueAt = temporary ? nextTry({ now: now(), attempts, expiresAt, random }) : undefined
    if (dueAt !== undefined) {
      log.warn('mail.deferred', { id, attempt: attempts, ...words })
      return { kind: 'later', reply, dueAt }
    }
    log.error(temporary ? 'mail.expired' : 'mail.failed', { id, attempt: attempts, ...words })
    return { kind: temporary ? 'expired' : 'failed', reply }
  }
  /** The message stays due, behind those that are due longer: when it goes is for the circuit to say. */
  const serverFailed = (attempt: DeliveryAttempt, words: FailureWords): DeliveryResult => {
    const { message, epoch } = attempt
    const { id, attempts, expiresAt } = message
    const { reply, advice } = words
    const fields = { id, attempt: attempts, ...words }
    if (circuit.isOpen) log.debug('mail.deferred', fields)
    else log.warn('mail.deferred', fields)
    if (circuit.failed({ epoch, now: now(), expiresAt, random })) {
      log.error('mail.circuit-opened', { reason: reply, advice })
    }
    return { kind: 'later', reply, dueAt: now() }
  }
  const answered = (): void => {
    if (circuit.answered()) log.info('mail.circuit-closed', { reason: 'the mail server answers again' })
  }
  return deliver
}

const TOO_LONG = `nothing came of it within ${ATTEMPT_MS_MAX / 1000} seconds`

function stackOf(error: unknown): string {
  return error instanceof Error && error.stack !== undefined ? error.stack : String(error)
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
