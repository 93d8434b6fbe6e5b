/**
 * A session with one mail server, for one mail after the other: MAIL, RCPT, DATA (RFC 5321), in one packet where the
 * server offers PIPELINING (RFC 2920), and the message. Before its first byte is sent nothing can have been delivered,
 * and a dead connection may be replaced; after that it may not, or a mail could arrive twice.
 */
import type { DeliveryError, ErrorKind } from '../delivery/delivery-error.ts'
import type { Reply } from './smtp-replies.ts'
import type { SmtpAttempt } from './smtp-attempt.ts'
import { type ChannelSettings, type Command, openChannel, type SmtpChannel } from './smtp-channel.ts'
import type { Envelope } from './smtp-envelope.ts'
import { type Extensions, handshake, type HandshakeSettings, quit, rejection, type ReplyClass } from './smtp-handshake.ts'

interface Step extends Command {
  readonly expected: ReplyClass
}

export type SmtpSession = ReturnType<typeof createSession>

/** Connects, encrypts, logs in. Rejects with a temporary DeliveryError. */
export async function openSession(
  settings: ChannelSettings & HandshakeSettings,
  attempt: SmtpAttempt,
): Promise<SmtpSession> {
  const channel = await openChannel(settings, attempt)
  return createSession(channel, await handshake(channel, settings, attempt))
}

function createSession(channel: SmtpChannel, extensions: Extensions) {
  let mails = 0
  let needsReset = false
  let hasStartedMessage = false

  /** Everything up to the 354. */
  const startTransaction = async (envelope: Envelope): Promise<void> => {
    const steps: readonly Step[] = [
      // RFC 5321 4.1.1.5. Sent with the next mail rather than after the rejection, where it would cost a round trip.
      ...(needsReset ? [{ stage: 'mail', line: 'RSET', expected: 2 } as const] : []),
      { stage: 'mail', line: `MAIL FROM:<${envelope.from}>${mailParameters(channel, extensions, envelope)}`, expected: 2 },
      { stage: 'rcpt', line: `RCPT TO:<${envelope.to}>`, expected: 2 },
      { stage: 'data', line: 'DATA', expected: 3 },
    ]
    needsReset = false
    const error = await (extensions.has('PIPELINING') ? pipelined : oneByOne)(channel, steps)
    if (error === undefined) return
    needsReset = true
    throw error
  }

  return {
    /** The number of mails that were tried. */
    get mails(): number {
      return mails
    },
    get isOpen(): boolean {
      return channel.isOpen
    },
    /** Whether bytes of the last mail's message were sent: then only the server knows whether it was delivered. */
    get hasStartedMessage(): boolean {
      return hasStartedMessage
    },
    /** Delivers one mail. Resolves with the reply that accepts it, fit for the log. Rejects with a DeliveryError. */
    async deliver(envelope: Envelope): Promise<string> {
      hasStartedMessage = false
      mails++
      await startTransaction(envelope)
      hasStartedMessage = channel.isOpen
      const reply = await channel.message(envelope.bytes)
      const error = rejection(channel, 'message', reply, 2)
      if (error === undefined) return channel.safe(reply)
      needsReset = true
      throw error
    },
    park: channel.park,
    resume: channel.resume,
    /** Says QUIT and frees the connection. */
    async quit(): Promise<void> {
      channel.wake()
      await quit(channel)
    },
  }
}

async function oneByOne(channel: SmtpChannel, steps: readonly Step[]): Promise<DeliveryError | undefined> {
  for (const step of steps) {
    channel.send([step])
    const error = checkReply(channel, step, await channel.reply(step.stage))
    if (error !== undefined) return error
  }
  return undefined
}

/** RFC 2920 section 3.1: each reply is checked by itself. The first rejection counts; the later ones follow from it. */
async function pipelined(channel: SmtpChannel, steps: readonly Step[]): Promise<DeliveryError | undefined> {
  channel.send(steps)
  let error: DeliveryError | undefined
  try {
    for (const step of steps) {
      const reply = await channel.reply(step.stage)
      // A server may ask for the message although it has rejected the recipient. A dot alone ends it.
      if (error !== undefined && step.stage === 'data' && reply.code === 354) await channel.message(LONE_DOT)
      error ??= checkReply(channel, step, reply)
      if (!channel.isOpen) break
    }
  } catch (cause) {
    throw error ?? cause
  }
  return error
}

const LONE_DOT = Buffer.from('.\r\n')

function checkReply(channel: SmtpChannel, { line, stage, expected }: Step, reply: Reply): DeliveryError | undefined {
  const error = rejection(channel, stage, reply, expected)
  if (error === undefined || line !== 'RSET') return error
  // This is not about the mail, and the session is of no use.
  channel.close()
  return channel.error('the server rejects RSET', { temporary: true })
}

/** The parameters of MAIL FROM. Throws a permanent DeliveryError where the server cannot take the message. */
function mailParameters(
  channel: SmtpChannel,
  extensions: Extensions,
  { size, hasEightBits, needsUtf8 }: Envelope,
): string {
  const impossible = (text: string, kind: ErrorKind): DeliveryError =>
    channel.error(text, { temporary: false, stage: 'mail', kind })
  const limit = sizeLimit(extensions)
  if (limit !== undefined && size > limit) {
    throw impossible(`the message has ${size} bytes, and the server takes ${limit} at most`, 'too-large')
  }
  if (needsUtf8 && !extensions.has('SMTPUTF8')) {
    throw impossible('the address is not ASCII, and the server does not offer SMTPUTF8', 'no-utf8')
  }
  if (hasEightBits && !needsUtf8 && !extensions.has('8BITMIME')) {
    throw impossible('the message is not ASCII, and the server does not offer 8BITMIME', 'no-utf8')
  }
  return [
    extensions.has('SIZE') ? ` SIZE=${size}` : '',
    hasEightBits && extensions.has('8BITMIME') ? ' BODY=8BITMIME' : '',
    needsUtf8 ? ' SMTPUTF8' : '',
  ].join('')
}

/** RFC 1870 section 4: without a number, or with zero, no limit is known. */
function sizeLimit(extensions: Extensions): number | undefined {
  const text = extensions.get('SIZE')?.[0] ?? ''
  return /^\d{1,20}$/.test(text) && Number(text) > 0 ? Number(text) : undefined
}
