/** The six account endpoints: bodies in, replies out. Who may call and how often stands in routes.ts. */
import { describe, fail } from '../base/failure.ts'
import { writeJson, type JsonObject } from '../base/json.ts'
import type { Clock } from '../base/clock.ts'
import { readEmail, type Accounts, type SignInResult } from '../auth/accounts.ts'
import type { Limits } from '../auth/limits.ts'
import { visitorOf, type Session, type Sessions } from '../auth/sessions.ts'
import { parseAcceptLanguage } from '../http/request/accept-language.ts'
import { accepted, noContent, ok, type Exchange, type HttpResponse } from '../http/request/exchange.ts'

/**
 * A body has an address, a code and a flag. Reading the two megabytes of a document takes a good part of a second, and
 * here everybody may send one after the other without having signed in.
 */
const BODY = { bytesMax: 16 * 1024, isShort: true }

export interface AuthServices {
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly limits: Limits
  readonly now: Clock
  /** Called when a message was put into the outbox. */
  readonly wakeCourier: () => void
}

export interface AuthRoutes {
  requestCode(exchange: Exchange): Promise<HttpResponse>
  verifyCode(exchange: Exchange): Promise<HttpResponse>
  anonymous(exchange: Exchange): Promise<HttpResponse>
  me(exchange: Exchange, session: Session): HttpResponse
  signOut(exchange: Exchange, session: Session): Promise<HttpResponse>
  deleteAccount(exchange: Exchange, session: Session): Promise<HttpResponse>
}

export function authRoutes({ accounts, sessions, limits, now, wakeCourier }: AuthServices): AuthRoutes {
  return {
    async requestCode(exchange) {
      const body = await exchange.readJson(BODY)
      const [email, dashboard] = [readEmail(body['email']), readDashboardFlag(body)]
      await limits.requestCodeFor(email, now())
      const languages = parseAcceptLanguage(exchange.headers['accept-language'])
      await accounts.requestCode({ visitor: visitorOf(exchange), email, dashboard, languages, now: now() })
      wakeCourier()
      return accepted()
    },
    async verifyCode(exchange) {
      const body = await exchange.readJson(BODY)
      const [email, code, dashboard] = [readEmail(body['email']), body['code'], readDashboardFlag(body)]
      if (typeof code !== 'string') throw fail('invalidInput', 'code: expected a string of six digits')
      const session = await sessions.find(exchange, now())
      const [visitor, client] = [visitorOf(exchange), clientOf(exchange)]
      return signedIn(await accounts.verifyCode({ visitor, email, code, dashboard, client, session, now: now() }))
    },
    async anonymous(exchange) {
      // Of what is no JSON nobody wants anything; JSON has to be an object here as everywhere.
      if (/^application\/json\b/i.test(exchange.headers['content-type'] ?? ''))
        await exchange.readJson({ ...BODY, optional: true })
      const [visitor, client] = [visitorOf(exchange), clientOf(exchange)]
      return signedIn(await accounts.signInAnonymously({ visitor, client, now: now() }))
    },
    me: (_exchange, { user }) => ok(user),
    async signOut(_exchange, session) {
      await sessions.end(session, now())
      return noContent()
    },
    async deleteAccount(_exchange, session) {
      await accounts.deleteOwn(session, now())
      return noContent()
    },
  }
}

/** The clients send it always; older ones not at all. */
function readDashboardFlag(body: JsonObject): boolean {
  const flag = body['isDashboardLogin']
  if (flag === undefined || typeof flag === 'boolean') return flag ?? false
  throw fail('invalidInput', `isDashboardLogin: expected true or false, found ${describe(flag)}`)
}

function clientOf({ headers }: Exchange): string {
  return headers['user-agent'] ?? ''
}

function signedIn({ user, token }: SignInResult): HttpResponse {
  return ok(`{"user":${writeJson(user)},"token":${JSON.stringify(token)}}`)
}
