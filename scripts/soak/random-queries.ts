/**
 * The load of `npm run soak -- --queries`: random filters, sorts, searches and pages from several readers, most of which
 * the service has never seen: what it remembers of queries, plans, patterns and pages must stay bounded.
 */
import { Agent } from 'node:http'
import { randomFilter, randomSort } from '../../test/support/query/query-generator.ts'
import { seededRandom, type Random } from '../tools/random.ts'
import { dataPath, send, type Request } from '../attacks/loopback-client.ts'
import type { RunningTarget } from '../attacks/target.ts'
import type { Load } from './load.ts'

const LANES = 8
const WORDS = ['sea', 'town', 'umbrella', 'market', 'ferry', 'news', 'Ålegræsset', 'ﬆ', 'C++', '(']
/** A refused query (400), one that has no room now (429, 503), and one whose client gave up (0) are no faults. */
const STATUSES = new Set([0, 200, 304, 400, 429, 503])

export function startQueries({ site, others, ended }: RunningTarget, seed: number): Load {
  let [isOver, requests] = [false, 0]
  const failures: string[] = []
  const lane = async (n: number): Promise<void> => {
    const random = seededRandom(seed + n)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const from = site.newAddress()
    while (!isOver && ended() === undefined) {
      const { token } = random.pick(others.readers)
      const asked = randomRequest(random)
      const { status, text } = await send(site.port, { ...asked, token, from, agent })
      requests++
      if (!STATUSES.has(status)) failures.push(`${asked.path} gave ${status}: ${text.slice(0, 200)}`)
    }
    agent.destroy()
  }
  const lanes = Array.from({ length: LANES }, (_, n) => lane(n))
  return {
    minute: () => {
      const report = { requests, p99: 0, shown: 'random queries', failures: failures.splice(0) }
      requests = 0
      return Promise.resolve(report)
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      await Promise.all(lanes)
    },
  }
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
