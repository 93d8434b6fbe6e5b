/**
 * `npm run soak [-- --minutes N] [NAME…]`: the attacks of the drill in rotation, all or those that are named, on a service with its own
 * limits, beside the other clients of that drill, which read and write. Every minute it prints what their requests took and what
 * the process holds. It fails when memory, handles, threads, disk or the p99 of the other clients grow without bound, when one of
 * their requests fails, or when an attack breaks what it asserts. On loopback alone. Linux only: the figures of the process come
 * from /proc.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { printTable } from '../src/cli/print-table.ts'
import { seededRandom, seedOfRun, type Random } from './tools/random.ts'
import type { Cleanup } from './tools/temporary-directory.ts'
import { ATTACKS } from './attacks/attack-list.ts'
import { runInTime, type Attack, type Site } from './attacks/attack.ts'
import { handles, residentMemory, scheduled, type Scheduled } from './attacks/process-figures.ts'
import { prepareTarget, type RunningTarget } from './attacks/target.ts'
import { startProbe, type Probe } from './attacks/probe.ts'
import { failuresOf, missesDeadlines, PROBE_KINDS, slownessOf, timesShown } from './attacks/verdict.ts'
import { withCleanup } from './with-cleanup.ts'
import { growthOf, MEASUREMENTS_MIN, type GrowthLimit } from './soak/growth.ts'

const MINUTES_DEFAULT = 30
const MINUTES_MAX = 24 * 60
const HEADLINES = 20_000
/** Below this, attacks run in their short form, so that all of them have their turn. */
const MINUTES_OF_FULL_ATTACKS = 20
/** The first part of the run, in which caches fill and backups reach their number. */
const WARM_UP_SHARE = 0.2
const SAMPLE_MS = 1_000
const REST_BETWEEN_ATTACKS_MS = 3_000
const BACKUP_EVERY_MINUTES = 2
const BACKUPS_KEPT = 2
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
  p99: { name: 'p99 of other clients', unit: 'ms', share: 0.5, amount: 150 },
} as const satisfies Readonly<Record<string, GrowthLimit>>

interface Minute extends Readonly<Record<keyof typeof LIMITS, number>> {
  readonly rssPeak: number
  readonly slowness: number
  readonly requests: number
  /** What other clients felt. */
  readonly shown: string
  readonly failures: readonly string[]
}

interface Options {
  readonly minutes: number
  readonly attacks: readonly Attack[]
}

const seed = seedOfRun()
const options = readOptions(process.argv.slice(2))
if (options === undefined) {
  console.error('Usage: npm run soak [-- [--minutes N] [NAME…]]')
  process.exitCode = 2
} else {
  console.log(`SEED=${seed} soak, ${options.minutes} minutes`)
  const faults = await withCleanup((cleanup) => soak(cleanup, options))
  for (const fault of faults) console.error(`FAULT ${fault}`)
  // An attack that was given up may still hold its connections.
  process.exit(faults.length > 0 ? 1 : 0)
}

async function soak(cleanup: Cleanup, { minutes, attacks }: Options): Promise<readonly string[]> {
  const random = seededRandom(seed)
  const isQuick = minutes < MINUTES_OF_FULL_ATTACKS
  const words = ['--backup-keep', String(BACKUPS_KEPT)]
  const target = await prepareTarget({ cleanup, headlines: HEADLINES, random, isQuick, words })
  return run(await target.start(), { minutes, random, attacks })
}

async function run(
  running: RunningTarget,
  { minutes, random, attacks }: Options & { readonly random: Random },
): Promise<readonly string[]> {
  const { site } = running
  const faults: string[] = []
  const attacked: string[] = []
  let isOver = false
  const rows: Minute[] = []
  {
    await using probe = await startProbe(running)
    probe.begin()
    const rotating = rotate(site, { random, attacks, attacked, faults, isOver: () => isOver || running.ended() !== undefined })
    for (let minute = 1; minute <= minutes && running.ended() === undefined; minute++) {
      if (minute % BACKUP_EVERY_MINUTES === 1) faults.push(...(await backUp(site)))
      const row = await measureMinute(running, probe)
      rows.push(row)
      faults.push(...row.failures.map((failure) => `minute ${minute}: ${failure}`))
      console.log(lineOf(minute, row, attacked.splice(0)))
      for (const failure of row.failures) console.log(`  ${failure}`)
    }
    isOver = true
    await Promise.race([rotating, pause(ATTACK_MS_MAX)])
  }
  const ended = running.ended()
  if (ended !== undefined) return [...faults, `the service ended: ${ended}`]
  const { totalMs, code } = await site.stop()
  const requests = rows.reduce((sum, row) => sum + row.requests, 0)
  console.log(`${requests} requests beside the attacks; stopped in ${Math.round(totalMs)} ms`)
  return [
    ...faults,
    ...running.errors().map((line) => `an error in the log: ${line}`),
    ...(code === 0 && totalMs <= STOP_MS_MAX ? [] : [`exit code ${code} after ${Math.round(totalMs)} ms`]),
    ...growthFaults(rows),
  ]
}

/** Runs one attack after the other, each round in another order. */
async function rotate(
  site: Site,
  run: {
    readonly random: Random
    readonly attacks: readonly Attack[]
    readonly attacked: string[]
    readonly faults: string[]
    readonly isOver: () => boolean
  },
): Promise<void> {
  let round: Attack[] = []
  while (!run.isOver()) {
    if (round.length === 0) round = shuffled(run.attacks, run.random)
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

async function measureMinute({ site, ended }: RunningTarget, probe: Probe): Promise<Minute> {
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
  const slowness = slownessSince(before, site.pid)
  const { felt } = await probe.end()
  probe.begin()
  return {
    rss: lowest(seen.rss),
    rssPeak: Math.max(0, ...seen.rss),
    heap: lowest(seen.heap),
    handles: lowest(seen.handles),
    threads: lowest(seen.threads),
    disk: site.dataBytes() / 2 ** 20,
    p99: Math.max(felt.item.p99, felt.list.p99, felt.new.p99) / slowness,
    slowness,
    requests: PROBE_KINDS.reduce((sum, kind) => sum + (kind === 'bare' ? 0 : felt[kind].count), 0),
    shown: timesShown(felt),
    failures: failuresOf({ felt, slowness }).map(({ kind, status, count }) => `${kind} ${status} (${count} times)`),
  }
}

function slownessSince(before: Scheduled, pid: number): number {
  const { ranSeconds, waitedSeconds } = scheduled(pid)
  return slownessOf(ranSeconds - before.ranSeconds, waitedSeconds - before.waitedSeconds)
}

function lineOf(minute: number, row: Minute, attacked: readonly string[]): string {
  const mib = (value: number): string => `${Math.round(value)} MiB`
  return (
    `minute ${minute}: ${row.requests} requests, ${row.shown}; ` +
    `memory ${mib(row.rss)} (peak ${mib(row.rssPeak)}), heap ${mib(row.heap)}, handles ${row.handles}, ` +
    `threads ${row.threads}, disk ${mib(row.disk)}, slowness of the machine ${row.slowness.toFixed(1)}; ` +
    attacked.join(' ')
  )
}

/** Of the main thread, in MiB; none where the service does not say. */
function heapIn(metrics: string): readonly number[] {
  const [, bytes] = /^dateline_memory_bytes\{kind="heap"\} (\S+)$/m.exec(metrics) ?? []
  return bytes === undefined ? [] : [Number(bytes) / 2 ** 20]
}

/** Prints the first and the last third of each compared figure and returns the faults. */
function growthFaults(rows: readonly Minute[]): readonly string[] {
  const names = Object.keys(LIMITS) as (keyof typeof LIMITS)[]
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
    const { values, positionals: names } = parseArgs({ args: [...words], options: { minutes: { type: 'string' } }, allowPositionals: true })
    const minutes = Number(values.minutes ?? MINUTES_DEFAULT)
    const attacks = ATTACKS.filter(({ name, endsService = false }) => !endsService && (names.length === 0 || names.includes(name)))
    const isRead = Number.isInteger(minutes) && minutes > 0 && minutes <= MINUTES_MAX && attacks.length >= names.length && attacks.length > 0
    return isRead ? { minutes, attacks } : undefined
  } catch {
    return undefined
  }
}
