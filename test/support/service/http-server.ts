/** A real server on a free port for tests of the HTTP layer, with a fixed clock and a log that is kept. */
import { NO_PROXIES } from '../../../src/http/client-address.ts'
import type { TrustedProxies } from '../../../src/http/client-address.ts'
import { ok, type Exchange } from '../../../src/http/exchange.ts'
import type { CorsPolicy } from '../../../src/http/cors.ts'
import type { Certificate } from '../../../src/http/certificate.ts'
import type { ListenAddress } from '../../../src/http/listening.ts'
import { createRouter } from '../../../src/http/router.ts'
import type { Route } from '../../../src/http/router.ts'
import { createServer, type HttpServer, type ServerOptions } from '../../../src/http/server.ts'
import type { ServerLimits } from '../../../src/http/server-limits.ts'
import { recordingLog } from '../../../scripts/tools/recording-log.ts'
import type { LogEntry } from '../../../scripts/tools/recording-log.ts'

export const FIXED_NOW = Date.parse('2025-10-20T12:34:56.789Z')

export interface TestServer extends AsyncDisposable {
  readonly port: number
  readonly entries: readonly LogEntry[]
  readonly bodies: HttpServer['bodies']
  readonly bodyLane: HttpServer['bodyLane']
  readonly connections: HttpServer['connections']
  readonly endOneOf: HttpServer['endOneOf']
  /** Resolves with the first log entry of this event that is there or comes. */
  logged(event: string): Promise<LogEntry>
  setCertificate(certificate: Certificate): void
  close(): Promise<void>
}

export interface TestServerOptions {
  readonly cors?: CorsPolicy
  readonly proxies?: TrustedProxies
  readonly limits?: Partial<ServerLimits>
  /** Without one, the names that the tests use. */
  readonly allowedHosts?: readonly string[]
  readonly certificate?: Certificate
  readonly address?: ListenAddress
  readonly shared?: ServerOptions['shared']
}

export async function startServer(routes: readonly Route[], options: TestServerOptions = {}): Promise<TestServer> {
  const { log, entries, logged } = recordingLog()
  let requests = 0
  const server = createServer({
    router: createRouter(routes),
    newRequestId: () => `request-${++requests}`,
    now: () => FIXED_NOW,
    log,
    cors: options.cors ?? 'local',
    proxies: options.proxies ?? NO_PROXIES,
    instance: 'instance-1',
    allowedHosts: options.allowedHosts ?? ['x', 'api.example'],
    ...(options.certificate === undefined ? {} : { certificate: options.certificate }),
    limits: { closeMs: 1000, ...options.limits },
    shared: options.shared,
  })
  const listening = await server.listen(options.address ?? { kind: 'tcp', host: '127.0.0.1', port: 0 })
  const port = listening.kind === 'tcp' ? listening.port : 0
  const { setCertificate } = server
  return {
    port,
    entries,
    bodies: server.bodies,
    bodyLane: server.bodyLane,
    connections: server.connections,
    endOneOf: server.endOneOf,
    logged,
    setCertificate,
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** A route whose requests wait until they are released. `entered` has the first of them, `served` tells how many came. */
export function gate(method: Route['method'] = 'GET', path = '/slow') {
  const [entered, released] = [Promise.withResolvers<Exchange>(), Promise.withResolvers<void>()]
  let served = 0
  const handler = async (exchange: Exchange) => {
    served++
    entered.resolve(exchange)
    await released.promise
    return ok('"slow"')
  }
  const route: Route = { method, path, handler }
  return { route, entered: entered.promise, served: () => served, release: released.resolve }
}
