/**
 * `npm run bench -- feeds [read|round [N]]`: reading, in half a minute, and then a round of N feeds (feed-round-bench.ts).
 *
 * Reads the same hundred feeds with our reader, with rss-parser and with feedsmith, which npm installs once into
 * dist/tools. All get bytes; the others decode them as UTF-8 first. Ours also makes texts, dates and addresses of what it
 * reads. Rounds alternate, and the times are those of the CPU, so that what else the machine does meets all alike.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readFeed } from '../../src/feeds/reading/read-feed.ts'
import { benchFeedRound } from './feed-round-bench.ts'
import { npmTools } from '../conformance/fetched-tools.ts'
import { generatedFeeds } from './generated-feeds.ts'
import { median } from '../tools/percentile.ts'
import { seededRandom } from '../tools/random.ts'

const PACKAGES = { 'rss-parser': '3.13.0', feedsmith: '3.0.1' }
const FEEDS = 100
const ROUNDS = 25
/** Until V8 has compiled what is used. */
const WARM_UP_ROUNDS = 3
const NOW = Date.parse('2026-03-10T12:00:00.000Z')

/** Gives how many items it has read. */
type Reader = (bytes: Uint8Array) => number | Promise<number>

export async function benchFeeds([part, count]: readonly string[]): Promise<void> {
  if (part !== 'round') await benchReading()
  if (part !== 'read') await benchFeedRound(count)
}

async function benchReading(): Promise<void> {
  const directory = npmTools({ name: 'feed-readers', packages: PACKAGES })
  const feeds = generatedFeeds(FEEDS, seededRandom(1)).map((text) => Buffer.from(text))
  const bytes = feeds.reduce((sum, feed) => sum + feed.length, 0)
  const readers = await readersOf(join(directory, 'node_modules'))
  console.log(`${FEEDS} feeds, ${(bytes / 1e6).toFixed(1)} MB, ${ROUNDS} rounds of each reader in turn\n`)
  const times = new Map(Object.keys(readers).map((name) => [name, [] as number[]]))
  const items = new Set<number>()
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const [name, read] of Object.entries(readers)) {
      const start = process.cpuUsage()
      let count = 0
      for (const feed of feeds) count += await read(feed)
      if (round >= 0) times.get(name)?.push(cpuMs(start))
      items.add(count)
    }
  }
  if (items.size !== 1) throw new Error(`The readers do not agree: they read ${[...items].join(', ')} items`)
  const ours = times.get('ours') ?? []
  for (const [name, all] of times) {
    const [ms, least] = [median(all), Math.min(...all)]
    const ratios = `${(ms / median(ours)).toFixed(2)} times ours, fastest rounds ${(least / Math.min(...ours)).toFixed(2)} times`
    console.log(`${name.padEnd(11)} ${ms.toFixed(1).padStart(7)} ms ${(bytes / 1e3 / ms).toFixed(0).padStart(5)} MB/s   ${ratios}`)
  }
}

async function readersOf(modules: string): Promise<Readonly<Record<string, Reader>>> {
  const load = async (path: string): Promise<unknown> => await import(pathToFileURL(join(modules, path)).href)
  const rssParser = (await load('rss-parser/index.js')) as { default: new () => { parseString(xml: string): Promise<{ items: readonly unknown[] }> } }
  const feedsmith = (await load('feedsmith/dist/index.mjs')) as { parseFeed(xml: string): { feed: { items?: readonly unknown[]; entries?: readonly unknown[] } } }
  const decoder = new TextDecoder()
  const parser = new rssParser.default()
  return {
    ours: (bytes) => readFeed(bytes, { address: 'https://feeds.example/', now: NOW }).items.length,
    'rss-parser': async (bytes) => (await parser.parseString(decoder.decode(bytes))).items.length,
    feedsmith: (bytes) => {
      const { feed } = feedsmith.parseFeed(decoder.decode(bytes))
      return (feed.items ?? feed.entries ?? []).length
    },
  }
}

/** Of all threads: collecting garbage counts, too. */
function cpuMs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}
