/**
 * Random filters, sorts, searches and pages from several readers, most of which the service has never seen: what it remembers of
 * queries, plans, patterns and pages must stay bounded, which the soak watches.
 */
import { Agent } from 'node:http'
import { randomFilter, randomSort } from '../../test/support/query/query-generator.ts'
import type { Random } from '../tools/random.ts'
import type { Attack } from './attack.ts'
import { dataPath, inParallel, statusCounts, type Request, type TimedResponse } from './loopback-client.ts'

const LANES = 8
const SEND_MS = 15_000
const SEND_MS_QUICK = 3_000
const WORDS = ['sea', 'town', 'umbrella', 'market', 'ferry', 'news', 'Ålegræsset', 'ﬆ', 'C++', '(']
/** A refused query (400), one that has no room now (429, 503), and one whose client gave up (0) are no faults. */
const STATUSES = new Set([0, 200, 304, 400, 429, 503])

export const queriesRandom: Attack = {
  name: 'queries-random',
  tries: '8 readers send random filters, sorts, searches and pages, one after the other',
  // Pages and plans fill their caches.
  limits: { othersMedianMs: 60, othersP99Ms: 600, queryP99Ms: 8_000, growthMib: 250 },
  async run(site) {
    const until = performance.now() + (site.isQuick ? SEND_MS_QUICK : SEND_MS)
    const unexpected: string[] = []
    const counts: Pick<TimedResponse, 'status' | 'text'>[] = []
    await inParallel(LANES, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const from = site.newAddress()
      while (performance.now() < until) {
        const asked = randomRequest(site.random)
        const { status, text } = await site.send({ ...asked, token: site.reader().token, from, agent })
        counts.push({ status, text: status === 0 ? text : '' })
        if (!STATUSES.has(status)) unexpected.push(`${asked.path} gave ${status}: ${text.slice(0, 200)}`)
      }
      agent.destroy()
    })
    return { notes: [`responses ${statusCounts(counts)}`], faults: unexpected }
  },
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
