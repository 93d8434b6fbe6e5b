/**
 * `npm run soak -- --queries`: random filters, sorts, searches and pages from several readers, most of which the service has
 * never seen: what it remembers of queries, plans, patterns and pages must stay bounded.
 */
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { randomFilter, randomSort } from '../../test/support/query/query-generator.ts'
import { seededRandom, type Random } from '../../test/support/random.ts'
import type { RunningTarget } from '../attacks/target.ts'
import { dataPath, send, type Request } from '../attacks/loopback-client.ts'
import { handles, residentMemory } from '../attacks/process-figures.ts'

const LANES = 8
const SAMPLE_MS = 1_000
const WORDS = ['sea', 'town', 'umbrella', 'market', 'ferry', 'news', 'Ålegræsset', 'ﬆ', 'C++', '(']
/** A refused query (400), one that has no room now (429, 503), and one whose client gave up (0) are no faults. */
const STATUSES = new Set([0, 200, 304, 400, 429, 503])

export interface QueryMinute {
  /** The lowest of each minute: long queries come and go, leaks stay. */
  readonly rss: number
  readonly heap: number
  readonly handles: number
  readonly threads: number
  readonly rssPeak: number
  readonly requests: number
  readonly failures: readonly string[]
}

/** One minute after the other, until the service has ended. */
export async function* queryMinutes({ site, others, ended }: RunningTarget, seed: number, minutes: number): AsyncGenerator<QueryMinute, void> {
  const isOver = new AbortController()
  let requests = 0
  const failures: string[] = []
  const lane = async (n: number): Promise<void> => {
    const random = seededRandom(seed + n)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const from = site.newAddress()
    while (!isOver.signal.aborted && ended() === undefined) {
      const { token } = random.pick(others.readers)
      const asked = randomRequest(random)
      const { status, text } = await send(site.port, { ...asked, token, from, agent })
      requests++
      if (!STATUSES.has(status)) failures.push(`${asked.path} gave ${status}: ${text.slice(0, 200)}`)
    }
    agent.destroy()
  }
  const lanes = Array.from({ length: LANES }, (_, n) => lane(n))
  try {
    for (let minute = 0; minute < minutes && ended() === undefined; minute++) {
      const seen = { rss: [] as number[], heap: [] as number[], handles: [] as number[], threads: [] as number[] }
      const [until, before] = [performance.now() + 60_000, requests]
      while (performance.now() < until && ended() === undefined) {
        await pause(SAMPLE_MS)
        const { rssMib, threads } = residentMemory(site.pid)
        seen.rss.push(rssMib)
        seen.threads.push(threads)
        seen.handles.push(handles(site.pid))
        if (seen.rss.length % 10 === 0) seen.heap.push(...heapIn((await site.send({ path: '/metrics' })).text))
      }
      const { rss, heap, handles: open, threads } = seen
      yield {
        ...{ rss: Math.min(...rss), heap: Math.min(...heap), handles: Math.min(...open), threads: Math.min(...threads) },
        ...{ rssPeak: Math.max(...rss), requests: requests - before, failures: failures.splice(0) },
      }
    }
  } finally {
    isOver.abort()
    await Promise.all(lanes)
  }
}

/** Of the main thread, in MiB; none where the service does not say. */
export function heapIn(metrics: string): readonly number[] {
  const [, bytes] = /^dateline_memory_bytes\{kind="heap"\} (\S+)$/m.exec(metrics) ?? []
  return bytes === undefined ? [] : [Number(bytes) / 2 ** 20]
}

function randomRequest(random: Random): Request {
  const [filter, sort] = [JSON.stringify(randomFilter(random)), randomSort(random)]
  const query = { model: 'headline', limit: String(1 + random.below(100)), ...(sort !== '' && { sort }) }
  if (random.oneIn(4)) return { path: dataPath({ ...query, search: random.list(3, () => random.pick(WORDS)).join(' ') || 'sea', filter }) }
  if (random.oneIn(4)) {
    const text = `${random.pick(WORDS).replace(/\W/g, '')}${random.below(100_000)}`
    return { path: dataPath({ ...query, filter: JSON.stringify({ title: { $regex: text, $options: 'i' } }) }) }
  }
  if (random.oneIn(4)) return { method: 'POST', path: '/api/v1/data/query', body: { ...query, limit: Number(query.limit), filter: JSON.parse(filter) } }
  return { path: dataPath({ ...query, filter }) }
}
