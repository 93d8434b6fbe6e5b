/**
 * `npm run drill -- feeds`: feeds are fetched for days of a fixed clock from a server that misbehaves by chance, in every
 * way of the list below. What must hold: a fetch always ends with an outcome, the wait for the next one is between 15
 * minutes and a day, a host has one connection and all have eight, and nothing is connected to that the rules refuse.
 */
import { gzipSync } from 'node:zlib'
import { fetchFeed } from '../src/feeds/fetching/fetch.ts'
import { type FetchState, NEW_FEED_STATE, nextFetchState } from '../src/feeds/fetching/fetch-schedule.ts'
import { parseOutboundAllow } from '../src/outbound/outbound-allow.ts'
import { createOutboundClient, userAgentOf } from '../src/outbound/outbound-client.ts'
import { readOutboundRules } from '../src/outbound/outbound-settings.ts'
import { misbehavingServer, respondWith, type Script } from './tools/misbehaving-server.ts'
import { seededRandom } from './tools/random.ts'

const [QUARTER_MS, DAY_MS] = [15 * 60_000, 24 * 3_600_000]
const STARTED_MS = Date.parse('2025-10-20T12:00:00.000Z')
const FEED = '<rss><channel><title>Drill</title></channel></rss>'

const WAYS: Readonly<Record<string, Script>> = {
  feed: respondWith(200, { etag: '"1"', 'cache-control': 'max-age=1200' }, FEED),
  compressed: respondWith(200, { 'content-encoding': 'gzip' }, gzipSync(FEED)),
  unchanged: respondWith(304),
  moved: respondWith(301, { location: '/moved' }),
  inside: respondWith(302, { location: 'http://169.254.169.254/latest/' }),
  missing: respondWith(404),
  busy: respondWith(429, { 'retry-after': '7200' }),
  broken: respondWith(503),
  bomb: respondWith(200, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(1_000_000))),
  damaged: respondWith(200, { 'content-encoding': 'br' }, 'no brotli'),
  noise: (socket) => void socket.end('220 not HTTP\r\n'),
  cut: (socket) => void socket.end('HTTP/1.1 200 X\r\ncontent-length: 99\r\n\r\nshort'),
  reset: (socket) => void socket.resetAndDestroy(),
  silent: () => {},
}

/** Rejects with the first thing that does not hold. */
export async function drillFeeds({ feeds, days, seed }: { readonly feeds: number; readonly days: number; readonly seed: number }): Promise<string> {
  const random = seededRandom(seed)
  const endings: (() => void | Promise<void>)[] = []
  try {
    const server = await misbehavingServer({ after: (work) => void endings.push(work) }, (socket, head) => WAYS[random.pick(Object.keys(WAYS))]?.(socket, head))
    const options = { outboundAllow: parseOutboundAllow('127.0.0.1'), outboundProxy: 'none', outboundCa: undefined } as const
    let nowMs = STARTED_MS
    const now = (): number => nowMs
    const client = createOutboundClient({
      rules: readOutboundRules(options, { now, environment: {} }).rules,
      userAgent: () => userAgentOf(undefined),
      limits: { totalMs: 100, unpackedBytes: 500_000 },
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    const states = new Map<string, FetchState>()
    for (let at = 0; at < feeds; at++) states.set(`http://host${at >> 1}.example:${server.port}/${at}`, NEW_FEED_STATE)
    const kinds: Record<string, number> = {}
    let fetches = 0
    for (; nowMs < STARTED_MS + days * DAY_MS; nowMs += QUARTER_MS) {
      const due = [...states].filter(([, { nextFetchMs = Infinity }]) => nextFetchMs <= nowMs)
      await Promise.all(
        due.map(async ([address, state]) => {
          const outcome = await fetchFeed({ address, movedTo: state.movedTo, validators: state.validators }, { client, now })
          const next = nextFetchState(state, { outcome, hasChanged: random.oneIn(4), nowMs, random: random.below(1_000) / 1_000 })
          const waitMs = (next.nextFetchMs ?? nowMs + DAY_MS) - nowMs
          if (waitMs < QUARTER_MS || waitMs > DAY_MS) throw new Error(`The wait after "${outcome.kind}" is ${waitMs} ms`)
          const name = outcome.kind === 'failed' ? `failed by ${outcome.reason}` : outcome.kind
          kinds[name] = (kinds[name] ?? 0) + 1
          fetches++
          states.set(address, next)
        }),
      )
    }
    if (server.open.most > 8) throw new Error(`${server.open.most} connections were open at the same time`)
    const wanted = ['fetched', ...['status', 'refused', 'too-large', 'coding', 'protocol', 'truncated', 'connect', 'timeout'].map((kind) => `failed by ${kind}`)]
    const missing = wanted.filter((kind) => kinds[kind] === undefined)
    if (missing.length > 0) throw new Error(`No fetch ended with ${missing.join(', ')}: take more feeds or days`)
    return `${fetches} fetches of ${feeds} feeds in ${days} days: ${Object.entries(kinds).map(([kind, count]) => `${kind} ${count}`).join(', ')}`
  } finally {
    for (const end of endings) await end()
  }
}
