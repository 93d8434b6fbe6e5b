/**
 * `npm run soak [-- --minutes N] [--seed N] [--size N] [--executable PATH] [--queries]`: ordinary traffic of many users on a
 * service with its own limits, and beside it all attacks of the drill in rotation. Every minute it prints what the
 * requests of ordinary users took and what the process holds. It fails when memory, handles, threads, disk or the p99
 * of ordinary requests grow without bound, when an ordinary request fails, or when an attack breaks what it asserts.
 * With `--queries`, random queries alone, and what the process holds (soak/random-queries.ts). On loopback alone. Linux only: the figures of the process come from /proc.
 */
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { printTable } from '../src/cli/print-table.ts'
import { seededRandom, seedOfRun, type Random } from '../test/support/random.ts'
import { ATTACKS } from './attacks/attack-list.ts'
import { runInTime, type Attack, type Site } from './attacks/attack.ts'
import { inParallel } from './attacks/loopback-client.ts'
import { handles, residentMemory, scheduled, type Scheduled } from './attacks/process-figures.ts'
import { directoryOfRun, prepareTarget, type RunningTarget } from './attacks/target.ts'
import { missesDeadlines, slownessOf } from './attacks/verdict.ts'
import { growthOf, MEASUREMENTS_MIN, type GrowthLimit } from './soak/growth.ts'
import { heapIn, queryMinutes } from './soak/random-queries.ts'
import type { Person } from './soak/ordinary-requests.ts'
import { startTraffic, type MinuteOfTraffic, type Traffic } from './soak/traffic.ts'

const MINUTES_DEFAULT = 30
const MINUTES_MAX = 24 * 60
const HEADLINES_DEFAULT = 20_000
/** Below this, attacks run in their short form, so that all of them have their turn. */
const MINUTES_OF_FULL_ATTACKS = 20
/** The first part of the run, in which caches fill and backups reach their number. */
const WARM_UP_SHARE = 0.2
const SAMPLE_MS = 1_000
const REST_BETWEEN_ATTACKS_MS = 3_000
const READERS = 24
const EDITORS = 3
const BACKUP_EVERY_MINUTES = 2
const BACKUPS_KEPT = 2
/** Ordinary writes that a service under a flood of bodies may ask to come back, as a share of all requests. */
const WAITS_SHARE_MAX = 0.02
const STOP_MS_MAX = 13_000
/** How long the last attack may take to its end. */
const ATTACK_MS_MAX = 60_000

/** Memory, handles and threads are compared by their lowest of each minute: attacks come and go, leaks stay. */
const LIMITS = {
  rss: { name: 'resident memory', unit: 'MiB', share: 0.1, amount: 24 },
  heap: { name: 'heap', unit: 'MiB', share: 0.15, amount: 12 },
  handles: { name: 'handles', unit: '', share: 0, amount: 12 },
  threads: { name: 'threads', unit: '', share: 0, amount: 2 },
  /** Records of the audit trail are kept for months: some hundred bytes for each write and sign-in. */
  disk: { name: 'disk', unit: 'MiB', share: 0.05, amount: 48 },
  /** On a machine of its own, that is divided by the slowness of the minute. */
  p99: { name: 'p99 of ordinary requests', unit: 'ms', share: 0.5, amount: 150 },
} as const satisfies Readonly<Record<string, GrowthLimit>>

interface Minute extends Readonly<Record<keyof typeof LIMITS, number>> {
  readonly rssPeak: number
  readonly slowness: number
  readonly traffic: MinuteOfTraffic
}

interface Options {
  readonly minutes: number
  readonly seed: number
  readonly headlines: number
  readonly executable: string | undefined
  /** Random queries in place of ordinary traffic and attacks. */
  readonly queries: boolean
}

const options = readOptions(process.argv.slice(2))
if (options === undefined) {
  console.error('Usage: npm run soak [-- [--minutes N] [--seed N] [--size HEADLINES] [--executable PATH] [--queries]]')
  process.exitCode = 2
} else {
  console.log(`SEED=${options.seed} soak, ${options.minutes} minutes`)
  const faults = await soak(options)
  for (const fault of faults) console.error(`FAULT ${fault}`)
  // An attack that was given up may still hold its connections.
  process.exit(faults.length > 0 ? 1 : 0)
}

async function soak({ minutes, seed, headlines, executable, queries }: Options): Promise<readonly string[]> {
  const directory = directoryOfRun('dateline-soak-')
  const random = seededRandom(seed)
  const isQuick = minutes < MINUTES_OF_FULL_ATTACKS
  const words = queries ? ['--rate-limits', 'off'] : ['--backup-keep', String(BACKUPS_KEPT)]
  const target = await prepareTarget({ executable, directory, headlines, random, isQuick, words })
  const running = await target.start()
  try {
    return queries ? await runQueries(running, { minutes, seed }) : await run(running, { minutes, seed, random })
  } finally {
    await running.kill()
  }
}

async function run(
  running: RunningTarget,
  { minutes, seed, random }: { readonly minutes: number; readonly seed: number; readonly random: Random },
): Promise<readonly string[]> {
  const { site } = running
  const faults: string[] = []
  const attacked: string[] = []
  let isOver = false
  const rows: Minute[] = []
  {
    await using traffic = await ordinaryTraffic(running, seed)
    const attacks = rotate(site, { random, attacked, faults, isOver: () => isOver || running.ended() !== undefined })
    for (let minute = 1; minute <= minutes && running.ended() === undefined; minute++) {
      if (minute % BACKUP_EVERY_MINUTES === 1) faults.push(...(await backUp(site)))
      const row = await measureMinute(running, traffic)
      rows.push(row)
      const { failures, lateness } = row.traffic
      const wrong = missesDeadlines(row) ? failures : [...failures, ...lateness]
      faults.push(...wrong.map((failure) => `minute ${minute}: ${failure}`))
      console.log(lineOf(minute, row, attacked.splice(0)))
      for (const failure of failures) console.log(`  ${failure}`)
      for (const late of lateness) console.log(`  late: ${late}`)
    }
    isOver = true
    await Promise.race([attacks, pause(ATTACK_MS_MAX)])
  }
  const ended = running.ended()
  if (ended !== undefined) return [...faults, `the service ended: ${ended}`]
  const { totalMs, code } = await site.stop()
  const requests = rows.reduce((sum, { traffic }) => sum + traffic.requests, 0)
  const waits = rows.reduce((sum, { traffic }) => sum + traffic.waits, 0)
  console.log(`${requests} ordinary requests, ${waits} of them told to come back; stopped in ${Math.round(totalMs)} ms`)
  return [
    ...faults,
    ...running.errors().map((line) => `an error in the log: ${line}`),
    ...(waits <= requests * WAITS_SHARE_MAX ? [] : [`${waits} of ${requests} requests were told to come back`]),
    ...(code === 0 && totalMs <= STOP_MS_MAX ? [] : [`exit code ${code} after ${Math.round(totalMs)} ms`]),
    ...growthFaults(rows, Object.keys(LIMITS) as (keyof typeof LIMITS)[]),
  ]
}

async function runQueries(running: RunningTarget, { minutes, seed }: { readonly minutes: number; readonly seed: number }): Promise<readonly string[]> {
  const faults: string[] = []
  const rows: Pick<Minute, 'rss' | 'heap' | 'handles' | 'threads'>[] = []
  for await (const { failures, requests, rssPeak, ...row } of queryMinutes(running, seed, minutes)) {
    rows.push(row)
    const mib = (value: number): string => `${Math.round(value)} MiB`
    console.log(
      `minute ${rows.length}: ${requests} queries, memory ${mib(row.rss)} (peak ${mib(rssPeak)}), heap ${mib(row.heap)}, ` +
        `handles ${row.handles}, threads ${row.threads}`,
    )
    faults.push(...failures)
  }
  const ended = running.ended()
  return [...faults, ...(ended === undefined ? [] : [`the service ended: ${ended}`]), ...growthFaults(rows, ['rss', 'heap', 'handles', 'threads'])]
}

/** Signs the people in and starts their traffic. */
async function ordinaryTraffic({ site, signIn }: RunningTarget, seed: number): Promise<Traffic> {
  const person = (account: { readonly id: string; readonly token: string }): Person => ({
    ...account,
    from: site.newAddress(),
  })
  const people = await inParallel(READERS, async (i) => person(await signIn(`person-${i}@example.org`)))
  const editors = await inParallel(EDITORS, async () => person(await site.invite('publisher')))
  const administrator = person(await site.invite('admin'))
  const { port, headlineIds, topicIds, sourceIds } = site
  const keptAddresses = [...people, ...editors, administrator].map(({ from }) => from)
  console.log(`${people.length} readers, ${editors.length} editors and an administrator`)
  const setup = { port, seed, readers: people, editors, administrator, keptAddresses, headlineIds, topicIds, sourceIds }
  return startTraffic(setup, (email) => site.codeFor(email))
}

/** Runs one attack after the other, each round in another order. */
async function rotate(
  site: Site,
  run: {
    readonly random: Random
    readonly attacked: string[]
    readonly faults: string[]
    readonly isOver: () => boolean
  },
): Promise<void> {
  let round: Attack[] = []
  while (!run.isOver()) {
    if (round.length === 0) round = shuffled(ATTACKS, run.random).filter(({ endsService = false }) => !endsService)
    const attack = round.pop() as Attack
    run.attacked.push(attack.name)
    try {
      const before = scheduled(site.pid)
      const { faults, lateness = [] } = await runInTime(attack, site)
      const isLate = missesDeadlines({ slowness: slownessSince(before, site.pid) })
      run.faults.push(...[...faults, ...(isLate ? [] : lateness)].map((fault) => `${attack.name}: ${fault}`))
    } catch (error) {
      if (run.isOver()) return
      run.faults.push(`${attack.name} could not be run: ${error instanceof Error ? error.message : String(error)}`)
    }
    await pause(REST_BETWEEN_ATTACKS_MS)
  }
}

async function backUp({ send, administrator }: Site): Promise<string[]> {
  const { status, text } = await send({ method: 'POST', path: '/api/v1/admin/backups', token: administrator.token })
  // Copying a large database takes longer than a client waits for it on a machine that is under attack.
  return [201, 409].includes(status) || text === 'timeout' ? [] : [`a backup failed: ${status} ${text}`]
}

async function measureMinute({ site, ended }: RunningTarget, traffic: Traffic): Promise<Minute> {
  const until = performance.now() + 60_000
  const before = scheduled(site.pid)
  const seen = { rss: [] as number[], heap: [] as number[], handles: [] as number[], threads: [] as number[] }
  while (performance.now() < until && ended() === undefined) {
    await pause(SAMPLE_MS)
    try {
      const { rssMib, threads } = residentMemory(site.pid)
      seen.rss.push(rssMib)
      seen.threads.push(threads)
      seen.handles.push(handles(site.pid))
    } catch {
      break // It has ended, which the caller sees.
    }
    if (seen.rss.length % 5 === 0) seen.heap.push(...heapIn((await site.send({ path: '/metrics' })).text))
  }
  const lowest = (values: readonly number[]): number => (values.length === 0 ? 0 : Math.min(...values))
  const report = await traffic.minute()
  const slowness = slownessSince(before, site.pid)
  return {
    rss: lowest(seen.rss),
    rssPeak: Math.max(0, ...seen.rss),
    heap: lowest(seen.heap),
    handles: lowest(seen.handles),
    threads: lowest(seen.threads),
    disk: site.dataBytes() / 2 ** 20,
    p99: report.p99 / slowness,
    slowness,
    traffic: report,
  }
}

function slownessSince(before: Scheduled, pid: number): number {
  const { ranSeconds, waitedSeconds } = scheduled(pid)
  return slownessOf(ranSeconds - before.ranSeconds, waitedSeconds - before.waitedSeconds)
}

function lineOf(minute: number, row: Minute, attacked: readonly string[]): string {
  const { requests, waits, skipped, p50, p99, max, failures } = row.traffic
  const mib = (value: number): string => `${Math.round(value)} MiB`
  return (
    `minute ${minute}: ${requests} requests, p50/p99/max ${p50.toFixed(1)}/${p99.toFixed(0)}/${max.toFixed(0)} ms, ` +
    `${failures.length === 0 ? 'none' : failures.length} failed, ${waits} waited, ${skipped} left out; ` +
    `memory ${mib(row.rss)} (peak ${mib(row.rssPeak)}), heap ${mib(row.heap)}, handles ${row.handles}, ` +
    `threads ${row.threads}, disk ${mib(row.disk)}, slowness of the machine ${row.slowness.toFixed(1)}; ` +
    attacked.join(' ')
  )
}

/** Prints the first and the last third of each compared figure and returns the faults. */
function growthFaults<Name extends keyof typeof LIMITS>(
  rows: readonly Readonly<Record<Name, number>>[],
  names: readonly Name[],
): readonly string[] {
  const compared = rows.slice(Math.ceil(rows.length * WARM_UP_SHARE))
  const found = names.map((name) => ({
    limit: LIMITS[name] as GrowthLimit,
    ...growthOf(
      compared.map((row) => row[name]),
      LIMITS[name],
    ),
  }))
  const cells = found.map(({ limit, first, last, fault }) => {
    const allowed = `${(first * limit.share + limit.amount).toFixed(0)} ${limit.unit}`
    return [limit.name, first.toFixed(1), last.toFixed(1), allowed, fault === undefined ? 'held' : 'GROWS']
  })
  console.log(printTable(['', 'first third', 'last third', 'growth allowed', 'verdict'], cells).trimEnd())
  if (compared.length < MEASUREMENTS_MIN)
    console.log(`Growth was not checked: ${compared.length} minutes after warm-up, wanted ${MEASUREMENTS_MIN}`)
  return found.flatMap(({ fault }) => fault ?? [])
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const left = [...items]
  return Array.from({ length: items.length }, () => left.splice(random.below(left.length), 1)[0] as Item)
}

function readOptions(words: readonly string[]): Options | undefined {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        minutes: { type: 'string' },
        seed: { type: 'string' },
        size: { type: 'string' },
        executable: { type: 'string' },
        queries: { type: 'boolean', default: false },
      },
    })
    const whole = (text: string | undefined, initial: number): number =>
      text === undefined ? initial : /^[1-9]\d{0,8}$/.test(text) ? Number(text) : NaN
    const minutes = whole(values.minutes, MINUTES_DEFAULT)
    const seed = whole(values.seed, seedOfRun())
    const headlines = whole(values.size, HEADLINES_DEFAULT)
    if (!(minutes <= MINUTES_MAX) || Number.isNaN(seed) || Number.isNaN(headlines)) return undefined
    const executable = values.executable === undefined ? undefined : resolve(values.executable)
    return { minutes, seed, headlines, executable, queries: values.queries }
  } catch {
    return undefined
  }
}
