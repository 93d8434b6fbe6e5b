/**
 * THE table: every method and path of the API, who may call it, how often, and what answers.
 *
 * Reading a row from left to right is the order in which a request is checked: a session where one is required
 * (401), the limit (429), then the handler with everything that needs the model or the body.
 */
import type { Clock } from '../base/clock.ts'
import type { Limits } from '../auth/limits.ts'
import type { Session, Sessions } from '../auth/sessions.ts'
import { limitKey } from '../http/request/client-address.ts'
import type { Exchange, Handler, HttpResponse } from '../http/request/exchange.ts'
import type { Route } from '../http/server/router.ts'
import { requireAdministrator, requireEditor } from '../content/access.ts'
import { hasDashboard } from '../models/caller.ts'
import type { AuditRoutes } from './audit-routes.ts'
import type { AuthRoutes } from './auth-routes.ts'
import type { BackupRoutes } from './backup-routes.ts'
import type { DataRoutes } from './data-routes.ts'
import type { LogRoutes } from './log-routes.ts'
import type { OutboxRoutes } from './outbox-routes.ts'
import type { StatusRoutes } from './service-status.ts'
import type { OwnSessionRoutes, SessionRoutes } from './session-routes.ts'
import type { SystemRoutes } from './system-routes.ts'

/**
 * The body of a guest's data request. Preferences at the limits of a guest, with ten headlines of 2.5 KB, saved filters
 * and whole sources, are less than half of it.
 */
const GUEST_BODY_BYTES_MAX = 256 * 1024

export interface RouteServices {
  readonly sessions: Sessions
  readonly limits: Limits
  readonly now: Clock
  /** Lets the remote configuration be read without a session. */
  readonly publicRemoteConfig: boolean
}

type PublicHandler = (exchange: Exchange) => Promise<HttpResponse>
type UserHandler = (exchange: Exchange, session: Session) => HttpResponse | Promise<HttpResponse>

/** What the dashboard asks for. */
export interface DashboardHandlers {
  readonly setup: PublicHandler
  readonly overview: Handler
}

export interface ApiHandlers {
  readonly auth: AuthRoutes
  readonly ownSessions: OwnSessionRoutes
  readonly data: DataRoutes
  readonly dashboard: DashboardHandlers
}

export function apiRoutes({ auth, ownSessions, data, dashboard }: ApiHandlers, services: RouteServices): readonly Route[] {
  const { limits, now } = services
  const address = (exchange: Exchange): string => limitKey(exchange.clientAddress)

  const anyone = (handler: PublicHandler): Handler => handler
  const codes =
    (handler: PublicHandler): Handler =>
    async (exchange) => {
      await limits.requestCodeFrom(address(exchange), now())
      return handler(exchange)
    }
  const guests =
    (handler: PublicHandler): Handler =>
    async (exchange) => {
      await limits.guestFrom(address(exchange), now())
      return handler(exchange)
    }
  const visitor =
    (handler: PublicHandler): Handler =>
    (exchange) => {
      limits.dataRequest(address(exchange), now())
      return handler(exchange)
    }
  const user =
    (handler: UserHandler): Handler =>
    async (exchange) => {
      const session = await sessionOf(exchange, services)
      return handler(exchange, session)
    }
  const limited = (handler: UserHandler): Handler =>
    user((exchange, session) => {
      const { id } = session.caller
      if (!hasDashboard(session.caller)) {
        limits.dataRequest(id, now())
        if (session.caller.appRole === 'guestUser')
          exchange.setBodyTerms({ bytesMax: GUEST_BODY_BYTES_MAX, from: 'a guest' })
        exchange.setBodyTerms({ weigh: (bytes, before) => limits.dataBody(id, now(), bytes, before) })
      }
      return handler(exchange, session)
    })
  const editor = (handler: UserHandler): Handler =>
    user((exchange, session) => {
      requireEditor(session.caller)
      return handler(exchange, session)
    })
  const item = services.publicRemoteConfig
    ? publicRemoteConfig(data, limited(data.read), { limits, now })
    : limited(data.read)

  return [
    { method: 'POST', path: '/api/v1/auth/request-code', handler: codes(auth.requestCode) },
    { method: 'POST', path: '/api/v1/auth/verify-code', handler: anyone(auth.verifyCode) },
    { method: 'POST', path: '/api/v1/auth/anonymous', handler: guests(auth.anonymous) },
    { method: 'GET', path: '/api/v1/auth/me', handler: user(auth.me) },
    { method: 'POST', path: '/api/v1/auth/sign-out', handler: user(auth.signOut) },
    { method: 'GET', path: '/api/v1/auth/sessions', handler: limited(ownSessions.list) },
    { method: 'DELETE', path: '/api/v1/auth/sessions', handler: limited(ownSessions.endOthers) },
    { method: 'DELETE', path: '/api/v1/auth/sessions/:session', handler: limited(ownSessions.end) },
    { method: 'DELETE', path: '/api/v1/auth/delete-account', handler: user(auth.deleteAccount) },
    { method: 'GET', path: '/api/v1/data', handler: limited(data.list) },
    { method: 'POST', path: '/api/v1/data', handler: limited(data.create) },
    { method: 'POST', path: '/api/v1/data/query', handler: limited(data.query) },
    { method: 'POST', path: '/api/v1/data/explain', handler: editor(data.explain) },
    { method: 'POST', path: '/api/v1/data/check', handler: limited(data.check) },
    { method: 'GET', path: '/api/v1/data/:id', handler: item },
    { method: 'PUT', path: '/api/v1/data/:id', handler: limited(data.replace) },
    { method: 'DELETE', path: '/api/v1/data/:id', handler: limited(data.remove) },
    { method: 'GET', path: '/api/v1/dashboard/setup', handler: visitor(dashboard.setup) },
    { method: 'GET', path: '/api/v1/dashboard/overview', handler: editor(dashboard.overview) },
  ]
}

export interface AdminParts {
  readonly status: StatusRoutes
  readonly log: LogRoutes
  readonly audit: AuditRoutes
  readonly outbox: OutboxRoutes
  readonly mailTest: UserHandler
  readonly backups: BackupRoutes
  readonly sessions: SessionRoutes
}

/** For administrators: everybody else is refused before anything of the request is looked at. */
export function adminRoutes(
  { status, log, audit, outbox, mailTest, backups, sessions: signedIn }: AdminParts,
  services: Pick<RouteServices, 'sessions' | 'now'>,
): readonly Route[] {
  const administrator =
    (handler: UserHandler): Handler =>
    async (exchange) => {
      const session = await sessionOf(exchange, services)
      requireAdministrator(session.caller)
      return handler(exchange, session)
    }
  return [
    { method: 'GET', path: '/api/v1/admin/status', handler: administrator(status.status) },
    { method: 'GET', path: '/api/v1/admin/settings', handler: administrator(status.settings) },
    { method: 'GET', path: '/api/v1/admin/log', handler: administrator(log.list) },
    { method: 'GET', path: '/api/v1/admin/audit', handler: administrator(audit.list) },
    { method: 'GET', path: '/api/v1/admin/outbox', handler: administrator(outbox.list) },
    { method: 'POST', path: '/api/v1/admin/outbox/test', handler: administrator(mailTest) },
    { method: 'POST', path: '/api/v1/admin/outbox/:id/retry', handler: administrator(outbox.retry) },
    { method: 'GET', path: '/api/v1/admin/backups', handler: administrator(backups.list) },
    { method: 'POST', path: '/api/v1/admin/backups', handler: administrator(backups.make) },
    { method: 'GET', path: '/api/v1/admin/backups/:name', handler: administrator(backups.download) },
    { method: 'GET', path: '/api/v1/admin/users/:id/sessions', handler: administrator(signedIn.list) },
    { method: 'DELETE', path: '/api/v1/admin/users/:id/sessions', handler: administrator(signedIn.endAll) },
    { method: 'DELETE', path: '/api/v1/admin/users/:id/sessions/:session', handler: administrator(signedIn.end) },
  ]
}

/** Throws unauthorized where there is none. Callers with a dashboard role may use the reserve of memory for bodies. */
async function sessionOf(
  exchange: Exchange,
  { sessions, now }: Pick<RouteServices, 'sessions' | 'now'>,
): Promise<Session> {
  const session = await sessions.require(exchange, now())
  const { caller } = session
  exchange.addLogFields({ user: caller.id })
  exchange.setBodyTerms({ caller: caller.id, usesReserve: hasDashboard(caller) })
  return session
}

/** For who runs the service; these say themselves who may read them. */
export function operationRoutes(system: SystemRoutes): readonly Route[] {
  return [
    { method: 'GET', path: '/api/v1/openapi.json', handler: system.openApi },
    { method: 'GET', path: '/healthz', handler: system.health },
    { method: 'GET', path: '/readyz', handler: system.ready },
    { method: 'GET', path: '/metrics', handler: system.metrics },
  ]
}

/** Mobile apps since September 2025 read the remote configuration before they have a token, or with an expired one. */
function publicRemoteConfig(
  data: DataRoutes,
  otherwise: Handler,
  { limits, now }: Pick<RouteServices, 'limits' | 'now'>,
): Handler {
  return (exchange) => {
    if (!data.isRemoteConfigRead(exchange)) return otherwise(exchange)
    limits.dataRequest(limitKey(exchange.clientAddress), now())
    return data.readRemoteConfig(exchange)
  }
}
