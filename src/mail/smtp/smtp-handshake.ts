/** The handshake of an SMTP session: greeting, EHLO (or HELO), STARTTLS (RFC 3207), AUTH. */
import { authenticate, type Login } from './smtp-auth.ts'
import type { DeliveryError, Stage } from '../delivery/delivery-error.ts'
import type { Reply } from './smtp-replies.ts'
import type { SmtpAttempt } from './smtp-attempt.ts'
import type { SmtpChannel } from './smtp-channel.ts'
import { isNotLoopback, isTemporary, type TlsMode } from './smtp-policy.ts'

/** What the server offers: EHLO keywords in capitals, with their parameters. Empty after HELO. */
export type Extensions = ReadonlyMap<string, readonly string[]>

export interface HandshakeSettings {
  readonly host: string
  readonly mode: TlsMode
  readonly verify: boolean
  readonly login: Login | undefined
  readonly cleartextLogin: boolean
  readonly nonce: () => string
}

/** Goes up to the point where mail may be sent. Rejects with a temporary DeliveryError and then has closed the channel. */
export async function handshake(
  channel: SmtpChannel,
  settings: HandshakeSettings,
  attempt: SmtpAttempt,
): Promise<Extensions> {
  try {
    const extensions = await greetAndEncrypt(channel, settings)
    const { login, cleartextLogin, nonce } = settings
    if (login === undefined) return extensions
    const offered = extensions.get('AUTH') ?? []
    const maySendSecret = channel.isEncrypted || cleartextLogin
    await authenticate(channel, { login, offered, maySendSecret, nonce }, attempt)
    return extensions
  } catch (error) {
    // After a rejection the server waits for the next command.
    await quit(channel)
    throw error
  }
}

async function greetAndEncrypt(channel: SmtpChannel, { host, mode, verify }: HandshakeSettings): Promise<Extensions> {
  if (isNotLoopback({ host, remoteAddress: channel.socket.remoteAddress, mode, verify })) {
    channel.close()
    const details = { temporary: true, stage: 'connect', kind: 'not-loopback' } as const
    throw channel.error('the host should be this machine, and its name resolves to another', details)
  }
  if (mode === 'implicit') await channel.startTls({ verify })
  expectCode(channel, 'greeting', await channel.reply('greeting'), 2)
  const extensions = await hello(channel)
  if (channel.isEncrypted || mode === 'none') return extensions
  if (extensions.has('STARTTLS')) {
    expectCode(channel, 'starttls', await channel.command('starttls', 'STARTTLS'), 2)
    await channel.startTls({ verify })
    // RFC 3207 4.2: what the server said before TLS is discarded; it may offer other things now.
    return hello(channel)
  }
  if (mode === 'starttls-if-offered') return extensions
  const text = 'the server offers no TLS, and mail leaves this machine only encrypted'
  throw channel.error(text, { temporary: true, stage: 'starttls', kind: 'no-tls' })
}

/** EHLO, or HELO with a server that does not know it (RFC 5321 section 3.2). */
async function hello(channel: SmtpChannel): Promise<Extensions> {
  const reply = await channel.command('ehlo', `EHLO ${channel.socket.localAddressLiteral}`)
  if (reply.code >= 500 && !channel.isEncrypted) {
    expectCode(channel, 'ehlo', await channel.command('ehlo', `HELO ${channel.socket.localAddressLiteral}`), 2)
    return new Map()
  }
  expectCode(channel, 'ehlo', reply, 2)
  const extensions = new Map<string, readonly string[]>()
  for (const line of reply.lines.slice(1)) {
    // `AUTH=PLAIN LOGIN` is the form from before RFC 4954. Some servers send both, with different mechanisms.
    const [keyword = '', ...parameters] = line
      .toUpperCase()
      .replace(/^AUTH=/, 'AUTH ')
      .trim()
      .split(/\s+/)
    extensions.set(keyword, [...(extensions.get(keyword) ?? []), ...parameters])
  }
  return extensions
}

/** The first digit that the reply to a command must have; RFC 5321 4.2 asks clients to go by it. */
export type ReplyClass = 2 | 3

/** The error of a reply of another class than expected. */
export function rejection(
  channel: SmtpChannel,
  stage: Stage,
  reply: Reply,
  expected: ReplyClass,
): DeliveryError | undefined {
  if (Math.floor(reply.code / 100) === expected) return undefined
  // After a rejection the server waits for the next command; after any other reply its state is unknown.
  if (reply.code < 400 || reply.code === 421) channel.close()
  return channel.error(`expected ${expected}xx`, { temporary: isTemporary(stage, reply.code), reply, stage })
}

function expectCode(channel: SmtpChannel, stage: Stage, reply: Reply, expected: ReplyClass): void {
  const error = rejection(channel, stage, reply, expected)
  if (error !== undefined) throw error
}

/** Says QUIT where the connection is open, and frees the channel. Never rejects. */
export async function quit(channel: SmtpChannel): Promise<void> {
  try {
    if (channel.isOpen) await channel.command('quit', 'QUIT')
  } catch {
    // The server hung up first, or does not answer. The mail's outcome is known.
  } finally {
    channel.close()
  }
}
