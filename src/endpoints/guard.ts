/**
 * From endpoints to routes: who may call each is decided here, before its handler sees the request.
 *
 * The order is that in which a request is checked: the state of the log that it wants (503), a session where one is required (401), the role (403), the limit
 * (429), then the handler with everything that needs the model or the body.
 */
import type { Limits } from '../auth/limits.ts'
import type { Session, Sessions } from '../auth/sessions.ts'
import { withValue, type Awaitable } from '../base/awaitable.ts'
import { assertNever, Failure } from '../base/failure.ts'
import type { Clock } from '../base/clock.ts'
import { requireAdministrator, requireEditor, requireRole, requireScope, requireSignIn, requireWholeToken } from '../content/rules/access.ts'
import { limitKey } from '../http/client-address.ts'
import type { BodyLimit, Exchange, Handler } from '../http/exchange.ts'
import type { Route } from '../http/router.ts'
import { hasDashboard, type ScopeName } from '../models/caller.ts'
import { modelNamed } from '../models/registry.ts'
import type { Operation } from '../models/schema.ts'
import type { Access, Described, Endpoint } from './endpoint.ts'
import type { PositionGate } from './position-gate.ts'

/**
 * The body of a guest's data request. Preferences at the limits of a guest, with ten headlines of 2.5 KB, saved filters
 * and whole sources, are less than half of it.
 */
const GUEST_BODY_BYTES_MAX = 256 * 1024

export interface Guard {
  readonly sessions: Pick<Sessions, 'require' | 'find'>
  readonly limits: Pick<Limits, 'requestCodeFrom' | 'guestFrom' | 'dataRequest' | 'dataBody'>
  readonly now: Clock
  /** On a node of a cluster: lets requests wait for the state that they want. */
  readonly positions?: PositionGate | undefined
}

interface ForwardingGuard {
  readonly sessions: Guard['sessions']
  readonly limits: Pick<Limits, 'dataRequest' | 'dataBody'>
  readonly now: Clock
}

/** `forward` gives the handlers of endpoints whose writes go to the keeper of a cluster. */
export function routesOf<S>(
  endpoints: readonly Endpoint<S>[],
  service: S,
  guard: Guard,
  forward?: (endpoint: ForwardedEndpoint, own: Handler) => Handler,
): readonly Route[] {
  return endpoints.map((endpoint) => {
    const { method, path } = endpoint
    const own = handlerOf(endpoint, service, guard)
    const handler = forward === undefined || endpoint.byKeeper !== true ? own : forward(forwardedEndpoint(endpoint), own)
    return { method, path, handler: whenReached(endpoint, handler, guard) }
  })
}

/** On a node, the handler waits for the state that the request wants. */
function whenReached({ tag }: Described, handler: Handler, { positions }: Guard): Handler {
  // What tells how the node is doing works in every state of it.
  if (positions === undefined || tag === 'Operation') return handler
  return (exchange) => withValue(positions.admit(exchange), () => handler(exchange))
}

function handlerOf<S>(endpoint: Endpoint<S>, service: S, guard: Guard): Handler {
  const { access, token, bodyLimit, serve, forVisitors } = endpoint
  const reach = reachOf(endpoint)
  return (exchange) => {
    if (bodyLimit !== undefined) exchange.setBodyTerms({ limit: bodyLimit })
    if (forVisitors?.applies(service, exchange) === true) {
      return withValue(admit('visitor', exchange, guard, reach), () => forVisitors.serve(service, exchange))
    }
    if (token === 'optional' && reach === 'none') refuseToken(exchange, guard)
    return withValue(admit(access, exchange, guard, reach), (session) => serve(service, exchange, session))
  }
}

/** What a thread, or a node, knows of an endpoint that another one serves. */
export interface ForwardedEndpoint extends Pick<Described, 'method' | 'path' | 'access' | 'operation'> {
  readonly reach: TokenReach
  readonly bodyLimit: BodyLimit | undefined
  /** Whether the handler may read a body. */
  readonly readsBody: boolean
}

/** As they can be sent to a thread. */
export function forwardedEndpoints(endpoints: readonly Described[]): readonly ForwardedEndpoint[] {
  return endpoints.map(forwardedEndpoint)
}

function forwardedEndpoint(endpoint: Described): ForwardedEndpoint {
  const { method, path, access, operation, body, bodyLimit } = endpoint
  // An object that may be left out is read where it is bounded.
  const readsBody = body !== undefined && (body !== 'empty' || bodyLimit !== undefined)
  return { method, path, access, ...(operation && { operation }), reach: reachOf(endpoint), bodyLimit, readsBody }
}

/** Limits that only the thread counts that serves the request. */
const COUNTED_THERE: readonly Access[] = ['codeRequest', 'guestSignIn']

/**
 * Decides in a thread whether a request goes on to the one that serves it, and counts it. Throws what keeps it from going on.
 * Returns why its body is not to be read: its caller may not do with the model what the endpoint does.
 */
export function admitForwarded(exchange: Exchange, endpoint: ForwardedEndpoint, guard: Guard): Failure | undefined {
  const { access, operation, reach, bodyLimit } = endpoint
  if (bodyLimit !== undefined) exchange.setBodyTerms({ limit: bodyLimit })
  if (COUNTED_THERE.includes(access)) return undefined
  const session = admit(access, exchange, guard, reach)
  const { query } = exchange
  // To check a document with an id takes the right to replace it, which the handler looks for.
  const model = operation === undefined || query.get('id') !== undefined ? undefined : modelNamed(query.get('model') ?? '')
  if (model === undefined || session === undefined || session instanceof Promise) return undefined
  try {
    requireRole(model, operation as Operation, session.caller)
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** The guard of a thread that counts data requests alone. */
export function dataGuard({ sessions, limits, now }: ForwardingGuard): Guard {
  return { sessions, limits: { ...limits, requestCodeFrom: notHere, guestFrom: notHere }, now }
}

function notHere(): never {
  throw new Error('Another thread counts this limit')
}

/** The handlers of requests that admitForwarded() has admitted and counted, in another thread or node, by method and path of their endpoints. */
export function forwardedHandlers<S>(endpoints: readonly Endpoint<S>[], service: S, guard: Guard): ReadonlyMap<string, Handler> {
  const limits = { ...guard.limits, dataRequest: () => {} }
  return new Map(endpoints.map((endpoint) => [endpointKey(endpoint), whenReached(endpoint, handlerOf(endpoint, service, { ...guard, limits }), guard)]))
}

export function endpointKey({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`
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
