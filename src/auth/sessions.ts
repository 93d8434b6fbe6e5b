/**
 * Who is calling: from the Authorization header to a user.
 *
 * A token holds when its signature and its times do, when it was not signed out, and when its user is still there.
 * Roles are read from the stored user at each request, never from the token. Every way to fail gives the same answer.
 */
import { setNewest } from '../base/bounded-map.ts'
import { DAY_MS, MINUTE_MS } from '../base/duration.ts'
import { fail } from '../base/failure.ts'
import type { NewId } from '../base/ids.ts'
import type { Exchange } from '../http/request/exchange.ts'
import type { Caller } from '../models/caller.ts'
import { anyCaller, SYSTEM, type CallerClaim, type Requester, type Visitor } from '../store/actor.ts'
import { ENDED_MEANWHILE, signInFirst } from '../store/sqlite/authority.ts'
import type { AccountStore, SessionRecord, Writable } from '../store/store.ts'
import { signToken, tokenVerifier } from './jwt.ts'
import type { Keys } from './keys.ts'

export interface Session extends Requester {
  /** The JSON text of the stored user. */
  readonly user: string
  readonly claim: CallerClaim
  /** The caller with the roles of now. Throws unauthorized where the session has ended meanwhile. */
  current(now: number): Promise<Caller>
}

/** The parts of a request that identify its sender. */
export type Signed = Pick<Exchange, 'headers' | 'clientAddress' | 'requestId'>

/** In whose name a request writes that needs no session. */
export function visitorOf({ clientAddress, requestId }: Signed): Visitor {
  return { kind: 'visitor', origin: { clientAddress, requestId } }
}

export interface TokenSettings {
  readonly lifetimeMs: number
  readonly issuer: string
}

export interface SessionRequest {
  /** Where it is used or what for, as the list of sessions shows it; cut to a length and cleaned. */
  readonly label: string
  readonly now: number
  /** The usual lifetime stands in. */
  readonly lifetimeMs?: number
}

export interface Sessions {
  /** The session of a request. Throws unauthorized where there is none. */
  require(request: Signed, now: number): Promise<Session>
  /** The session of a request, or undefined: a bad token counts as none. */
  find(request: Signed, now: number): Promise<Session | undefined>
  /** A session for whoever the store finds out to be its user. */
  open(request: SessionRequest): SessionRecord
  /** The access token of a session that the store has taken. */
  token(userId: string, session: SessionRecord): string
  /** Both at once, for a user whose id is known. Throws notFound where the user is gone. */
  issue(userId: string, request: SessionRequest): Promise<string>
  /**
   * The same for this run of the program only: the next one refuses whatever is left of it, however this one ends.
   * Earlier ones of the user leave the list of sessions.
   */
  issueForRun(userId: string, request: SessionRequest): Promise<string>
  /** Ends the session: its token is refused from now on. Throws unauthorized where it ended meanwhile. */
  end(session: Session, now: number): Promise<void>
}

/** A User-Agent of Edge has 125. */
const LABEL_CHARS_MAX = 200
/** What is looked at of a longer one. */
const RAW_LABEL_CHARS_MAX = 1_000
const KNOWN_CALLERS_MAX = 10_000
const KNOWN_SESSIONS_MAX = 50_000
const USED_STEP_MS = 5 * MINUTE_MS
const GUEST_RETRY_MS = MINUTE_MS
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
    setNewest(known, id, { user, caller }, KNOWN_CALLERS_MAX)
    return caller
  }
}

/**
 * Stores once a day that a guest was here. After a failure no guest is written for a while: on a full disk, not every
 * request tries again.
 */
function guestWatch(store: Writable): (id: string, now: number) => void {
  const days = new Map<string, number>()
  let failedAt = Number.NEGATIVE_INFINITY
  return (id, now) => {
    const day = Math.floor(now / DAY_MS)
    if (days.get(id) === day || Math.abs(now - failedAt) < GUEST_RETRY_MS) return
    setNewest(days, id, day, KNOWN_CALLERS_MAX)
    store
      .as(SYSTEM)
      .seeGuest(id, now)
      .catch(() => {
        days.delete(id)
        failedAt = now
      })
  }
}

/**
 * Has the store remember when each session was used, to within USED_STEP_MS, so that reads stay reads. What fails is
 * made good a step later: on a full disk, not every request tries again.
 */
function useWatch(store: Writable): { opened(jti: string, now: number): void; used(jti: string, now: number): void } {
  const steps = new Map<string, number>()
  const opened = (jti: string, now: number): void => setNewest(steps, jti, now, KNOWN_SESSIONS_MAX)
  return {
    opened,
    used(jti, now) {
      const last = steps.get(jti)
      if (last !== undefined && Math.abs(now - last) < USED_STEP_MS) return
      opened(jti, now)
      store
        .as(SYSTEM)
        .useSession(jti, now)
        .catch(() => {})
    },
  }
}

/** Opens the id of a token that holds for one run; the rest of the id names the run. */
const RUN_TOKEN = 'run-'

export interface SessionsOptions {
  readonly store: AccountStore & Writable
  readonly keys: Keys
  readonly settings: TokenSettings
  readonly newId: NewId
  /** Names this run of the program. */
  readonly instance: string
}

export function createSessions({ store, keys, settings, newId, instance }: SessionsOptions): Sessions {
  const ownRun = `${RUN_TOKEN}${instance}`
  const verify = tokenVerifier({ keys: keys.signing, issuer: settings.issuer })
  const callerOf = callerReader()
  const seen = guestWatch(store)
  const uses = useWatch(store)
  const identify = async (request: Signed, now: number): Promise<Session | string> => {
    const { headers } = request
    const token = BEARER.exec(headers.authorization ?? '')?.[1]
    if (token === undefined) return headers.authorization === undefined ? 'no token' : 'no bearer token'
    const claims = verify(token, now)
    if (typeof claims === 'string') return claims
    if (claims.jti.startsWith(RUN_TOKEN) && claims.jti !== ownRun) return 'of another run of the program'
    const claim = { userId: claims.sub, jti: claims.jti, iat: claims.iat, expiresAt: claims.exp * 1000 }
    const user = await store.caller(claim)
    if (user === undefined) return 'ended, or its user is gone'
    const caller = callerOf(claims.sub, user)
    if (caller.appRole === 'guestUser') seen(caller.id, now)
    uses.used(claims.jti, now)
    return {
      caller,
      user,
      claim,
      acting(judge) {
        const { clientAddress, requestId } = request
        return { kind: 'caller', claim, judge, origin: { clientAddress, requestId } }
      },
      async current(time) {
        const text = claim.expiresAt > time ? await store.caller(claim) : undefined
        if (text === undefined) throw signInFirst(ENDED_MEANWHILE)
        return callerOf(claim.userId, text)
      },
    }
  }
  const open = ({ label, now, lifetimeMs = settings.lifetimeMs }: SessionRequest, jti = newId()): SessionRecord => {
    const expiresAt = (Math.floor(now / 1000) + Math.floor(lifetimeMs / 1000)) * 1000
    return { jti, label: cleanLabel(label), createdAt: now, expiresAt }
  }
  const token = (userId: string, { jti, createdAt, expiresAt }: SessionRecord): string => {
    // Not before: sign-ins that fail open sessions as well, and would push out those that are in use.
    uses.opened(jti, createdAt)
    const [iat, exp] = [Math.floor(createdAt / 1000), expiresAt / 1000]
    return signToken({ sub: userId, iat, exp, iss: settings.issuer, jti }, keys.signing[0])
  }
  const add = async (userId: string, session: SessionRecord): Promise<string> => {
    if ((await store.as(SYSTEM).addSession(userId, session)) === 'added') return token(userId, session)
    throw fail('notFound', 'There is no such user')
  }
  return {
    async require(request, now) {
      const session = await identify(request, now)
      if (typeof session !== 'string') return session
      throw signInFirst(session)
    },
    async find(request, now) {
      const session = await identify(request, now)
      return typeof session === 'string' ? undefined : session
    },
    open,
    token,
    issue: (userId, request) => add(userId, open(request)),
    async issueForRun(userId, request) {
      for (const { jti } of await store.sessionsOf(userId, request.now)) {
        if (jti.startsWith(RUN_TOKEN)) await store.as(SYSTEM).endSession(userId, jti, request.now)
      }
      return add(userId, open(request, ownRun))
    },
    end: ({ claim, acting }, now) =>
      store.as(acting(anyCaller)).revoke({ jti: claim.jti, expiresAt: claim.expiresAt, now }),
  }
}

/** A User-Agent is whatever a client sends: control characters, marks of direction, 64 KB. */
function cleanLabel(label: string): string {
  const clean = label
    .slice(0, RAW_LABEL_CHARS_MAX)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  // By code points, so that no half of a character is left.
  return [...clean].slice(0, LABEL_CHARS_MAX).join('')
}
