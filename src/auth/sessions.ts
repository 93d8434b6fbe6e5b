/**
 * Sessions: from the Authorization header to the caller. Roles are read from the stored user at each request, never
 * from the token. Every failure has the same response.
 */
import { setNewest } from '../base/bounded-map.ts'
import { fail } from '../base/failure.ts'
import type { NewId } from '../base/ids.ts'
import type { Exchange } from '../http/exchange.ts'
import { createCallerReader, KNOWN_CALLERS_MAX, type Caller, type CallerReader } from '../models/caller.ts'
import { anyCaller, SYSTEM, type CallerClaim, type Requester, type Visitor } from '../store/actor.ts'
import { ENDED_MEANWHILE, signInFirst } from '../store/writes/actor-transactions.ts'
import { createActivity, type Activity } from './activity.ts'
import { API_TOKEN_PREFIX, hashOfApiToken, isApiToken } from './api-token-text.ts'
import { signToken, tokenVerifier } from './jwt.ts'
import type { Keys } from './keys.ts'
import type { SessionRecord } from '../store/accounts/session-table.ts'
import type { Store } from '../store/store.ts'
import type { ReadStore } from '../store/read-store.ts'
import type { Writable } from '../store/writes/writer.ts'

export interface Session extends Requester {
  /** The JSON text of the stored user. */
  readonly user: string
  readonly claim: CallerClaim
  /** The caller with the roles of now. Throws unauthorized where the session has ended meanwhile. */
  current(now: number): Caller
}

/** The parts of a request that identify its sender. */
export type Signed = Pick<Exchange, 'headers' | 'clientAddress' | 'requestId'>

/** The actor of a request that needs no session. */
export function visitorOf({ clientAddress, requestId }: Signed): Visitor {
  return { kind: 'visitor', origin: { clientAddress, requestId } }
}

interface NewSession {
  /** The client or the purpose, as the list of sessions shows it; cut to a length and cleaned. */
  readonly label: string
  readonly now: number
  /** The default is that of the settings. */
  readonly lifetimeMs?: number
}

/** A User-Agent of Edge has 125. */
const LABEL_CHARS_MAX = 200
const RAW_LABEL_CHARS_MAX = 1_000
/** Of an Authorization header that is remembered: ours have 300. */
const KNOWN_HEADER_CHARS_MAX = 1_000
/** RFC 6750 section 2.1; the scheme in any case (RFC 9110 section 11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** Prefix of the id of a token that is valid for one run; the rest of the id names the run. */
const RUN_TOKEN = 'run-'

interface SessionsOptions {
  readonly store: Pick<Store, 'accounts' | 'versions'> & Writable
  readonly keys: Keys
  readonly settings: { readonly lifetimeMs: number; readonly issuer: string }
  readonly newId: NewId
  readonly instance: string
}

export type Sessions = ReturnType<typeof createSessions>

export function createSessions({ store, keys, settings, newId, instance }: SessionsOptions) {
  const activity = createActivity({
    seeGuest: (id, now) => store.as(SYSTEM).seeGuest(id, now),
    useSession: (jti, now) => store.as(SYSTEM).useSession(jti, now),
  })

  function open({ label, now, lifetimeMs = settings.lifetimeMs }: NewSession, jti = newId()): SessionRecord {
    const expiresAt = (Math.floor(now / 1000) + Math.floor(lifetimeMs / 1000)) * 1000
    return { jti, label: cleanLabel(label), createdAt: now, expiresAt }
  }

  function token(userId: string, { jti, createdAt, expiresAt }: SessionRecord): string {
    // Not before: sign-ins that fail open sessions as well, and would evict those that are in use.
    activity.sessionOpened(jti, createdAt)
    const [iat, exp] = [Math.floor(createdAt / 1000), expiresAt / 1000]
    return signToken({ sub: userId, iat, exp, iss: settings.issuer, jti }, keys.signing[0])
  }

  async function add(userId: string, session: SessionRecord): Promise<string> {
    if ((await store.as(SYSTEM).addSession(userId, session)) === 'added') return token(userId, session)
    throw fail('notFound', 'There is no such user')
  }

  return {
    ...createSessionReader({ store, activity, keys: keys.signing, issuer: settings.issuer, instance }),
    /** What other threads see of activity is stored like what this one sees. */
    activity,
    /** A session for a user that the store will identify. */
    open: (session: NewSession): SessionRecord => open(session),
    /** The access token of a session that the store has taken. */
    token,
    issue: (userId: string, session: NewSession): Promise<string> => add(userId, open(session)),
    /**
     * The same for this run of the program only: the next run rejects the token, however this one ends. Earlier ones of
     * the user leave the list of sessions.
     */
    async issueForRun(userId: string, session: NewSession): Promise<string> {
      for (const { jti } of store.accounts.sessionsOf(userId, session.now)) {
        if (jti.startsWith(RUN_TOKEN)) await store.as(SYSTEM).endSession(userId, jti, session.now)
      }
      return add(userId, open(session, runToken(instance)))
    },
    /**
     * A new token of the same lifetime; that of the session ends in the same transaction. Throws unauthorized where it
     * ended meanwhile, forbidden for a token that is valid for one run only.
     */
    async refresh({ claim, acting }: Session, { label, now }: Omit<NewSession, 'lifetimeMs'>): Promise<string> {
      const { userId, jti, iat, expiresAt } = claim
      if (jti.startsWith(RUN_TOKEN)) throw fail('forbidden', 'The token of one run of the program cannot be refreshed')
      const session = open({ label, now, lifetimeMs: expiresAt - iat * 1000 })
      await store.as(acting(anyCaller)).replaceSession(userId, { jti, iat, expiresAt }, session)
      return token(userId, session)
    },
    /** Ends all sessions of the user but this one. Returns how many listed ones had not expired. */
    endOthers({ claim, acting }: Session, { label, now }: Omit<NewSession, 'lifetimeMs'>): Promise<number> {
      const { userId, jti, iat, expiresAt } = claim
      const kept = { jti, label: cleanLabel(label), createdAt: iat * 1000, expiresAt }
      return store.as(acting(anyCaller)).endOtherSessions(userId, kept, now)
    },
    /** Ends the session: its token is rejected from now on. Throws unauthorized where it ended meanwhile. */
    end: ({ claim, acting }: Session, now: number): Promise<void> =>
      store.as(acting(anyCaller)).revoke({ jti: claim.jti, expiresAt: claim.expiresAt, now }),
  }
}

interface SessionReaderOptions {
  readonly store: Pick<ReadStore, 'accounts' | 'versions'>
  readonly activity: Pick<Activity, 'guestSeen' | 'sessionUsed'>
  readonly keys: Keys['signing']
  readonly issuer: string
  readonly instance: string
}

/** The sessions of requests, in a thread that need not be able to write. */
export function createSessionReader({ store, activity, keys, issuer, instance }: SessionReaderOptions) {
  const verify = tokenVerifier({ keys, issuer })
  const readCaller = createCallerReader()
  /** The caller of a claim with the roles of a time. */
  const currentOf = (claim: CallerClaim) => (time: number) => {
    const text = claim.expiresAt > time ? store.accounts.caller(claim) : undefined
    if (text === undefined) throw signInFirst(ENDED_MEANWHILE)
    return readCaller(claim, text)
  }
  const identify = createIdentification(store, activity, { verify, ownRun: runToken(instance), readCaller, currentOf })
  return {
    /** The session that a ticket names. Throws unauthorized where it has ended. */
    ofClaim(claim: CallerClaim, now: number): Pick<Session, 'caller' | 'current'> {
      const current = currentOf(claim)
      return { caller: current(now), current }
    },
    /** The session of a request. Throws unauthorized where it has none. */
    require(request: Signed, now: number): Session {
      const session = identify(request, now)
      if (typeof session !== 'string') return session
      throw signInFirst(session)
    },
    /** The session of a request; undefined where it has none, also for an invalid token. */
    find(request: Signed, now: number): Session | undefined {
      const session = identify(request, now)
      return typeof session === 'string' ? undefined : session
    },
  }
}

function runToken(instance: string): string {
  return `${RUN_TOKEN}${instance}`
}

/** What was found for an Authorization header, true for as long as nothing in the database has changed. */
interface Identified {
  /** The number of the store at which it was read. */
  readonly changes: number
  readonly token: string
  readonly claim: CallerClaim
  readonly user: string
  readonly caller: Caller
}

interface IdentificationParts {
  readonly verify: ReturnType<typeof tokenVerifier>
  readonly ownRun: string
  readonly readCaller: CallerReader
  readonly currentOf: (claim: CallerClaim) => Session['current']
}

/** Returns the function from a request to its session, or to the reason why it has none. */
function createIdentification(
  store: SessionReaderOptions['store'],
  { guestSeen, sessionUsed }: SessionReaderOptions['activity'],
  { verify, ownRun, readCaller, currentOf }: IdentificationParts,
) {
  const known = new Map<string, Identified>()

  function claimOfSignIn(token: string, now: number): CallerClaim | string {
    const claims = verify(token, now)
    if (typeof claims === 'string') return claims
    if (claims.jti.startsWith(RUN_TOKEN) && claims.jti !== ownRun) return 'of another run of the program'
    return { userId: claims.sub, jti: claims.jti, iat: claims.iat, expiresAt: claims.exp * 1000 }
  }

  function claimOfApiToken(token: string): CallerClaim | string {
    const found = isApiToken(token) ? store.accounts.apiToken(hashOfApiToken(token)) : undefined
    if (found === undefined) return 'no token of the API, or revoked'
    const { id, userId, createdAt, expiresAt, limits } = found
    return { userId, jti: id, iat: Math.floor(createdAt / 1000), expiresAt, apiToken: limits }
  }

  function identify(authorization: string | undefined, now: number): Identified | string {
    if (authorization === undefined) return 'no token'
    const changes = store.versions.changes()
    const before = known.get(authorization)
    const token = before?.token ?? BEARER.exec(authorization)?.[1]
    if (token === undefined) return 'no bearer token'
    const isUnchanged = before?.changes === changes
    const claim = token.startsWith(API_TOKEN_PREFIX) ? (isUnchanged ? before.claim : claimOfApiToken(token)) : claimOfSignIn(token, now)
    if (typeof claim === 'string') return claim
    if (claim.expiresAt <= now) return 'expired'
    if (isUnchanged) return before
    const user = store.accounts.caller(claim)
    if (user === undefined) return 'ended, or its user is gone'
    const identified = { changes, token, claim, user, caller: readCaller(claim, user) }
    if (authorization.length <= KNOWN_HEADER_CHARS_MAX) setNewest(known, authorization, identified, KNOWN_CALLERS_MAX)
    return identified
  }

  return (request: Signed, now: number): Session | string => {
    const identified = identify(request.headers.authorization, now)
    if (typeof identified === 'string') return identified
    const { caller, user, claim } = identified
    if (caller.appRole === 'guestUser') guestSeen(caller.id, now)
    sessionUsed(claim.jti, now)
    return {
      caller,
      user,
      claim,
      acting(authorize) {
        const { clientAddress, requestId } = request
        return { kind: 'caller', claim, authorize, origin: { clientAddress, requestId } }
      },
      current: currentOf(claim),
    }
  }
}

/** A client may send anything as User-Agent: control characters, marks of direction, 64 KB. */
function cleanLabel(label: string): string {
  const clean = label
    .slice(0, RAW_LABEL_CHARS_MAX)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  // By code points: half of a surrogate pair must not be left.
  return [...clean].slice(0, LABEL_CHARS_MAX).join('')
}
