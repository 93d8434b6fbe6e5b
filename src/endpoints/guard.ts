/**
 * From endpoints to routes: who may call each is decided here, before its handler sees the request.
 *
 * The order is that in which a request is checked: a session where one is required (401), the role (403), the limit
 * (429), then the handler with everything that needs the model or the body.
 */
import type { Limits } from '../auth/limits.ts'
import type { Session, Sessions } from '../auth/sessions.ts'
import { withValue, type Awaitable } from '../base/awaitable.ts'
import { assertNever } from '../base/failure.ts'
import type { Clock } from '../base/clock.ts'
import { requireAdministrator, requireEditor } from '../content/access.ts'
import { limitKey } from '../http/request/client-address.ts'
import type { Exchange } from '../http/request/exchange.ts'
import type { Route } from '../http/server/router.ts'
import { hasDashboard } from '../models/caller.ts'
import type { Access, Endpoint } from './endpoint.ts'

/**
 * The body of a guest's data request. Preferences at the limits of a guest, with ten headlines of 2.5 KB, saved filters
 * and whole sources, are less than half of it.
 */
const GUEST_BODY_BYTES_MAX = 256 * 1024

interface Guard {
  readonly sessions: Pick<Sessions, 'require'>
  readonly limits: Pick<Limits, 'requestCodeFrom' | 'guestFrom' | 'dataRequest' | 'dataBody'>
  readonly now: Clock
}

export function routesOf<Context>(
  endpoints: readonly Endpoint<Context>[],
  context: Context,
  guard: Guard,
): readonly Route[] {
  return endpoints.map(({ method, path, access, serve, forVisitors }) => ({
    method,
    path,
    handler(exchange) {
      if (forVisitors?.applies(context, exchange) === true) {
        return withValue(admit('visitor', exchange, guard), () => forVisitors.serve(context, exchange))
      }
      return withValue(admit(access, exchange, guard), (session) => serve(context, exchange, session))
    },
  }))
}

/** The session of a request that may go on; undefined where none is needed. Throws what keeps it from going on. */
function admit(access: Access, exchange: Exchange, guard: Guard): Awaitable<Session | undefined> {
  const { limits, now } = guard
  switch (access) {
    case 'public':
      return undefined
    case 'visitor':
      limits.dataRequest(limitKey(exchange.clientAddress), now())
      return undefined
    case 'codeRequest':
      return limits.requestCodeFrom(limitKey(exchange.clientAddress), now()).then(() => undefined)
    case 'guestSignIn':
      return limits.guestFrom(limitKey(exchange.clientAddress), now()).then(() => undefined)
    case 'user':
      return sessionOf(exchange, guard)
    case 'limitedUser': {
      const session = sessionOf(exchange, guard)
      countDataRequest(exchange, session, guard)
      return session
    }
    case 'editor': {
      const session = sessionOf(exchange, guard)
      requireEditor(session.caller)
      return session
    }
    case 'administrator': {
      const session = sessionOf(exchange, guard)
      requireAdministrator(session.caller)
      return session
    }
    default:
      return assertNever(access)
  }
}

/** Throws unauthorized where there is none. Callers with a dashboard role may use the reserve of memory for bodies. */
function sessionOf(exchange: Exchange, { sessions, now }: Guard): Session {
  const session = sessions.require(exchange, now())
  const { caller } = session
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
