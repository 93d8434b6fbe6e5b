/**
 * A conversation with one mail server over which one mail after the other goes: MAIL, RCPT, DATA (RFC 5321), in one
 * packet where the server offers PIPELINING (RFC 2920), and the message.
 *
 * A mail counts as delivered from the moment the server accepts the message. Until its first byte went out, nothing
 * can have been delivered, and a connection that turns out dead may be replaced; from then on it may not, or a mail
 * could arrive twice.
 */
import type { DeliveryError, DeliveryProblem } from '../delivery/delivery-error.ts'
import type { Reply } from './smtp-replies.ts'
import type { SmtpAttempt } from './smtp-attempt.ts'
import { type ChannelSettings, type CommandLine, openChannel, type SmtpChannel } from './smtp-channel.ts'
import type { Envelope } from './smtp-envelope.ts'
import { type Extensions, farewell, type HelloSettings, introduce, refusal, type Wanted } from './smtp-hello.ts'

export interface SessionSettings {
  readonly channel: ChannelSettings
  readonly hello: HelloSettings
}

interface Step extends CommandLine {
  readonly wanted: Wanted
}

/** Connects, encrypts, logs in. Rejects with a temporary DeliveryError. */
export async function openSession(settings: SessionSettings, attempt: SmtpAttempt): Promise<SmtpSession> {
  const channel = await openChannel(settings.channel, attempt)
  return new SmtpSession(channel, await introduce(channel, settings.hello, attempt))
}

export class SmtpSession {
  readonly #channel: SmtpChannel
  readonly #extensions: Extensions
  #mails = 0
  #needsReset = false
  #hasBegunMessage = false

  constructor(channel: SmtpChannel, extensions: Extensions) {
    this.#channel = channel
    this.#extensions = extensions
  }

  /** How many mails it was given, whatever became of them. */
  get mails(): number {
    return this.#mails
  }

  get isOpen(): boolean {
    return this.#channel.isOpen
  }

  /** Whether the message of the last mail was begun, so that nobody but the server knows what became of it. */
  get hasBegunMessage(): boolean {
    return this.#hasBegunMessage
  }

  /** Hands over one mail; gives the reply that accepts it, fit for the log. Rejects with a DeliveryError. */
  async deliver(envelope: Envelope): Promise<string> {
    this.#hasBegunMessage = false
    this.#mails++
    await this.#request(envelope)
    this.#hasBegunMessage = this.#channel.isOpen
    const reply = await this.#channel.message(envelope.bytes)
    const error = refusal(this.#channel, 'message', reply, 2)
    if (error === undefined) return this.#channel.safe(reply)
    this.#needsReset = true
    throw error
  }

  /** Lets go of the attempt and waits for another, for at most `ms`. */
  rest(ms: number, onDisturbed: () => void): void {
    this.#channel.rest(ms, onDisturbed)
  }

  resume(attempt: SmtpAttempt): void {
    this.#channel.resume(attempt)
  }

  /** Takes leave and frees the connection. */
  async quit(): Promise<void> {
    this.#channel.stir()
    await farewell(this.#channel)
  }

  /** Everything up to the 354. */
  async #request(envelope: Envelope): Promise<void> {
    const steps: readonly Step[] = [
      // RFC 5321 4.1.1.5. Said when the next mail comes rather than after the refusal: it costs no time then.
      ...(this.#needsReset ? [{ stage: 'mail', line: 'RSET', wanted: 2 } as const] : []),
      { stage: 'mail', line: `MAIL FROM:<${envelope.from}>${this.#mailParameters(envelope)}`, wanted: 2 },
      { stage: 'rcpt', line: `RCPT TO:<${envelope.to}>`, wanted: 2 },
      { stage: 'data', line: 'DATA', wanted: 3 },
    ]
    this.#needsReset = false
    if (this.#extensions.has('PIPELINING')) return this.#inOneGroup(steps)
    for (const step of steps) {
      this.#channel.send([step])
      const error = this.#judge(step, await this.#channel.reply(step.stage))
      if (error === undefined) continue
      this.#needsReset = true
      throw error
    }
  }

  /**
   * RFC 2920 section 3.1: the commands go out together, and each reply is taken for itself. The first refusal is what
   * counts; the later ones only follow from it.
   */
  async #inOneGroup(steps: readonly Step[]): Promise<void> {
    this.#channel.send(steps)
    let error: DeliveryError | undefined
    try {
      for (const step of steps) {
        const reply = await this.#channel.reply(step.stage)
        const isLast = step.stage === 'data'
        if (error !== undefined && isLast && reply.code === 354) {
          // A server may ask for the message though nobody is to get it. A dot alone is the end of it.
          await this.#channel.message(LONE_DOT)
        }
        error ??= this.#judge(step, reply)
        if (!this.#channel.isOpen) break
      }
    } catch (problem) {
      throw error ?? problem
    }
    if (error === undefined) return
    this.#needsReset = true
    throw error
  }

  #judge({ line, stage, wanted }: Step, reply: Reply): DeliveryError | undefined {
    const error = refusal(this.#channel, stage, reply, wanted)
    if (error === undefined || line !== 'RSET') return error
    // It says nothing about the mail, and the session is of no use.
    this.#channel.close()
    return this.#channel.error('the server does not forget the mail before', { temporary: true })
  }

  /** What MAIL FROM tells of the message. Throws a permanent DeliveryError where the server cannot take it. */
  #mailParameters({ size, hasEightBits, needsUtf8 }: Envelope): string {
    const offers = this.#extensions
    const limit = sizeLimit(offers)
    const refuse = (text: string, problem: DeliveryProblem): DeliveryError =>
      this.#channel.error(text, { temporary: false, stage: 'mail', problem })
    if (limit !== undefined && size > limit) {
      throw refuse(`the message has ${size} bytes, and the server takes ${limit} at most`, 'too-large')
    }
    if (needsUtf8 && !offers.has('SMTPUTF8')) {
      throw refuse('the address is not ASCII, and the server does not offer SMTPUTF8', 'no-utf8')
    }
    if (hasEightBits && !needsUtf8 && !offers.has('8BITMIME')) {
      throw refuse('the message is not ASCII, and the server does not offer 8BITMIME', 'no-utf8')
    }
    return [
      offers.has('SIZE') ? ` SIZE=${size}` : '',
      hasEightBits && offers.has('8BITMIME') ? ' BODY=8BITMIME' : '',
      needsUtf8 ? ' SMTPUTF8' : '',
    ].join('')
  }
}

const LONE_DOT = Buffer.from('.\r\n')

/** RFC 1870 section 4: without a number, or with zero, no limit is known. */
function sizeLimit(extensions: Extensions): number | undefined {
  const text = extensions.get('SIZE')?.[0] ?? ''
  return /^\d{1,20}$/.test(text) && Number(text) > 0 ? Number(text) : undefined
}
