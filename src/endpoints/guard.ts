/**
 * From endpoints to routes: who may call each is decided here, before its handler sees the request.
 *
 * The order is that in which a request is checked: the state of the log that it wants (503), a session where one is required (401), the role (403), the limit
 * (429), then the handler with everything that needs the model or the body.
 */
import type { Limits } from '../auth/limits.ts'
import type { Session, Sessions } from '../auth/sessions.ts'
import { withValue, type Awaitable } from '../base/awaitable.ts'
import { assertNever } from '../base/failure.ts'
import type { Clock } from '../base/clock.ts'
import { requireAdministrator, requireEditor, requireScope, requireSignIn, requireWholeToken } from '../content/rules/access.ts'
import { limitKey } from '../http/request/client-address.ts'
import type { Exchange, HttpResponse } from '../http/request/exchange.ts'
import type { Route } from '../http/server/router.ts'
import { hasDashboard, type ScopeName } from '../models/caller.ts'
import type { Access, Described, Endpoint } from './endpoint.ts'
import type { PositionGate } from './position-gate.ts'

/**
 * The body of a guest's data request. Preferences at the limits of a guest, with ten headlines of 2.5 KB, saved filters
 * and whole sources, are less than half of it.
 */
const GUEST_BODY_BYTES_MAX = 256 * 1024

interface Guard {
  readonly sessions: Pick<Sessions, 'require' | 'find'>
  readonly limits: Pick<Limits, 'requestCodeFrom' | 'guestFrom' | 'dataRequest' | 'dataBody'>
  readonly now: Clock
  /** On a node of a cluster: lets requests wait for the state that they want. */
  readonly positions?: PositionGate | undefined
}

export function routesOf<S>(
  endpoints: readonly Endpoint<S>[],
  service: S,
  guard: Guard,
): readonly Route[] {
  const { positions } = guard
  return endpoints.map((endpoint) => {
    const { method, path, tag, access, token, serve, forVisitors } = endpoint
    const reach = reachOf(endpoint)
    const handler = (exchange: Exchange): Awaitable<HttpResponse> => {
      if (forVisitors?.applies(service, exchange) === true) {
        return withValue(admit('visitor', exchange, guard, reach), () => forVisitors.serve(service, exchange))
      }
      if (token === 'optional' && reach === 'none') refuseToken(exchange, guard)
      return withValue(admit(access, exchange, guard, reach), (session) => serve(service, exchange, session))
    }
    // What tells how the node is doing works in every state of it.
    if (positions === undefined || tag === 'Operation') return { method, path, handler }
    return { method, path, handler: (exchange) => withValue(positions.admit(exchange), () => handler(exchange)) }
  })
}

/** The session of a request that may go on; undefined where none is needed. Throws what keeps it from going on. */
function admit(access: Access, exchange: Exchange, guard: Guard, reach: TokenReach): Awaitable<Session | undefined> {
  const { limits, now } = guard
  switch (access) {
    case 'public':
      return undefined
    case 'visitor': {
      const address = limitKey(exchange.clientAddress)
      limits.dataRequest(address, now())
      exchange.setBodyTerms({ weigh: (bytes, before) => limits.dataBody(address, now(), bytes, before) })
      return undefined
    }
    case 'codeRequest':
      return limits.requestCodeFrom(limitKey(exchange.clientAddress), now()).then(() => undefined)
    case 'guestSignIn':
      return limits.guestFrom(limitKey(exchange.clientAddress), now()).then(() => undefined)
    case 'user':
      return sessionOf(exchange, guard, reach)
    case 'limitedUser': {
      const session = sessionOf(exchange, guard, reach)
      countDataRequest(exchange, session, guard)
      return session
    }
    case 'editor': {
      const session = sessionOf(exchange, guard, reach)
      requireEditor(session.caller)
      return session
    }
    case 'administrator': {
      const session = sessionOf(exchange, guard, reach)
      if (typeof reach === 'string') requireAdministrator(session.caller)
      else requireScope(reach.scope)(session.caller)
      return session
    }
    default:
      return assertNever(access)
  }
}

/**
 * Which tokens of the API reach an endpoint: all but those with scopes, those that are not narrowed at all, those and the ones
 * with its scope, or none.
 */
type TokenReach = 'documents' | 'whole' | { readonly scope: ScopeName } | 'none'

/** An account is that of a person: a token neither renews nor ends a sign-in. */
function reachOf({ tag, scope, reach }: Described): TokenReach {
  if (scope !== undefined) return { scope }
  return reach ?? (tag === 'Accounts' ? 'none' : 'whole')
}

function requireReach(reach: TokenReach, caller: Session['caller']): void {
  if (reach === 'none') requireSignIn(caller)
  if (reach === 'whole' || (reach === 'documents' && caller.scope?.scopes !== undefined)) requireWholeToken(caller)
}

/** Throws forbidden for a token of the API where a sign-in may be sent along. One that is not valid is ignored here. */
function refuseToken(exchange: Exchange, { sessions, now }: Guard): void {
  const session = sessions.find(exchange, now())
  if (session !== undefined) requireSignIn(session.caller)
}

/** Throws unauthorized where there is none. Callers with a dashboard role may use the reserve of memory for bodies. */
function sessionOf(exchange: Exchange, { sessions, now }: Guard, reach: TokenReach): Session {
  const session = sessions.require(exchange, now())
  const { caller } = session
  if (caller.byToken === true) requireReach(reach, caller)
  exchange.addLogFields({ user: caller.id })
  exchange.setBodyTerms({ caller: caller.id, usesReserve: hasDashboard(caller) })
  return session
}

/** Callers with a dashboard role have no limit. */
function countDataRequest(exchange: Exchange, { caller }: Session, { limits, now }: Guard): void {
  if (hasDashboard(caller)) return
  limits.dataRequest(caller.id, now())
  if (caller.appRole === 'guestUser') exchange.setBodyTerms({ bytesMax: GUEST_BODY_BYTES_MAX, from: 'a guest' })
  exchange.setBodyTerms({ weigh: (bytes, before) => limits.dataBody(caller.id, now(), bytes, before) })
}
