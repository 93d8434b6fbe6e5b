/**
 * The program of a thread that serves requests beside the main thread, on the same port: reads by itself, everything else
 * through the main thread (thread-messages.ts).
 */
import { parentPort, workerData } from 'node:worker_threads'
import { createActivity } from '../../auth/activity.ts'
import { createDataLimit, createPublicationLimit, type LimitName } from '../../auth/limits.ts'
import { createSessionReader } from '../../auth/sessions.ts'
import { createArrivals } from '../../base/arrivals.ts'
import { createCalls } from '../../base/calls.ts'
import { systemClock } from '../../base/clock.ts'
import { idGenerator } from '../../base/ids.ts'
import { createMetrics } from '../../base/metrics.ts'
import { createSharedCounts } from '../../base/shared-counts.ts'
import { createDocumentReads } from '../../content/reads/document-reads.ts'
import { createPageCache } from '../../content/reads/page-cache.ts'
import { createReads, DATA_FORM } from '../../content/reads/reads.ts'
import { createSyncReads } from '../../content/sync/sync-pull.ts'
import { CHANGE_READS } from '../../endpoints/changes.ts'
import { DATA_READS } from '../../endpoints/data-reads.ts'
import { dataGuard, endpointKey, routesOf } from '../../endpoints/guard.ts'
import type { ReadService } from '../../endpoints/service-parts.ts'
import { SYNC_READS } from '../../endpoints/sync.ts'
import { HEALTH } from '../../endpoints/system.ts'
import { createRepresentation, keepEnvelope, type KeptEnvelope } from '../../http/representation.ts'
import { parseProxies } from '../../http/client-address.ts'
import { entityTag } from '../../http/entity-tag.ts'
import { createRouter } from '../../http/router.ts'
import { createServer } from '../../http/server.ts'
import type { Model } from '../../models/schema.ts'
import type { FindQuery, QueryCaller } from '../../store/query/find-query.ts'
import { readAnswer, writeQuery } from '../../store/query/threads/query-message.ts'
import { openReadStore } from '../../store/read-store.ts'
import { pictureFiles } from '../../store/media/picture-files.ts'
import { createReaderGate } from '../../store/db/reader-gate.ts'
import { openChangeFeed } from '../change-feed.ts'
import { httpMetrics } from '../http-metrics.ts'
import { pageRoutes } from '../page-routes.ts'
import { pictureRoute } from '../picture-route.ts'
import { PUBLICATION_CACHE_SHARE } from '../publications/publication-handlers.ts'
import { withoutSecret } from '../publications/logged-path.ts'
import { publicationRoutes } from '../publications/publication-routes.ts'
import { cacheMetrics, logMetrics, requestMetrics } from '../service-metrics.ts'
import { createLeftCalls } from './left-calls.ts'
import { createForwarding } from './request-forwarding.ts'
import { createThreadLog } from './thread-log.ts'
import type { MainAnswers, ServingAnswers, ServingData } from './thread-messages.ts'

const data = workerData as ServingData
const port = parentPort
if (port === null) throw new Error('Cannot run outside of a thread')
const { settings, memory, thread, instance, startedAt } = data
const cell = data.clock && new Float64Array(data.clock)
const now = cell === undefined ? systemClock : () => cell[0] as number

/** Of a query that no client waits for. */
const NEVER = new AbortController().signal
const callFor = createLeftCalls()
const answers: ServingAnswers = {
  watch: (requestId) => forwarding.answers.watch(requestId),
  endOneOf: (clientKey) => server.endOneOf(clientKey),
  samples: () => metrics.samples(),
  setLevel: (level) => log.setLevel(level),
  setCertificate: (certificate) => server.setCertificate(certificate),
  setDataLimit: (perUser) => void (dataPerUser = perUser),
  setPublicUrl: (url) => void (publicUrl = url),
  settle: () => logLines.settled(),
  async close() {
    feed.close()
    await server.close()
    store.close()
    await logLines.settled()
  },
}
const main = createCalls<MainAnswers>(port, answers)
port.on('message', main.receive)

const logLines = createThreadLog({ log: data.log, now, send: (lines) => main.call('log', lines) })
const { log } = logLines
const arrivals = createArrivals()
const metrics = createMetrics()
const store = openReadStore({
  now,
  file: data.database,
  gate: createReaderGate(memory.gate, thread),
  arrivals,
  async answerElsewhere<Query extends FindQuery>(model: Model, query: Query, caller: QueryCaller) {
    const { id, class: name, group, signal = NEVER } = caller
    const message = { query: writeQuery(model.name, query), caller: { id, class: name, group } }
    return readAnswer<Query>(await callFor(id, signal, () => main.call('find', message, { signal })))
  },
})
const activity = createActivity({
  seeGuest: async (id, time) => main.tell('seeGuest', { id, now: time }),
  useSession: async (jti, time) => main.tell('useSession', { jti, now: time }),
})
const keys = data.keys.map(({ id, secret }) => ({ id, secret: Buffer.from(secret) }))
const sessions = createSessionReader({
  ...{ store: store.store, activity, instance },
  keys: keys as [(typeof keys)[number], ...typeof keys],
  issuer: settings.tokenIssuer,
})
let { dataPerUser, publicUrl } = settings
const limitOptions = {
  windows: memory.windows,
  onRefused: (limit: LimitName) => main.tell('limited', limit),
  nodes: () => 1,
}
const limits = createDataLimit(() => dataPerUser, limitOptions)
const represent = createRepresentation()
const publicationCacheBytes = Math.floor(settings.cacheBytes * PUBLICATION_CACHE_SHARE)
const pages = createPageCache<KeptEnvelope>({ bytesMax: settings.cacheBytes - publicationCacheBytes, now })
const { pageSize: limitDefault, pageSizeMax: limitMax, hideInactive, publicRemoteConfig } = settings
const listSettings = { limitDefault, limitMax, hideInactive }
const feed = openChangeFeed({
  ...{ store: store.store, metrics, log, settings: listSettings, limits: settings },
  counts: createSharedCounts(memory.streams, thread),
  tickets: {
    async sessionOf(ticket) {
      const claim = await main.call('claimOfTicket', ticket)
      return claim && sessions.ofClaim(claim, now())
    },
    redeem: (ticket) => main.call('redeemTicket', ticket),
  },
  // Streams of each thread are counted for themselves.
  presence: {
    beat: (beat) => main.call('present', { ...beat, stream: `${thread}.${beat.stream}` }),
    leave: (stream) => main.tell('leftPresence', `${thread}.${stream}`),
  },
})
const { changes } = feed
const service: ReadService = {
  ...{ instance, startedAt, now, changes },
  // A node of a cluster has one thread.
  position: undefined,
  content: {
    documents: createDocumentReads({ store: store.store, settings: listSettings }),
    reads: createReads({ store: store.store, pages, nameOf: entityTag, keep: keepEnvelope, form: DATA_FORM, instance, thread }),
    represent,
    sync: createSyncReads({ store: store.store, changes: changes.pages, settings: listSettings, now }),
    publicRemoteConfig,
  },
}
const guard = dataGuard({ sessions, limits, now })
const forwarding = createForwarding(() => main, callFor, guard)
const pagesOfSite = data.pages === undefined ? [] : pageRoutes(data.pages.assets, data.pages.settings, represent)
const publications = publicationRoutes({
  ...{ store: store.store, represent, settings, now, log, cacheBytes: publicationCacheBytes, run: { instance, thread } },
  limits: createPublicationLimit(() => settings.publicationsPerAddress, limitOptions),
  publicUrl: () => publicUrl,
  isEncrypted: data.certificate !== undefined,
})
const own = [...routesOf([...DATA_READS, ...CHANGE_READS, ...SYNC_READS, HEALTH], service, guard), ...pagesOfSite, pictureRoute({ store: store.store, files: pictureFiles(data.media), log }), ...publications.routes]
const ownKeys = new Set(own.map(endpointKey))
const forwarded = data.endpoints.filter((one) => !ownKeys.has(endpointKey(one)))
const server = createServer({
  router: createRouter([
    ...own,
    ...forwarded.map((endpoint) => ({ ...endpoint, handler: forwarding.handlerOf(endpoint) })),
  ]),
  ...{ now, log, instance },
  newRequestId: idGenerator(now),
  cors: settings.corsOrigins,
  proxies: parseProxies(settings.trustedProxies),
  onUntrustedForward: (peer) => main.tell('untrustedForward', peer),
  allowedHosts: settings.allowedHosts,
  isOwnHost: (name) => publicUrl !== undefined && new URL(publicUrl).hostname === name,
  certificate: data.certificate,
  limits: data.limits,
  onConnection: arrivals.add,
  observe: requestMetrics(metrics),
  loggedPath: withoutSecret,
  shared: {
    bodies: createSharedCounts(memory.bodies, thread),
    connections: {
      counts: createSharedCounts(memory.connections, thread),
      endElsewhere: (clientKey) => main.call('endElsewhere', clientKey),
    },
  },
})
httpMetrics(metrics, server)
cacheMetrics(metrics, [pages, publications.pages])
logMetrics(metrics, logLines.output)
// The executable loads a thread as one CommonJS script, which cannot await at its top.
void server.listen(data.address).then(() => main.tell('ready', undefined))
