/**
 * One attempt to deliver a mail: a sign-in code or an invitation. A failure is either that of the message, which is retried or ended, or that of
 * the mail server, which costs no message an attempt. Texts for the log and the outbox never contain the code.
 */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import { adviceFor } from '../mail/delivery/delivery-advice.ts'
import { DeliveryError } from '../mail/delivery/delivery-error.ts'
import type { Mailer } from '../mail/delivery/mailer.ts'
import type { MailContent, SignIn } from '../mail/templates/templates.ts'
import { isServerFailure, type Circuit } from './mail-circuit.ts'
import { nextTry } from './retry-schedule.ts'
import type { SealedInvitation, SealedMessage } from './sealed-message.ts'
import type { DeliveryResult, OutboxMessage } from '../store/outbox/outbox-table.ts'

/** Ends an attempt whose mailer exceeded its own timeouts. */
export const ATTEMPT_MS_MAX = 80_000
const REPLY_CHARS_MAX = 500

export interface DeliveryOptions {
  readonly mailer: Pick<Mailer, 'send'>
  /** Composes the mail in the reader's language. */
  readonly signIn: (signIn: Omit<SignIn, 'appName'>) => MailContent
  readonly invitation: (invitation: SealedInvitation) => MailContent
  readonly codeMinutes: number
  readonly now: Clock
  readonly random: Random
  readonly log: Log
}

/** The reason of an aborted signal. */
export type AbortReason = 'stopping' | 'superseded' | 'timeout'

export interface DeliveryAttempt {
  readonly message: OutboxMessage
  readonly content: SealedMessage
  /** The epoch of the circuit in which it began. */
  readonly epoch: number
  /** Aborted with an AbortReason. */
  readonly signal: AbortSignal
}

interface FailureTexts {
  readonly reply: string
  /** What the operator can do about it. */
  readonly advice: string | undefined
}

/** Returns a function that makes one attempt and resolves with what the outbox records. It never rejects. */
export function createDelivery(
  { mailer, signIn, invitation, codeMinutes, now, random, log }: DeliveryOptions,
  circuit: Circuit,
): (attempt: DeliveryAttempt) => Promise<DeliveryResult> {
  const messageFailed = (message: OutboxMessage, texts: FailureTexts, temporary: boolean): DeliveryResult => {
    const { reply } = texts
    const { id, attempts, expiresAt } = message
    const dueAt = temporary ? nextTry({ now: now(), attempts, expiresAt, random }) : undefined
    if (dueAt !== undefined) {
      log.warn('mail.deferred', { id, attempt: attempts, ...texts })
      return { kind: 'later', reply, dueAt }
    }
    log.error(temporary ? 'mail.expired' : 'mail.failed', { id, attempt: attempts, ...texts })
    return { kind: temporary ? 'expired' : 'failed', reply }
  }
  /** The message stays due, behind those that are due longer: the circuit says when it goes. */
  const serverFailed = ({ message, epoch }: DeliveryAttempt, texts: FailureTexts): DeliveryResult => {
    const { id, attempts, expiresAt } = message
    const { reply, advice } = texts
    const fields = { id, attempt: attempts, ...texts }
    if (circuit.isOpen) log.debug('mail.deferred', fields)
    else log.warn('mail.deferred', fields)
    if (circuit.failed({ epoch, now: now(), expiresAt, random })) {
      log.error('mail.circuit-opened', { reason: reply, advice })
    }
    return { kind: 'later', reply, dueAt: now() }
  }
  const serverAnswered = (): void => {
    if (circuit.answered()) log.info('mail.circuit-closed', { reason: 'the mail server answers again' })
  }
  const mailOf = (content: SealedMessage): MailContent =>
    content.kind === 'invitation'
      ? invitation(content)
      : signIn({ code: content.code, minutes: codeMinutes, languages: content.languages ?? [] })
  return async (attempt) => {
    const { message, content, signal } = attempt
    const { id, attempts } = message
    const masked = (text: string): string => (content.kind === 'invitation' ? text : text.replaceAll(content.code, '***'))
    const shown = (text: string): string => masked(text).slice(0, REPLY_CHARS_MAX)
    try {
      signal.throwIfAborted()
      const reply = shown((await mailer.send({ id, to: content.email, ...mailOf(content) }, { signal })).reply)
      log.info('mail.delivered', { id, attempt: attempts, reply })
      serverAnswered()
      return { kind: 'delivered', reply }
    } catch (error) {
      const aborted: AbortReason | undefined = signal.reason
      if (aborted === 'stopping') return { kind: 'later', reply: 'the service stopped', dueAt: now() }
      if (aborted === 'superseded') {
        log.info('mail.superseded', { id, attempt: attempts })
        return { kind: 'later', reply: 'cancelled: a newer code was sent', dueAt: now() }
      }
      const reply = shown(aborted === 'timeout' ? TIMED_OUT : errorText(error))
      const texts = { reply, advice: error instanceof DeliveryError ? shown(adviceFor(error)) : undefined }
      if (isServerFailure(error)) return serverFailed(attempt, texts)
      if (!(error instanceof DeliveryError)) log.error('mail.courier-failed', { id, error: masked(stackOf(error)) })
      else if (error.stage !== 'compose') serverAnswered()
      return messageFailed(message, texts, !(error instanceof DeliveryError) || error.temporary)
    }
  }
}

const TIMED_OUT = `no result within ${ATTEMPT_MS_MAX / 1000} seconds`

function stackOf(error: unknown): string {
  return error instanceof Error && error.stack !== undefined ? error.stack : String(error)
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
