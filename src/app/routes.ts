/** From the parts of a service to the routes and the server of the main thread. */
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import { ENDPOINTS } from '../endpoints/endpoints.ts'
import { forwardedEndpoints, forwardedHandlers, routesOf, type ForwardedEndpoint } from '../endpoints/guard.ts'
import { createPositionGate } from '../endpoints/position-gate.ts'
import type { Service } from '../endpoints/service-parts.ts'
import type { Handler } from '../http/exchange.ts'
import { createRouter } from '../http/router.ts'
import { createServer, type HttpServer, type ServerOptions } from '../http/server.ts'
import { SERVER_LIMITS } from '../http/server-limits.ts'
import type { PictureFetching } from './cluster/fetched-pictures.ts'
import type { NodeService } from './cluster/node-service.ts'
import { createWriteForwarding } from './cluster/write-forwarding.ts'
import { pageRoutes, type PageAsset } from './page-routes.ts'
import { withoutSecret } from './publications/logged-path.ts'
import { publicationRoutes } from './publications/publication-routes.ts'
import { pictureRoute } from './picture-route.ts'
import type { PictureFiles } from '../store/media/picture-files.ts'
import type { Services } from './services.ts'

/** Those of requests whose responses tell the position of a node. */
const API = '/api/'

export interface RouteOptions {
  readonly service: Service
  readonly services: Services
  readonly node: NodeService | undefined
  readonly config: Config
  /** The settings in use, which may change. */
  readonly live: () => Config
  readonly pageAssets: readonly PageAsset[] | undefined
  /** Bytes of memory for the pages of publications. */
  readonly publicationCacheBytes: number
  /** The files of pictures. */
  readonly pictures: PictureFiles
  /** Of a node: gets a file from another one. */
  readonly fetchMissing: PictureFetching['fetchMissing'] | undefined
  readonly log: Log
}

export interface MainServer {
  readonly server: HttpServer
  /** Remembered pages of publications. */
  readonly publicationPages: ReturnType<typeof publicationRoutes>['pages']
  /** What other threads forward to this one. */
  readonly forwarded: () => { readonly endpoints: readonly ForwardedEndpoint[]; readonly handlers: ReadonlyMap<string, Handler> }
}

/** What the server gets beside what the service and its settings say. */
type ServerFacts = Pick<ServerOptions, 'certificate' | 'limits' | 'onUntrustedForward' | 'shared'>

export function createMainServer({ service, services, node, config, live, pageAssets, pictures, fetchMissing, publicationCacheBytes, log }: RouteOptions, facts: ServerFacts): MainServer {
  const { store, sessions, limits, newId, instance, arrivals, counters } = services
  const { now } = service
  const positions = store.replication === undefined ? undefined : createPositionGate(store.replication)
  const guard = { sessions, limits, now, positions }
  const publications = publicationRoutes({
    ...{ store, limits, now, log, settings: config, cacheBytes: publicationCacheBytes, represent: service.content.represent },
    publicUrl: () => live().publicUrl,
    isEncrypted: facts.certificate !== undefined,
    run: { instance, versionsOf: node?.versionsOf },
  })
  const nodeParts = node && {
    handlers: forwardedHandlers(ENDPOINTS.filter(({ byKeeper }) => byKeeper), service, guard),
    // The server is there before the first request.
    bodyLane: () => server.bodyLane,
    bodyBytesMax: { ...SERVER_LIMITS, ...facts.limits }.bodyBytesMax,
  }
  const forward = nodeParts && store.replication && createWriteForwarding({ ...node.writes, ...nodeParts, replication: store.replication, guard })
  const routes = [
    ...routesOf(ENDPOINTS, service, guard, forward),
    ...(nodeParts ? node.routes(services, pictures, nodeParts) : []),
    pictureRoute({ store, files: pictures, fetchMissing, log }),
    ...(config.dashboard ? pageRoutes(pageAssets, config, service.content.represent) : []),
    ...publications.routes,
  ]
  if (config.dashboard && pageAssets === undefined) log.warn('dashboard.missing', { advice: 'npm start builds it' })
  const server: HttpServer = createServer({
    ...{ router: createRouter(routes), now, log, instance, ...facts },
    newRequestId: newId,
    cors: config.corsOrigins,
    proxies: config.trustedProxies,
    routeHeaders: positions === undefined ? undefined : (route) => (route.startsWith(API) ? positions.headers() : []),
    allowedHosts: config.allowedHosts,
    isOwnHost: (name) => [config.clusterNodeUrl, live().publicUrl].some((url) => url !== undefined && new URL(url).hostname === name),
    onConnection: arrivals.add,
    observe: counters.request,
    loggedPath: withoutSecret,
  })
  return { server, publicationPages: publications.pages, forwarded: () => ({ endpoints: forwardedEndpoints(ENDPOINTS), handlers: forwardedHandlers(ENDPOINTS, service, guard) }) }
}
