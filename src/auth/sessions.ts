/**
 * Who is calling: from the Authorization header to a user.
 *
 * A token holds when its signature and its times do, when it was not signed out, and when its user is still there.
 * Roles are read from the stored user at each request, never from the token. Every way to fail gives the same answer.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { fail } from '../base/failure.ts'
import type { NewId } from '../base/ids.ts'
import type { Caller } from '../models/caller.ts'
import type { AccountStore } from '../store/store.ts'
import { signToken, tokenVerifier } from './jwt.ts'
import type { Keys } from './keys.ts'

export interface Session {
  readonly caller: Caller
  /** The JSON text of the stored user. */
  readonly user: string
  readonly jti: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

export interface TokenSettings {
  readonly lifetimeMs: number
  readonly issuer: string
}

export interface Sessions {
  /** The session of a request. Throws unauthorized where there is none. */
  require(headers: IncomingHttpHeaders, now: number): Promise<Session>
  /** The session of a request, or undefined: a bad token counts as none. */
  find(headers: IncomingHttpHeaders, now: number): Promise<Session | undefined>
  issueToken(userId: string, now: number): string
  /** Ends the session: its token is refused from now on. */
  end(session: Session, now: number): Promise<void>
}

const KNOWN_CALLERS_MAX = 10_000
/** RFC 6750 section 2.1; the scheme in any case (RFC 9110 section 11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** Parses the text of a user, once for as long as it stays the same: most requests come from a few busy callers. */
function callerReader(): (id: string, user: string) => Caller {
  const known = new Map<string, { readonly user: string; readonly caller: Caller }>()
  return (id, user) => {
    const before = known.get(id)
    if (before?.user === user) return before.caller
    const { appRole, dashboardRole } = JSON.parse(user) as Caller
    const caller = { id, appRole, dashboardRole }
    const [oldest] = known.keys()
    if (known.size >= KNOWN_CALLERS_MAX && oldest !== undefined) known.delete(oldest)
    known.set(id, { user, caller })
    return caller
  }
}

export function createSessions(store: AccountStore, keys: Keys, settings: TokenSettings, newId: NewId): Sessions {
  const verify = tokenVerifier({ keys: keys.signing, issuer: settings.issuer })
  const callerOf = callerReader()
  const identify = async (headers: IncomingHttpHeaders, now: number): Promise<Session | string> => {
    const token = BEARER.exec(headers.authorization ?? '')?.[1]
    if (token === undefined) return headers.authorization === undefined ? 'no token' : 'no bearer token'
    const claims = verify(token, now)
    if (typeof claims === 'string') return claims
    const user = await store.caller(claims.sub, claims.jti)
    if (user === undefined) return 'revoked, or its user is gone'
    return { caller: callerOf(claims.sub, user), user, jti: claims.jti, expiresAt: claims.exp * 1000 }
  }
  return {
    async require(headers, now) {
      const session = await identify(headers, now)
      if (typeof session !== 'string') return session
      throw fail('unauthorized', 'Sign in first: the access token is missing, invalid or expired', {
        cause: session,
        headers: { 'WWW-Authenticate': 'Bearer' },
      })
    },
    async find(headers, now) {
      const session = await identify(headers, now)
      return typeof session === 'string' ? undefined : session
    },
    issueToken(userId, now) {
      const iat = Math.floor(now / 1000)
      const exp = iat + Math.floor(settings.lifetimeMs / 1000)
      return signToken({ sub: userId, iat, exp, iss: settings.issuer, jti: newId() }, keys.signing[0])
    },
    end: ({ jti, expiresAt }, now) => store.revoke({ jti, expiresAt, now }),
  }
}
