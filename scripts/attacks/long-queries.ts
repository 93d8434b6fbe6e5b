/** Queries that no index serves: they may cost their callers time, and must not cost others theirs. */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import type { Attack, Site } from './attack.ts'
import { dataPath, inParallel, statusCounts, type TimedResponse } from './loopback-client.ts'
import { COMPILE_BOMBS } from './patterns.ts'

const HOG_MS = 8_000
const HOG_MS_QUICK = 3_000
const QUERIES_OF_ADMINISTRATOR = 12
const BURN_MS_MAX = 60_000

const SLOW_FILTERS = [
  { excerpt: { $regex: '[a-z]+ [0-9]+ [a-z]+!x$', $options: 'i' } },
  { 'source.description': { $regex: '(a|e|i|o|u)[^aeiou]{3,9}(a|e|i|o|u)zz' } },
  { $or: Array.from({ length: 40 }, (_, i) => ({ excerpt: { $regex: `q${i}[a-z]+z` } })) },
  { $nor: Array.from({ length: 40 }, (_, i) => ({ [`source.x${i}`]: { $exists: true } })), excerpt: 'x' },
] as const

export const queriesOfGuests: Attack = {
  name: 'queries-three-guests',
  tries: 'three guests keep 8 long queries each under way while an administrator sends 12',
  isQuick: true,
  async run(site) {
    const guests = await inParallel(3, () => site.guest())
    const until = performance.now() + (site.isQuick ? HOG_MS_QUICK : HOG_MS)
    const hogs = inParallel(guests.length * 8, async (i) => {
      const token = guests[i % guests.length]?.token
      const responses: TimedResponse[] = []
      // Fewer than what the limit on requests of one user allows, whatever the responses are.
      for (let n = 0; performance.now() < until && n < 120; n++) {
        const filter = SLOW_FILTERS[(i + n) % SLOW_FILTERS.length]
        responses.push(await site.send({ path: dataPath({ model: 'headline', filter, sort: 'excerpt:asc' }), token }))
      }
      return responses
    })
    const administrative: TimedResponse[] = []
    for (let n = 0; n < QUERIES_OF_ADMINISTRATOR; n++) {
      const filter = { excerpt: { $regex: `cheerf.lly${n}$` } }
      administrative.push(
        await site.send({ path: dataPath({ model: 'headline', filter }), token: site.administrator.token }),
      )
    }
    const responses = (await hogs).flat()
    const refused = administrative.filter(({ status }) => status !== 200)
    const slowest = Math.round(Math.max(...administrative.map(({ ms }) => ms)))
    return {
      notes: [`guests: ${statusCounts(responses)}; administrator: ${statusCounts(administrative)}, the slowest ${slowest} ms`],
      faults: unexpected(responses),
      lateness: refused.length === 0 ? [] : [`an administrator was refused: ${statusCounts(refused)}`],
    }
  },
}

/** Not an attack but its twin: a user whose app sends many queries on a busy machine gets no failure. */
export const queriesOnBusyCores: Attack = {
  name: 'queries-busy-cores',
  tries: '8 clients of one user send 60 filters and sorts over 1,000 topics while all cores are busy',
  isQuick: true,
  // The cores are taken by other processes.
  limits: { othersMedianMs: 100, othersP99Ms: 1_000, queryP99Ms: 8_000 },
  async run(site) {
    const { token } = await site.guest()
    const burners = burnCores()
    try {
      const rounds = site.isQuick ? 12 : 60
      const responses = await inParallel(8, async (client) => {
        const ofClient: TimedResponse[] = []
        for (let n = 0; n < rounds; n++)
          ofClient.push(await site.send({ path: dataPath(smallQuery(client * rounds + n)), token }))
        return ofClient
      })
      const all = responses.flat()
      const refused = all.filter(({ status }) => status !== 200)
      return {
        notes: [`responses ${statusCounts(all)}`],
        faults: [],
        lateness: refused.length === 0 ? [] : [`a user was refused: ${statusCounts(refused)}`],
      }
    } finally {
      for (const burner of burners) burner.kill('SIGKILL')
    }
  },
}

/** Filters and lists as long as they may be. */
export const queriesAtTheLimits: Attack = {
  name: 'queries-at-limits',
  tries: 'guests send filters of 64 KiB: 1,000 conditions, 1,000 members, 100 levels, patterns in each',
  async run(site) {
    const guests = await inParallel(3, () => site.guest())
    const filters = filtersAtTheLimits()
    const responses = await inParallel(guests.length * 2, async (i) => {
      const ofClient: TimedResponse[] = []
      for (let n = 0; n < filters.length; n++) {
        const body = { filter: filters[(i + n) % filters.length], sort: WIDE_SORT, limit: 100 }
        const path = dataPath({ model: i % 2 === 0 ? 'headline' : 'topic' }, '/query')
        ofClient.push(await site.send({ method: 'POST', path, body, token: guests[i % guests.length]?.token }))
      }
      return ofClient
    })
    return { notes: [`responses ${statusCounts(responses.flat())}`], faults: unexpected(responses.flat()) }
  },
}

const WIDE_SORT = 'a:asc,b:desc,source.x:asc,excerpt:desc,topic.name:asc,url:desc,imageUrl:asc,title:desc'

function filtersAtTheLimits(): readonly object[] {
  const many = (length: number, make: (i: number) => object): object[] => Array.from({ length }, (_, i) => make(i))
  let deep: object = { excerpt: { $regex: 'x' } }
  for (let i = 0; i < 95; i++) deep = i % 2 === 0 ? { $and: [deep] } : { $nor: [deep] }
  return [
    { $or: many(990, (i) => ({ excerpt: { $regex: `a${i}.*z$` } })) },
    { $and: many(490, (i) => ({ title: { $not: { $regex: `q${i}` } } })) },
    { excerpt: { $nin: many(1_000, (i) => ({ x: i })) } },
    { 'a.b.c.d.e.f.g.h': { $elemMatch: { $or: many(200, (i) => ({ x: { $gt: i } })) } } },
    deep,
    { [Array.from({ length: 90 }, () => 'source').join('.')]: { $exists: true } },
    { 'source.language': { $in: many(900, (i) => ({ id: String(i), code: { x: [i] } })) } },
  ]
}

function unexpected(responses: readonly TimedResponse[]): string[] {
  const others = responses.filter(({ status }) => ![200, 400, 429].includes(status))
  return others.length === 0 ? [] : [`guests got ${statusCounts(others)}`]
}

function smallQuery(n: number): Record<string, unknown> {
  const word = ['sea', 'town', 'small', 'news', 'market'][n % 5]
  const filters = [
    { name: { $regex: `${word}.*${n % 7}`, $options: 'i' } },
    { description: { $regex: word } },
    { iconUrl: { $ne: `x${n}` }, description: { $exists: true } },
    { $or: [{ name: `x${n}` }, { description: { $regex: `^${word}` } }] },
  ]
  return { model: 'topic', filter: filters[n % filters.length], sort: n % 2 === 0 ? 'description:asc' : 'iconUrl:desc' }
}

/** Processes that take all cores, and end by themselves. */
function burnCores() {
  const program = `const end = Date.now() + ${BURN_MS_MAX}; while (Date.now() < end);`
  return Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', program], { stdio: 'ignore' }),
  )
}

/** Patterns that take long, and SIGTERM in the middle of them. */
export const stopUnderQueries: Attack = {
  name: 'stop-under-queries',
  tries: 'SIGTERM while long queries and hostile patterns run',
  isQuick: true,
  endsService: true,
  // Queries that run may end before the process does; after `stopped`, a second is left.
  limits: { failuresMax: Infinity, othersMedianMs: Infinity, othersP99Ms: Infinity, queryP99Ms: Infinity },
  async run(site: Site) {
    const guests = await inParallel(3, () => site.guest())
    const responses = inParallel(guests.length * 4, (i) => {
      const filter = { excerpt: { $regex: COMPILE_BOMBS[i % COMPILE_BOMBS.length] } }
      return site.send({ path: dataPath({ model: 'headline', filter }), token: guests[i % guests.length]?.token })
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    const { totalMs, afterStoppedMs, code } = await site.stop()
    const after = afterStoppedMs === undefined ? 'never' : `${Math.round(afterStoppedMs)} ms before the exit`
    return {
      notes: [`exit ${code} after ${Math.round(totalMs)} ms, "stopped" ${after}, ${statusCounts(await responses)}`],
      faults: [
        ...(code === 0 ? [] : [`exit code ${code}, wanted 0`]),
        ...(totalMs <= 13_000 ? [] : [`took ${Math.round(totalMs)} ms to stop, wanted at most 13 s`]),
        ...(afterStoppedMs !== undefined && afterStoppedMs <= 1_500 ? [] : [`the process stayed after "stopped"`]),
      ],
    }
  },
}
