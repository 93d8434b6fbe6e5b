/**
 * The SMTP conversation (RFC 5321) that hands one mail to a server: greeting, EHLO, STARTTLS (RFC 3207), AUTH (RFC
 * 4954), MAIL, RCPT, DATA, QUIT, one command at a time.
 *
 * The bytes are read by replies.ts, sockets and time are smtp-channel.ts, and what we insist on is smtp-policy.ts. A
 * mail counts as delivered from the moment the server accepts the message; nothing after that turns it into a
 * failure, for then it would be sent twice.
 */
import { isAscii, wireAddress } from './address.ts'
import { DeliveryError, type Stage, safeReplyText } from './delivery-error.ts'
import type { Reply } from './replies.ts'
import { openChannel, type SmtpChannel, type SmtpTimeouts } from './smtp-channel.ts'
import { dotStuffed } from './smtp-data.ts'
import {
  chooseMechanism,
  isPrivateEnough,
  isTemporary,
  isThisMachine,
  type Security,
  verifiesCertificate,
} from './smtp-policy.ts'

const SMTP_TIMEOUTS: SmtpTimeouts = {
  connect: 10_000,
  greeting: 15_000,
  command: 15_000,
  data: 30_000,
  quit: 2_000,
  total: 60_000,
}

/** RFC 5321 4.5.3.1.4: a command line has up to 512 octets. A longer AUTH waits for its prompt first. */
const AUTH_LINE_CHARS_MAX = 500

export interface Login {
  readonly user: string
  readonly password: string
}

export interface SmtpSettings {
  readonly host: string
  readonly port: number
  readonly security: Security
  readonly login?: Login
  /** PEM certificates trusted beside those that Node trusts. */
  readonly ca?: readonly string[]
  readonly timeouts?: Partial<SmtpTimeouts>
}

export interface OutgoingMail {
  /** The envelope's addresses, normalised; their domains may be international. */
  readonly from: string
  readonly to: string
  /** The message as `composeMessage` gives it. */
  readonly data: string
}

export interface DeliverOptions {
  /** Ends the attempt, with a temporary error. */
  readonly signal?: AbortSignal
}

/** What the server offers: EHLO keywords in capitals, with their parameters. Empty after HELO. */
type Extensions = ReadonlyMap<string, readonly string[]>

/**
 * Hands over one mail; resolves with the server's reply to it. Rejects with a DeliveryError after at most
 * `timeouts.total` (and with another Error only for a message that breaks our own rules; see dotStuffed).
 */
export async function deliver(
  settings: SmtpSettings,
  { from, to, data }: OutgoingMail,
  { signal }: DeliverOptions = {},
): Promise<{ reply: string }> {
  const envelope = { from: envelopeAddress(from), to: envelopeAddress(to) }
  const bytes = dotStuffed(data)
  const needsUtf8 = !isAscii(envelope.from + envelope.to + data)
  const secrets = secretsOf(settings.login)
  const { host, port, ca = [] } = settings
  const timeouts = { ...SMTP_TIMEOUTS, ...settings.timeouts }
  const channel = await openChannel({ host, port, timeouts, ca, secrets, signal })
  try {
    const extensions = await greet(channel, settings)
    if (settings.login !== undefined) await authenticate(channel, settings, settings.login, extensions)
    const utf8 = needsUtf8 ? await utf8Parameter(channel, extensions) : ''
    await expect(channel, 'mail', `MAIL FROM:<${envelope.from}>${utf8}`, 2)
    await expect(channel, 'rcpt', `RCPT TO:<${envelope.to}>`, 2)
    await expect(channel, 'data', 'DATA', 3)
    const accepted = await judge(channel, 'message', await channel.message(bytes), 2)
    await farewell(channel)
    return { reply: safeReplyText(accepted, secrets) }
  } finally {
    channel.close()
  }
}

/** Up to the point where the server may be told something: encrypted, or on this machine. */
async function greet(channel: SmtpChannel, { security }: SmtpSettings): Promise<Extensions> {
  // `localhost` is a name, and a name can be made to lead elsewhere.
  if (security === 'loopback' && !isThisMachine(channel.serverAddress)) {
    throw channel.error('the host should be this machine and is not', { temporary: true })
  }
  const verify = verifiesCertificate(security)
  if (security === 'implicit') await channel.startTls({ verify })
  await judge(channel, 'greeting', await channel.greeting(), 2)
  const extensions = await hello(channel)
  if (!channel.isEncrypted && extensions.has('STARTTLS')) {
    await expect(channel, 'starttls', 'STARTTLS', 2)
    await channel.startTls({ verify })
    // RFC 3207 4.2: what was said before TLS is forgotten; the server may offer other things now.
    return hello(channel)
  }
  if (!isPrivateEnough(security, channel.isEncrypted)) {
    const problem = 'the server offers no TLS, and mail leaves this machine only encrypted'
    return giveUp(channel, channel.error(problem, { temporary: true, stage: 'starttls' }))
  }
  return extensions
}

/** EHLO, or HELO with a server that does not know it (RFC 5321 section 3.2). */
async function hello(channel: SmtpChannel): Promise<Extensions> {
  const reply = await channel.command('ehlo', `EHLO ${channel.ownAddressLiteral}`)
  if (reply.code >= 500 && !channel.isEncrypted) {
    await expect(channel, 'ehlo', `HELO ${channel.ownAddressLiteral}`, 2)
    return new Map()
  }
  await judge(channel, 'ehlo', reply, 2)
  return new Map(
    reply.lines.slice(1).map((line): [string, string[]] => {
      // `AUTH=PLAIN LOGIN` is how servers wrote it before RFC 4954; clients of that time still ask for it.
      const [keyword = '', ...parameters] = line
        .toUpperCase()
        .replace(/^AUTH=/, 'AUTH ')
        .trim()
        .split(/\s+/)
      return [keyword, parameters]
    }),
  )
}

/** Logs in with PLAIN (RFC 4616) or LOGIN. `greet` has made sure that nobody can listen. */
async function authenticate(
  channel: SmtpChannel,
  { security }: SmtpSettings,
  { user, password }: Login,
  extensions: Extensions,
): Promise<void> {
  if (!isPrivateEnough(security, channel.isEncrypted)) throw new Error('AUTH was reached without encryption')
  const mechanism = chooseMechanism(extensions.get('AUTH') ?? [])
  if (mechanism === undefined) {
    const problem = 'a user is set, and the server offers neither AUTH PLAIN nor AUTH LOGIN'
    return giveUp(channel, channel.error(problem, { temporary: true, stage: 'auth' }))
  }
  if (mechanism === 'LOGIN') {
    await expect(channel, 'auth', 'AUTH LOGIN', 3)
    await expect(channel, 'auth', base64(user), 3)
    await expect(channel, 'auth', base64(password), 2)
    return
  }
  const response = base64(`\0${user}\0${password}`)
  const line = `AUTH PLAIN ${response}`
  if (line.length <= AUTH_LINE_CHARS_MAX) {
    await expect(channel, 'auth', line, 2)
    return
  }
  await expect(channel, 'auth', 'AUTH PLAIN', 3)
  await expect(channel, 'auth', response, 2)
}

/** ` SMTPUTF8` for MAIL FROM (RFC 6531). Without it no server can take an address whose local part is not ASCII. */
async function utf8Parameter(channel: SmtpChannel, extensions: Extensions): Promise<string> {
  if (extensions.has('SMTPUTF8')) return extensions.has('8BITMIME') ? ' BODY=8BITMIME SMTPUTF8' : ' SMTPUTF8'
  const problem = 'the address is not ASCII, and the server does not offer SMTPUTF8'
  return giveUp(channel, channel.error(problem, { temporary: false, stage: 'mail' }))
}

/** The first digit of the reply that a command is to get; RFC 5321 4.2 asks clients to go by it. */
type Wanted = 2 | 3

async function expect(channel: SmtpChannel, stage: Stage, line: string, wanted: Wanted): Promise<Reply> {
  return judge(channel, stage, await channel.command(stage, line), wanted)
}

async function judge(channel: SmtpChannel, stage: Stage, reply: Reply, wanted: Wanted): Promise<Reply> {
  if (Math.floor(reply.code / 100) === wanted) return reply
  const error = channel.error(`expected ${wanted}xx`, { temporary: isTemporary(stage, reply.code), reply })
  // After a refusal the server waits for the next command; after another reply nobody knows what it waits for.
  if (reply.code < 400 || reply.code === 421) throw error
  return giveUp(channel, error)
}

/** Takes leave in good order and throws. */
async function giveUp(channel: SmtpChannel, error: DeliveryError): Promise<never> {
  await farewell(channel)
  throw error
}

/** Says QUIT. The mail's fate is known already, so what goes wrong here is of no interest. */
async function farewell(channel: SmtpChannel): Promise<void> {
  try {
    await channel.command('quit', 'QUIT')
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
  }
}

function envelopeAddress(address: string): string {
  const wire = wireAddress(address)
  // The last door before the wire: an address from wherever must not end its brackets or its line.
  if (wire !== undefined && !/[\s\p{Cc}<>]/u.test(wire)) return wire
  throw new DeliveryError('Cannot deliver mail: sender or recipient is not an address that SMTP can carry', {
    stage: 'compose',
    temporary: false,
  })
}

/** The password in each form that it travels in. */
function secretsOf(login: Login | undefined): string[] {
  if (login === undefined) return []
  const { user, password } = login
  return [base64(`\0${user}\0${password}`), base64(password), password]
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
