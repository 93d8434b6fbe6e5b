/**
 * AUTH (RFC 4954): carries a SASL exchange over a channel.
 *
 *     AUTH LOGIN           334 VXNlcm5hbWU6
 *     dGlt                 334 UGFzc3dvcmQ6
 *     dGFuc3RhYWY=         235 2.7.0 Authentication successful
 *
 * After a rejection of the mechanism (504, 534, 538) the next best is tried. After a rejection of the password it is
 * not: the peer may be phishing for a weaker form of it.
 */
import { DeliveryError, safeText } from '../delivery/delivery-error.ts'
import type { Reply } from './smtp-replies.ts'
import { saslExchange } from './sasl.ts'
import { type Credentials, SaslError, type SaslExchange } from './sasl-exchange.ts'
import type { SmtpAttempt } from './smtp-attempt.ts'
import type { SmtpChannel } from './smtp-channel.ts'
import { type AuthMechanism, isTemporary, rejectsMechanism, usableMechanisms } from './smtp-policy.ts'

/** RFC 5321 4.5.3.1.4: a command line has up to 512 octets. A longer AUTH waits for its prompt first. */
const AUTH_LINE_CHARS_MAX = 500
/** No mechanism of ours has more challenges. */
const CHALLENGES_MAX = 4

/** With a password, or for XOAUTH2 with an access token. It lasts an hour or so, so each login reads it again. */
export type Login = { readonly user: string } & (
  | { readonly password: string }
  | { readonly token: () => Promise<string> }
)

interface AuthSettings {
  readonly login: Login
  readonly offered: readonly string[]
  /** Whether the password or the token itself may be sent. */
  readonly maySendSecret: boolean
  readonly nonce: () => string
}

/** Logs in. Rejects with a DeliveryError, always a temporary one: the mail is not at fault. */
export async function authenticate(channel: SmtpChannel, settings: AuthSettings, attempt: SmtpAttempt): Promise<void> {
  const { login, offered, maySendSecret, nonce } = settings
  const hasToken = 'token' in login
  const mechanisms = usableMechanisms({ offered, hasToken, maySendSecret })
  if (mechanisms.length === 0) throw noMechanism(channel, offered, hasToken)
  const secret = hasToken ? await readToken(login.token, channel, attempt) : login.password
  mask(channel, secret)
  let rejection: Reply | undefined
  for (const mechanism of mechanisms) {
    rejection = await logIn(channel, mechanism, { user: login.user, secret }, nonce)
    if (rejection === undefined) return
    if (!rejectsMechanism(rejection.code)) break
  }
  const temporary = isTemporary('auth', rejection?.code ?? 0)
  throw channel.error('expected 235', { temporary, stage: 'auth', ...(rejection === undefined ? {} : { reply: rejection }) })
}

function noMechanism(channel: SmtpChannel, offered: readonly string[], hasToken: boolean): DeliveryError {
  const details = { temporary: true, stage: 'auth' } as const
  const shown = safeText(offered.join(' '), [])
  if (usableMechanisms({ offered, hasToken, maySendSecret: true }).length > 0) {
    const what = hasToken ? 'token' : 'password'
    const text = `the server offers only mechanisms that would send the ${what} unencrypted (AUTH ${shown})`
    return channel.error(text, { ...details, kind: 'cleartext-auth' })
  }
  if (offered.length === 0) {
    return channel.error('a user is set, and the server does not offer AUTH', { ...details, kind: 'no-auth' })
  }
  const expected = hasToken ? 'XOAUTH2' : 'SCRAM-SHA-256, PLAIN or LOGIN'
  const text = `a user is set, expected AUTH ${expected}, the server offers ${shown}`
  return channel.error(text, { ...details, kind: 'no-mechanism' })
}

/** Returns the server's rejection, or undefined when it accepted the login and proved what it had to. */
async function logIn(
  channel: SmtpChannel,
  mechanism: AuthMechanism,
  credentials: Credentials,
  nonce: () => string,
): Promise<Reply | undefined> {
  let exchange: SaslExchange
  try {
    exchange = saslExchange(mechanism, credentials, nonce)
  } catch (error) {
    throw loginError(channel, error)
  }
  let first = exchange.initial === undefined ? undefined : base64(exchange.initial)
  if (first !== undefined) mask(channel, first)
  const line = first === undefined ? `AUTH ${mechanism}` : `AUTH ${mechanism} ${first}`
  let reply: Reply
  if (first !== undefined && line.length <= AUTH_LINE_CHARS_MAX) {
    reply = await channel.command('auth', line, `AUTH ${mechanism} ***`)
    first = undefined
  } else reply = await channel.command('auth', `AUTH ${mechanism}`)

  for (let challenges = 0; reply.code === 334; challenges++) {
    if (challenges === CHALLENGES_MAX) throw channel.error('the login does not end', { temporary: true, reply })
    const response = first ?? base64(await respond(channel, exchange, reply))
    first = undefined
    mask(channel, response)
    reply = await channel.command('auth', response, response === '' ? '' : '***')
  }
  if (reply.code >= 400) return reply
  if (reply.code >= 300) {
    channel.close()
    throw channel.error('expected 235', { temporary: true, reply, stage: 'auth' })
  }
  if (!exchange.isServerProven)
    throw loginError(channel, new SaslError('the server did not prove that it knows the password'))
  return undefined
}

async function respond(channel: SmtpChannel, exchange: SaslExchange, { lines }: Reply): Promise<string> {
  try {
    return await exchange.respond(Buffer.from(lines.join(''), 'base64').toString())
  } catch (error) {
    const failure = loginError(channel, error)
    // RFC 4954 section 4: an asterisk cancels the exchange. The server's reply to that does not matter.
    await channel.command('quit', '*').catch(() => {})
    throw failure
  }
}

function loginError(channel: SmtpChannel, error: unknown): Error {
  if (!(error instanceof SaslError)) return error instanceof Error ? error : new Error(String(error))
  return channel.error(error.message, { temporary: true, stage: 'auth', kind: 'broken-auth', cause: error })
}

async function readToken(token: () => Promise<string>, channel: SmtpChannel, attempt: SmtpAttempt): Promise<string> {
  const noToken = (text: string, cause?: unknown): DeliveryError =>
    channel.error(text, { temporary: true, stage: 'auth', kind: 'no-token', cause })
  const aborted = Promise.withResolvers<never>()
  const leave = attempt.onAbort(() => aborted.reject(noToken(attempt.abortReason ?? 'it is over')))
  try {
    const text = await Promise.race([token(), aborted.promise])
    // A control character would end the token, or the line.
    if (!/^[\x21-\x7e]+$/.test(text)) throw new Error('it is empty or has characters that no token has')
    return text
  } catch (error) {
    if (error instanceof DeliveryError) throw error
    const reason = error instanceof Error ? safeText(error.message, []) : 'an error'
    throw noToken(`there is no access token to log in with (${reason})`, error)
  } finally {
    leave()
  }
}

function mask(channel: SmtpChannel, secret: string): void {
  if (secret === '') return
  channel.mask(base64(secret))
  channel.mask(secret)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
