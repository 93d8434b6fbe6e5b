/**
 * AUTH (RFC 4954): carries a SASL exchange over a channel.
 *
 *     AUTH CRAM-MD5        334 PDQxOTI5NDIzNDEuMTI4Mjg0NzJAc291cmNlZm91ci5hbmRyZXcuY211LmVkdT4=
 *     cmpzMyBlYzNhNTlm…    235 2.7.0 Authentication successful
 *
 * A refusal that is about the mechanism (504, 534, 538) lets the next best be tried. A refusal of the password does
 * not: it would be told again, in a weaker form, to somebody who may only be fishing for it.
 */
import { DeliveryError, type DeliveryProblem, safeText } from '../delivery/delivery-error.ts'
import type { Reply } from './smtp-replies.ts'
import { type Credentials, saslExchange } from './sasl.ts'
import { SaslError, type SaslExchange } from './sasl-exchange.ts'
import type { SmtpAttempt } from './smtp-attempt.ts'
import type { SmtpChannel } from './smtp-channel.ts'
import { type AuthMechanism, isTemporary, refusesMechanism, usableMechanisms } from './smtp-policy.ts'

/** RFC 5321 4.5.3.1.4: a command line has up to 512 octets. A longer AUTH waits for its prompt first. */
const AUTH_LINE_CHARS_MAX = 500
/** No mechanism of ours has more challenges. */
const CHALLENGES_MAX = 4

export interface Login {
  readonly user: string
  readonly password: string
}

/** For XOAUTH2: the access token is asked for anew at each login, since it lasts an hour or so. */
export interface TokenLogin {
  readonly user: string
  readonly token: () => Promise<string>
}

export interface AuthSettings {
  readonly login: Login | TokenLogin
  readonly offered: readonly string[]
  readonly mayTellPassword: boolean
  readonly nonce: () => string
}

/** Logs in. Rejects with a DeliveryError, always a temporary one: the mail is not at fault. */
export async function authenticate(channel: SmtpChannel, settings: AuthSettings, attempt: SmtpAttempt): Promise<void> {
  const { login, offered, mayTellPassword, nonce } = settings
  const hasToken = 'token' in login
  const mechanisms = usableMechanisms({ offered, hasToken, mayTellPassword })
  if (mechanisms.length === 0) {
    const { text, problem } = nothingUsable(settings, hasToken)
    throw channel.error(text, { temporary: true, stage: 'auth', problem })
  }
  const secret = hasToken ? await tokenOf(login, channel, attempt) : login.password
  hideAll(channel, [secret])
  let refusal: Reply | undefined
  for (const mechanism of mechanisms) {
    refusal = await logIn(channel, mechanism, { user: login.user, secret }, nonce)
    if (refusal === undefined) return
    if (!refusesMechanism(refusal.code)) break
  }
  const code = refusal?.code ?? 0
  throw channel.error('expected 235', {
    temporary: isTemporary('auth', code),
    stage: 'auth',
    ...(refusal === undefined ? {} : { reply: refusal }),
  })
}

interface Unusable {
  readonly text: string
  readonly problem: DeliveryProblem
}

function nothingUsable({ offered }: AuthSettings, hasToken: boolean): Unusable {
  if (usableMechanisms({ offered, hasToken, mayTellPassword: true }).length > 0) {
    const what = hasToken ? 'the token' : 'the password'
    const text = `the server offers only ways to log in that would tell ${what} to whoever listens (AUTH ${shown(offered)})`
    return { text, problem: 'login-in-clear' }
  }
  if (offered.length === 0) return { text: 'a user is set, and the server does not offer AUTH', problem: 'no-login' }
  const wanted = hasToken ? 'XOAUTH2' : 'SCRAM-SHA-256, CRAM-MD5, PLAIN or LOGIN'
  return {
    text: `a user is set, expected AUTH ${wanted}, the server offers ${shown(offered)}`,
    problem: 'no-mechanism',
  }
}

function shown(offered: readonly string[]): string {
  return safeText(offered.join(' '), [])
}

/** Gives the server's refusal, or undefined when it said welcome and proved what it had to. */
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
  if (first !== undefined) hideAll(channel, [first])
  const line = first === undefined ? `AUTH ${mechanism}` : `AUTH ${mechanism} ${first}`
  let reply: Reply
  if (first !== undefined && line.length <= AUTH_LINE_CHARS_MAX) {
    reply = await channel.command('auth', line, `AUTH ${mechanism} ***`)
    first = undefined
  } else reply = await channel.command('auth', `AUTH ${mechanism}`)

  for (let challenges = 0; isChallenge(reply); challenges++) {
    if (challenges === CHALLENGES_MAX) throw channel.error('the login does not end', { temporary: true, reply })
    const response = first ?? base64(await respond(channel, exchange, reply))
    first = undefined
    hideAll(channel, [response])
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

function isChallenge({ code }: Reply): boolean {
  return code === 334
}

async function respond(channel: SmtpChannel, exchange: SaslExchange, { lines }: Reply): Promise<string> {
  try {
    return await exchange.respond(Buffer.from(lines.join(''), 'base64').toString())
  } catch (error) {
    const failure = loginError(channel, error)
    // RFC 4954 section 4: an asterisk calls the exchange off. What the server says to that changes nothing.
    await channel.command('quit', '*').catch(() => {})
    throw failure
  }
}

function loginError(channel: SmtpChannel, error: unknown): Error {
  if (!(error instanceof SaslError)) return error instanceof Error ? error : new Error(String(error))
  return channel.error(error.message, { temporary: true, stage: 'auth', problem: 'odd-login', cause: error })
}

/** Asks for the token, for as long as the attempt lasts. */
async function tokenOf(login: TokenLogin, channel: SmtpChannel, attempt: SmtpAttempt): Promise<string> {
  const problem = (text: string, cause?: unknown): DeliveryError =>
    channel.error(text, { temporary: true, stage: 'auth', problem: 'no-token', cause })
  const ended = Promise.withResolvers<never>()
  const leave = attempt.onEnd(() => ended.reject(problem(attempt.problem ?? 'it is over')))
  try {
    const token = await Promise.race([login.token(), ended.promise])
    // A control character would end the token, or the line.
    if (!/^[\x21-\x7e]+$/.test(token)) throw new Error('it is empty or has signs that no token has')
    return token
  } catch (error) {
    if (error instanceof DeliveryError) throw error
    const reason = error instanceof Error ? safeText(error.message, []) : 'an error'
    throw problem(`there is no access token to log in with (${reason})`, error)
  } finally {
    leave()
  }
}

/** Hides what was or will be sent, as it is and as it travels. */
function hideAll(channel: SmtpChannel, secrets: readonly string[]): void {
  for (const secret of secrets.filter((text) => text !== '')) {
    channel.hide(base64(secret))
    channel.hide(secret)
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
