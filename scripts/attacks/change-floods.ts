/** Readers of the change log that make the most of their limits: pages, streams that catch up, and offline clients. */
import { Agent } from 'node:http'
import type { Account, Attack, Outcome, Site } from './attack.ts'
import { inParallel, statusCounts, writeAll, type TimedResponse } from './loopback-client.ts'
import { COMPILE_BOMBS } from './patterns.ts'

/** What one guest may send in a minute, less its sign-in. */
const REQUESTS = 960
const REQUESTS_QUICK = 240
/** Connections of one guest, which stay open: many new ones are another attack. */
const AT_ONCE = 60
const GUESTS = 3
const STREAMS_PER_GUEST = 8
const STREAM_MS = 6_000
const STREAM_MS_QUICK = 2_000

/** Each looks at all of a page, and finds nothing. */
const FILTERS = [
  { excerpt: { $regex: '(a|e|i|o|u)[^aeiou]{3,9}(a|e|i|o|u)zz' } },
  { title: { $regex: '(a|b|ab)*(c|bc)*[0-9]$', $options: 'i' } },
  { $or: Array.from({ length: 60 }, (_, i) => ({ excerpt: { $regex: `q${i}[a-z]+z` } })) },
  { $nor: [{ excerpt: { $regex: COMPILE_BOMBS[0] } }, { id: { $exists: true } }] },
]

/** Others have 100 ms, in place of the usual limit. */
const LIMITS = { othersP99Ms: 100 }

export const changesPages: Attack = {
  name: 'changes-pages',
  tries: `a guest reads ${REQUESTS} pages of all changes, with and without a filter`,
  // Not in the gate: the memory grows by 70 to 120 MiB from run to run, around the limit of 100.
  limits: LIMITS,
  async run(site) {
    const [plain, filtered] = [await site.guest(), await site.guest()]
    const pages = await flood(site, plain, (i) => changesPath({ limit: '1000', since: String(i % 3) }))
    const filters = await flood(site, filtered, (i) => changesPath({ limit: '1000', filter: filterText(i), wait: i % 2 === 0 ? '0' : '1' }))
    const pulls = await flood(site, await site.guest(), (i) => `/api/v1/sync/headline/0/pull?limit=${i % 2 === 0 ? 1_000 : 1}&lwt=${i % 5}&id=`)
    return outcomeOf({ pages, filters, pulls })
  },
}

export const changesStreams: Attack = {
  name: 'changes-streams',
  tries: `${GUESTS} guests open ${STREAMS_PER_GUEST} streams each from the beginning of the log, with filters, again and again`,
  isQuick: true,
  limits: LIMITS,
  async run(site) {
    const guests = await inParallel(GUESTS, () => site.guest())
    const until = performance.now() + (site.isQuick ? STREAM_MS_QUICK : STREAM_MS)
    let opened = 0
    await inParallel(GUESTS * STREAMS_PER_GUEST, async (i) => {
      const { token } = guests[i % GUESTS] as Account
      for (let n = 0; performance.now() < until; n++, opened++) {
        const socket = await site.connect(site.newAddress())
        socket.resume()
        const path = changesPath({ since: '0', filter: filterText(i + n) }, '/stream')
        await writeAll(socket, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`)
        await new Promise((resolve) => setTimeout(resolve, n % 2 === 0 ? 50 : 1_000))
        socket.destroy()
      }
    })
    return { notes: [`${opened} streams were opened`], faults: [] }
  },
}

async function flood(site: Site, { token }: Account, pathOf: (i: number) => string): Promise<readonly TimedResponse[]> {
  const requests = site.isQuick ? REQUESTS_QUICK : REQUESTS
  const [from, agent] = [site.newAddress(), new Agent({ keepAlive: true, maxSockets: AT_ONCE })]
  try {
    return await inParallel(requests, (i) => site.send({ path: pathOf(i), token, from, agent }))
  } finally {
    agent.destroy()
  }
}

function outcomeOf(sent: Readonly<Record<string, readonly TimedResponse[]>>): Outcome {
  const all = Object.entries(sent)
  const unexpected = all.map(([name, responses]) => [name, responses.filter(({ status }) => ![200, 400, 410, 429, 503].includes(status))] as const)
  return {
    notes: all.map(([name, responses]) => `${name}: ${statusCounts(responses)}`),
    faults: [
      ...unexpected.filter(([, { length }]) => length > 0).map(([name, found]) => `${name}: ${statusCounts(found)}`),
      // A flood that was only refused proves nothing.
      ...all.filter(([, responses]) => responses.every(({ status }) => status !== 200)).map(([name]) => `${name}: nothing was served`),
    ],
  }
}

function changesPath(query: Readonly<Record<string, string>>, item = ''): string {
  return `/api/v1/changes${item}?${new URLSearchParams({ models: 'headline', ...query }).toString()}`
}

function filterText(i: number): string {
  return JSON.stringify(FILTERS[i % FILTERS.length])
}
