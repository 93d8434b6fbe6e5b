/**
 * A round of a thousand feeds of fifty items by a service that serves reads meanwhile: how long it takes, what its process
 * needs of memory, and how many reads are left. Feeds and load come from other processes, on another core where there is one.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import { isoDate } from '../../src/base/dates.ts'
import { feed } from '../../src/models/feed-model.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { residentMemory } from '../attacks/process-figures.ts'
import { median } from '../tools/percentile.ts'
import { createBenchRoom, isPinned } from './bench-processes.ts'
import { openBenchServices } from './bench-services.ts'
import { startGenerator, startService, startTarget, type ServerAddress } from './bench-target.ts'
import { httpScenarios, type Scenario } from './http-scenarios.ts'
import { measureLoad, type LoadFigures, type LoadJob } from './load-job.ts'
import type { World } from './world.ts'

const FEEDS_DEFAULT = '1000'
const HEADLINES = 10_000
const READS = ['by id', 'list, cold'] as const
/** Of reads without the round, before and behind it. */
const WINDOWS = 8
/** Of those that tell the memory of a service that has read no feed: as many as in a round, since garbage gathers meanwhile. */
const MEMORY_WINDOWS_MAX = 100
const SAMPLE_MS = 100
const ROUND_SECONDS_MAX = 600

export async function benchFeedRound(feeds = FEEDS_DEFAULT): Promise<void> {
  const count = Number(feeds)
  await using room = createBenchRoom()
  const server = room.startLoad(join(import.meta.dirname, 'feed-server.ts'))
  const [feedPort] = (await once(server, 'message')) as [number]
  const { generator, mailPort } = await startGenerator(room)
  const options = { mailPort, more: ['--outbound-allow', '127.0.0.0/8', '--threads', '1'] }
  const target = await startTarget(room, { count: HEADLINES, ...options })
  const scenarios = (await httpScenarios(target)).filter(({ name }) => (READS as readonly string[]).includes(name))
  const reads = async (of: ServerAddress): Promise<LoadFigures[]> => {
    const figures: LoadFigures[] = []
    for (const scenario of scenarios) figures.push(await measureLoad(generator, jobOf(scenario, of)))
    return figures
  }
  const quiet = async (of: ServerAddress, windows = WINDOWS): Promise<LoadFigures[][]> => {
    const rounds: LoadFigures[][] = []
    for (let n = 0; n < windows; n++) rounds.push(await reads(of))
    return rounds
  }
  console.log(`\n${count} feeds of 50 items, ${HEADLINES} headlines before; ${isPinned ? 'the service on one core, feeds and readers on another' : 'all on the same cores'}\n`)

  const memory = watchMemory(target.pid)
  const before = await quiet(target)
  const idleMib = memory.peak()
  const peaks: number[] = []
  let windows = 0
  const services = await openBenchServices(join(room.directory, 'data'), false)
  try {
    const { store } = services
    const fetched = (since: number): number => [...store.feeds.feedStates().values()].filter(({ state }) => Number(state['lastFetchMs']) >= since).length
    const round = async (name: string, begin: () => Promise<void>): Promise<void> => {
      const [since, begun] = [systemClock(), performance.now()]
      const seconds = (): number => (performance.now() - begun) / 1_000
      await begin()
      const during: LoadFigures[][] = []
      while (fetched(since) < count && seconds() < ROUND_SECONDS_MAX) during.push(await reads(target))
      const [took, done, peakMib] = [seconds(), fetched(since), memory.peak()]
      peaks.push(peakMib)
      windows = Math.max(windows, during.length)
      const behind = await quiet(target)
      console.log(`${name}: ${done} feeds in ${took.toFixed(0)} s; memory ${idleMib.toFixed(0)} MiB of reads alone, ${peakMib.toFixed(0)} MiB with it: +${(peakMib - idleMib).toFixed(0)} MiB`)
      for (const [i, { name: read }] of scenarios.entries()) {
        const of = (rounds: readonly LoadFigures[][], name: 'perSecond' | 'cpuMicros' | 'p99Ms'): number => median(rounds.map((figures) => figures[i]?.[name] ?? 0))
        const [rateBefore, rateBehind, rateBeside] = [of(before, 'perSecond'), of(behind, 'perSecond'), of(during, 'perSecond')]
        const left = rateBeside / ((rateBefore + rateBehind) / 2)
        // What else the machine does meets the rates, and hardly the CPU time of a read.
        const cpuLeft = (of(before, 'cpuMicros') + of(behind, 'cpuMicros')) / 2 / of(during, 'cpuMicros')
        const p99 = [before, behind, during].map((rounds) => of(rounds, 'p99Ms').toFixed(1)).join(', ')
        console.log(`  ${read.padEnd(10)} ${rateBefore.toFixed(0)} reads/s before, ${rateBehind.toFixed(0)} behind, ${rateBeside.toFixed(0)} beside: ${percent(left)}; of the CPU time: ${percent(cpuLeft)}; p99 ${p99} ms`)
      }
    }
    const feeds = feedsOf(target.world, services.newId, { port: feedPort, count })
    await round('all items new', () => store.as(SYSTEM).insertMissing(feed, feeds).then(() => {}))
    await round('no item new', async () => {
      for (const { id, value } of feeds) await store.as({ kind: 'feed', id }).putFeedState({ feed: id, nextAt: systemClock(), state: store.feeds.feedState(id)?.state ?? {} }, value.address)
    })
  } finally {
    memory.stop()
    await services.store.close()
  }
  await room.stopServer(target.pid)
  // More headlines take more memory of a service that has read no feed, too: its caches fill.
  const fresh = await startService(room, options)
  const memoryOfFresh = watchMemory(fresh.pid)
  await quiet(fresh, Math.min(windows, MEMORY_WINDOWS_MAX))
  const freshMib = memoryOfFresh.peak()
  memoryOfFresh.stop()
  const more = peaks.map((peak) => `+${(peak - freshMib).toFixed(0)} MiB`).join(' and ')
  console.log(`memory of a service that has read no feed: ${idleMib.toFixed(0)} MiB with ${HEADLINES} headlines, ${freshMib.toFixed(0)} MiB with all of them now; the rounds: ${more}`)
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`
}

function jobOf({ job }: Scenario, { port, pid }: ServerAddress): LoadJob {
  return { ...job, port, pid }
}

/** Each at a host of its own, since a host has one connection. */
function feedsOf({ sources, topics, countries }: World, newId: () => string, { port, count }: { readonly port: number; readonly count: number }) {
  const [source = {}, topic = {}, country = {}] = [sources[1], topics[1], countries[1]]
  const date = isoDate(systemClock())
  const rest = { language: null, arrival: 'published', paused: false, rules: [], retentionDays: null, retentionItems: null, username: '', createdAt: date, updatedAt: date }
  return Array.from({ length: count }, (_, n) => {
    const [id, host] = [newId(), `127.0.${1 + (n >> 8)}.${n & 255}`]
    return { id, value: { id, address: `http://${host}:${port}/feed.xml`, title: `News ${n}`, siteUrl: '', source, topic, country, ...rest } }
  })
}

function watchMemory(pid: number) {
  let peak = 0
  const look = (): void => void (peak = Math.max(peak, residentMemory(pid).rssMib))
  const timer = setInterval(look, SAMPLE_MS)
  return {
    /** In MiB, since the last call. */
    peak(): number {
      look()
      const most = peak
      peak = 0
      return most
    },
    stop: () => clearInterval(timer),
  }
}
