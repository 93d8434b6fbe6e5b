/**
 * Endpoints for who runs the service: is it alive, can it work, what is it doing.
 *
 * `/healthz` and `/readyz` are open, as load balancers have no token, and tell next to nothing. `/metrics` is for the
 * administrators, and for a collector on this very machine. A reverse proxy on this machine makes everybody look like
 * that: so a request that was passed on by one needs a token, whatever its address, and every request where the operator
 * has named proxies, since one may pass on a request as its own. So does one under a name that a stranger may own: a
 * web page open in a browser here can give its own name the address of this machine. Over a Unix socket come proxies.
 */
import { isIPv4 } from 'node:net'
import type { Sessions } from '../auth/sessions.ts'
import type { Clock } from '../base/clock.ts'
import { fail } from '../base/failure.ts'
import { METRICS_TYPE, type Metrics } from '../base/metrics.ts'
import { isLoopbackAddress } from '../http/request/client-address.ts'
import type { Exchange, HttpResponse } from '../http/request/exchange.ts'
import { hostName } from '../http/guard/foreign-pages.ts'
import { isAdmin } from '../models/caller.ts'
import { openApiDocument } from './openapi/openapi.ts'
import { reasonsAgainst, type ReadinessCheck } from './readiness.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
/** Headers that only a proxy adds. */
const PASSED_ON = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

export interface SystemServices {
  /** Fresh for each start of the service. */
  readonly instance: string
  readonly startedAt: number
  readonly version: string
  readonly sessions: Sessions
  readonly metrics: Metrics
  readonly checks: Readonly<Record<string, ReadinessCheck>>
  readonly now: Clock
  /** Whether the operator has named proxies that bring the requests of others. */
  readonly hasProxies: boolean
}

export interface SystemRoutes {
  openApi(): HttpResponse
  health(): HttpResponse
  ready(): Promise<HttpResponse>
  metrics(exchange: Exchange): Promise<HttpResponse>
}

export function systemRoutes(services: SystemServices): SystemRoutes {
  const { instance, startedAt, version, sessions, metrics, checks, now, hasProxies } = services
  let description: Buffer | undefined
  return {
    openApi() {
      description ??= Buffer.from(JSON.stringify(openApiDocument({ version })))
      return { kind: 'raw', status: 200, contentType: JSON_TYPE, body: description }
    },
    health: () => json(200, { status: 'ok', instance, uptimeSeconds: Math.floor((now() - startedAt) / 1000) }),
    async ready() {
      const reasons = await reasonsAgainst(checks)
      if (reasons.length === 0) return json(200, { status: 'ok', instance })
      return json(503, { status: 'unavailable', instance, reasons })
    },
    async metrics(exchange) {
      if (hasProxies || !isCollectorHere(exchange)) {
        const { caller } = await sessions.require(exchange, now())
        if (!isAdmin(caller)) throw fail('forbidden', 'Metrics are for administrators')
      }
      const headers = { 'Cache-Control': 'no-store' }
      return { kind: 'raw', status: 200, contentType: METRICS_TYPE, body: await metrics.report(), headers }
    },
  }
}

function isCollectorHere({ headers, clientAddress }: Exchange): boolean {
  const isDirect = PASSED_ON.every((name) => headers[name] === undefined)
  return isDirect && isLoopbackAddress(clientAddress) && isNameOfThisMachine(headers.host)
}

/** Whether a Host can only be meant for the machine that asks: an address, `localhost`, or a name without a domain. */
function isNameOfThisMachine(host = 'localhost'): boolean {
  const name = hostName(host)
  return name !== undefined && (!name.includes('.') || name.endsWith('.localhost') || isAddress(name))
}

function isAddress(name: string): boolean {
  return isIPv4(name) || name.startsWith('[')
}

function json(status: number, body: object): HttpResponse {
  const headers = { 'Cache-Control': 'no-store' }
  return { kind: 'raw', status, contentType: JSON_TYPE, body: JSON.stringify(body), headers }
}
