/** A real server on a free port for tests of the HTTP layer, with a fixed clock and a log that is kept. */
import { NO_PROXIES } from '../../src/http/client-address.ts'
import type { TrustedProxies } from '../../src/http/client-address.ts'
import type { CorsPolicy } from '../../src/http/cors.ts'
import { createRouter } from '../../src/http/router.ts'
import type { Route } from '../../src/http/router.ts'
import { createServer } from '../../src/http/server.ts'
import type { ServerLimits } from '../../src/http/server.ts'
import { recordingLog } from './recording-log.ts'
import type { LogEntry } from './recording-log.ts'

export const FIXED_NOW = Date.parse('2025-10-20T12:34:56.789Z')

export interface TestServer extends AsyncDisposable {
  readonly port: number
  readonly entries: readonly LogEntry[]
  /** Resolves with the first log entry of this event that is there or comes. */
  logged(event: string): Promise<LogEntry>
  close(): Promise<void>
}

export interface TestServerOptions {
  readonly cors?: CorsPolicy
  readonly proxies?: TrustedProxies
  readonly limits?: Partial<ServerLimits>
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
    limits: { closeMs: 1000, ...options.limits },
  })
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 })
  return { port, entries, logged, close: () => server.close(), [Symbol.asyncDispose]: () => server.close() }
}
