/** A thread of `bench -- threads`: serves reads as a serving thread does, and loads itself over its own connections. */
import { parentPort, workerData } from 'node:worker_threads'
import { setTimeout as pause } from 'node:timers/promises'
import { createPageCache } from '../../src/content/reads/page-cache.ts'
import { createReads } from '../../src/content/reads/reads.ts'
import { DATA_READS } from '../../src/endpoints/data.ts'
import { routesOf } from '../../src/endpoints/guard.ts'
import { createEnvelopeCoder } from '../../src/http/coding/envelope-coder.ts'
import { NO_PROXIES } from '../../src/http/request/client-address.ts'
import { createRouter } from '../../src/http/server/router.ts'
import { createServer } from '../../src/http/server/server.ts'
import { openServices } from '../../src/app/services.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { createDocumentReads } from '../../src/content/reads/document-reads.ts'
import { connectTo } from './load-connection.ts'
import { TIME_PLACE, WARM_UP_MS, WINDOW_MS } from './load-job.ts'

export interface ThreadJob {
  readonly requests: readonly string[]
}

export interface ThreadFigures {
  readonly count: number
  readonly ms: number
  /** Of this thread. */
  readonly cpuMicros: number
}

const CONNECTIONS = 32
const CACHE_BYTES = 16 * 1024 * 1024

const now = systemClock
const config = readConfig(new Map([['dataDir', workerData as string], ['rateLimits', 'off']]), {})
let written = 0
const log = createLog({ level: 'info', format: 'json', now, write: (line) => (written += line.length) })
const services = await openServices(config, { jwtSecret: undefined }, { now, log, own: false })
const { store, sessions, limits, newId, instance, counters, arrivals } = services
const context = {
  documents: createDocumentReads({ store, settings: { limitDefault: 20, limitMax: 100, hideInactive: false } }),
  reads: createReads({ store, pages: createPageCache({ bytesMax: CACHE_BYTES, now }), instance }),
  coder: createEnvelopeCoder(),
  now,
  publicRemoteConfig: false,
}
const server = createServer({
  router: createRouter(routesOf(DATA_READS, context, { sessions, limits, now })),
  newRequestId: newId,
  ...{ now, log, instance },
  cors: config.corsOrigins,
  proxies: NO_PROXIES,
  onConnection: arrivals.add,
  observe: counters.request,
})
const listening = await server.listen({ kind: 'tcp', host: '127.0.0.1', port: 0 })
const port = listening.kind === 'tcp' ? listening.port : 0
let time = now() - 3_600_000

parentPort?.on('message', (job: ThreadJob) => void load(job).then((figures) => parentPort?.postMessage(figures)))
parentPort?.postMessage('ready')

async function load({ requests }: ThreadJob): Promise<ThreadFigures> {
  let [count, sent, isOver] = [0, 0, false]
  const clients = Array.from({ length: CONNECTIONS }, () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const send = (): void => {
      const text = requests[sent++ % requests.length] ?? ''
      connection.send(text.includes(TIME_PLACE) ? text.replace(TIME_PLACE, new Date(time++).toISOString()) : text)
    }
    const connection = connectTo(port, (status) => {
      if (status !== 200) throw new Error(`A request was answered with ${status}`)
      count++
      if (!isOver) return send()
      connection.close()
      resolve()
    })
    send()
    return promise
  })
  await pause(WARM_UP_MS)
  const [before, cpuBefore, since] = [count, process.threadCpuUsage(), performance.now()]
  await pause(WINDOW_MS)
  const { user, system } = process.threadCpuUsage(cpuBefore)
  const figures = { count: count - before, ms: performance.now() - since, cpuMicros: user + system }
  isOver = true
  await Promise.all(clients)
  return figures
}
