/**
 * The beginning of an SMTP conversation: greeting, EHLO (or HELO), STARTTLS (RFC 3207), AUTH. What comes out is a
 * channel that may be told mail, and what its server offers.
 */
import { authenticate, type Login, type TokenLogin } from './smtp-auth.ts'
import type { DeliveryError, Stage } from '../delivery/delivery-error.ts'
import type { Reply } from './smtp-replies.ts'
import type { SmtpAttempt } from './smtp-attempt.ts'
import type { SmtpChannel } from './smtp-channel.ts'
import { isTemporary, leadsAstray, type TlsMode } from './smtp-policy.ts'

/** What the server offers: EHLO keywords in capitals, with their parameters. Empty after HELO. */
export type Extensions = ReadonlyMap<string, readonly string[]>

export interface HelloSettings {
  readonly host: string
  readonly mode: TlsMode
  readonly verify: boolean
  readonly login: Login | TokenLogin | undefined
  readonly cleartextLogin: boolean
  readonly nonce: () => string
}

/** Goes up to the point where mail may be sent. Rejects with a temporary DeliveryError; the channel stays to close. */
export async function introduce(
  channel: SmtpChannel,
  settings: HelloSettings,
  attempt: SmtpAttempt,
): Promise<Extensions> {
  try {
    const extensions = await greet(channel, settings)
    if (settings.login === undefined) return extensions
    const mayTellPassword = channel.isEncrypted || settings.cleartextLogin
    const offered = extensions.get('AUTH') ?? []
    await authenticate(channel, { ...settings, login: settings.login, offered, mayTellPassword }, attempt)
    return extensions
  } catch (error) {
    // A refusal leaves a server that waits for the next command: leave is taken in good order.
    await farewell(channel)
    throw error
  }
}

async function greet(channel: SmtpChannel, { host, mode, verify }: HelloSettings): Promise<Extensions> {
  if (leadsAstray({ host, address: channel.serverAddress, mode, verify })) {
    channel.close()
    const parts = { temporary: true, stage: 'connect', problem: 'astray' } as const
    throw channel.error('the host should be this machine and is not', parts)
  }
  if (mode === 'implicit') await channel.startTls({ verify })
  demand(channel, 'greeting', await channel.greeting(), 2)
  const extensions = await hello(channel)
  if (channel.isEncrypted || mode === 'none') return extensions
  if (extensions.has('STARTTLS')) {
    demand(channel, 'starttls', await channel.command('starttls', 'STARTTLS'), 2)
    await channel.startTls({ verify })
    // RFC 3207 4.2: what was said before TLS is forgotten; the server may offer other things now.
    return hello(channel)
  }
  if (mode === 'starttls-if-offered') return extensions
  const problem = 'the server offers no TLS, and mail leaves this machine only encrypted'
  throw channel.error(problem, { temporary: true, stage: 'starttls', problem: 'no-tls' })
}

/** EHLO, or HELO with a server that does not know it (RFC 5321 section 3.2). */
async function hello(channel: SmtpChannel): Promise<Extensions> {
  const reply = await channel.command('ehlo', `EHLO ${channel.ownAddressLiteral}`)
  if (reply.code >= 500 && !channel.isEncrypted) {
    demand(channel, 'ehlo', await channel.command('ehlo', `HELO ${channel.ownAddressLiteral}`), 2)
    return new Map()
  }
  demand(channel, 'ehlo', reply, 2)
  const extensions = new Map<string, readonly string[]>()
  for (const line of reply.lines.slice(1)) {
    // `AUTH=PLAIN LOGIN` is how servers wrote it before RFC 4954; clients of that time still ask for it, so some
    // servers say it in both ways, and not always with the same mechanisms.
    const [keyword = '', ...parameters] = line
      .toUpperCase()
      .replace(/^AUTH=/, 'AUTH ')
      .trim()
      .split(/\s+/)
    extensions.set(keyword, [...(extensions.get(keyword) ?? []), ...parameters])
  }
  return extensions
}

/** The first digit of the reply that a command is to get; RFC 5321 4.2 asks clients to go by it. */
export type Wanted = 2 | 3

/** The error that a reply is, or undefined where it is as wanted. */
export function refusal(channel: SmtpChannel, stage: Stage, reply: Reply, wanted: Wanted): DeliveryError | undefined {
  if (Math.floor(reply.code / 100) === wanted) return undefined
  // After a refusal the server waits for the next command; after another reply nobody knows what it waits for.
  if (reply.code < 400 || reply.code === 421) channel.close()
  return channel.error(`expected ${wanted}xx`, { temporary: isTemporary(stage, reply.code), reply, stage })
}

function demand(channel: SmtpChannel, stage: Stage, reply: Reply, wanted: Wanted): void {
  const error = refusal(channel, stage, reply, wanted)
  if (error !== undefined) throw error
}

/** Says QUIT where there is somebody to say it to, and frees the channel. What goes wrong here is of no interest. */
export async function farewell(channel: SmtpChannel): Promise<void> {
  try {
    if (channel.isOpen) await channel.command('quit', 'QUIT')
  } catch {
    // The server hung up first, or answers nothing.
  } finally {
    channel.close()
  }
}
