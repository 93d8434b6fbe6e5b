/** The threads that serve beside the main thread: what they share with it, and their start with what they need of the service. */
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { AdjustableLog } from '../../base/log.ts'
import type { Config } from '../../config/settings.ts'
import type { Certificate } from '../../http/certificate.ts'
import type { UntrustedForward } from '../../http/untrusted-forwards.ts'
import type { Handler } from '../../http/exchange.ts'
import type { HttpServer } from '../../http/server.ts'
import type { ServerLimits } from '../../http/server-limits.ts'
import { databaseFile } from '../../store/db/data-dir.ts'
import { MEDIA_DIRECTORY } from '../../store/media/picture-files.ts'
import { limitSettingsOf, type Services } from '../services.ts'
import { startServingThreads } from './serving-threads.ts'
import { createMainView, type MainView } from './shared-memory.ts'
import type { ServingData, ServingSettings, TellServing } from './thread-messages.ts'
import { createThreadRequests } from './thread-requests.ts'

export interface ThreadServing extends Pick<ServingData, 'startedAt' | 'endpoints' | 'pages' | 'address' | 'clock'> {
  /** The settings in use, which may change. */
  readonly config: () => Config
  /** For the remembered pages of one thread. */
  readonly cacheBytes: number
  readonly dataDir: string
  readonly services: Services
  /** Of what the others do not serve by themselves, by endpointKey(). */
  readonly handlers: ReadonlyMap<string, Handler>
  /** The server of the main thread. */
  readonly server: Pick<HttpServer, 'endOneOf' | 'bodyLane'>
  readonly untrustedForward: UntrustedForward
  /** Of one thread. */
  readonly limits: ServerLimits
  /** The one in use. */
  readonly certificate: () => Certificate | undefined
  readonly now: Clock
  readonly log: AdjustableLog
}

/** None serves before start(). `threads` is their number with the main thread. */
export function createThreads(threads: number, { streamsMax }: Pick<Config, 'streamsMax'>) {
  const view = createMainView(threads, streamsMax)
  const { bodies, connections, streams, gate } = view
  let running: ReturnType<typeof startServingThreads> | undefined
  return {
    windows: view.memory.windows,
    ...{ gate, streams, bodies },
    connections: {
      counts: connections,
      endElsewhere: async (clientKey: string): Promise<boolean> => (await running?.endElsewhere(clientKey)) ?? false,
    },
    start(options: ThreadServing): void {
      running = startThreads(threads, view, options)
    },
    /** Resolves when all threads serve. */
    ready: async (): Promise<void> => running?.ready,
    /** Changes something in all threads. */
    tell: ((name, value) => running?.tell(name, value)) satisfies TellServing,
    settle: async (): Promise<void> => running?.settle(),
    close: async (): Promise<void> => running?.close(),
  }
}

function startThreads(threads: number, view: MainView, options: ThreadServing) {
  const { config, cacheBytes, dataDir, services, handlers, limits, certificate, now, log } = options
  const { startedAt, endpoints, pages, address, clock, server, untrustedForward } = options
  const { instance, keys, metrics } = services
  return startServingThreads({
    ...{ threads, endOneOf: server.endOneOf, view, metrics, now, log, closeMs: limits.closeMs },
    requests: createThreadRequests({ handlers, log, services, bodyBytesMax: limits.bodyBytesMax, bodyLane: server.bodyLane, untrustedForward, now }),
    dataOf: (thread) => ({
      ...{ thread, instance, startedAt, endpoints, pages, limits, address, clock, memory: view.memory },
      database: databaseFile(dataDir),
      media: join(dataDir, MEDIA_DIRECTORY),
      settings: settingsOf(config(), cacheBytes),
      keys: keys.signing,
      certificate: certificate(),
      log: { level: log.level, format: log.format },
    }),
  })
}

/** The settings that a serving thread needs, as they can be sent to it. */
function settingsOf(config: Config, cacheBytes: number): ServingSettings {
  const { pageSize, pageSizeMax, hideInactive, publicRemoteConfig, corsOrigins, allowedHosts, tokenIssuer, streamsMax, connectionsPerAddress } = config
  const { publicationSeconds, publicationsIndexed, publicUrl, websubHub, appName } = config
  const { dataPerUser, publicationsPerAddress } = limitSettingsOf(config)
  return {
    ...{ pageSize, pageSizeMax, hideInactive, publicRemoteConfig, corsOrigins, allowedHosts, tokenIssuer, streamsMax, connectionsPerAddress, cacheBytes },
    ...{ publicationSeconds, publicationsIndexed, publicUrl, websubHub, appName, dataPerUser, publicationsPerAddress },
    trustedProxies: config.trustedProxies.list,
  }
}
