/**
 * `npm run drill -- attacks [--quick] [NAME…]`: attacks on a running service, one
 * after another, each on a process of its own over the same data, while a probe measures what others feel. Bounded,
 * and on loopback alone. Prints what was tried, what others felt, and what it cost; throws an Error that lists what
 * broke a limit. The limits stand beside the attacks. Linux only: the figures of the process come from /proc.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { printTable } from '../src/cli/print-table.ts'
import type { Drill } from './killed/killed-site.ts'
import { ATTACKS } from './attacks/attack-list.ts'
import { runInTime, type Attack, type Outcome, type Site } from './attacks/attack.ts'
import { dataPath, inParallel } from './attacks/loopback-client.ts'
import { startProbe, type ProbeFigures } from './attacks/probe.ts'
import { cpuSeconds, handles, residentMemory, scheduled } from './attacks/process-figures.ts'
import { prepareTarget, type Others, type RunningTarget, type Target } from './attacks/target.ts'
import {
  DEFAULT_LIMITS,
  failuresOf,
  faultsOf,
  missesDeadlines,
  PROBE_KINDS,
  slownessOf,
  timesShown,
  type Limits,
  type Measured,
} from './attacks/verdict.ts'

const HEADLINES = 20_000
const HEADLINES_QUICK = 3_000
/** Before an attack, so that the memory it starts from is that of a service at work. */
const WARM_UP_REQUESTS = 2_000
const WARM_UP_REQUESTS_QUICK = 600
const PROBE_MS_MIN = 2_000
const PROBE_MS_MIN_QUICK = 1_000
const SETTLE_MS_MAX = 12_000
/** By then the work of the attack is done, and so is what a service does in the first seconds of its life. */
const IDLE_SECONDS_MAX = 5
/** For times in the gate, where few requests are measured. */
const LENIENCY_QUICK = 5

export interface AttackOptions {
  readonly isQuick: boolean
  /** Those to run; empty for all. */
  readonly names: readonly string[]
}

/** Reads what follows `attacks` on the command line; undefined where it cannot be read. */
export function readAttackWords(words: readonly string[]): AttackOptions | undefined {
  const names = words.filter((word) => word !== '--quick')
  return names.some((name) => name.startsWith('-')) ? undefined : { isQuick: names.length < words.length, names }
}

interface Report {
  readonly attack: Attack
  readonly measured: Measured
  readonly faults: readonly string[]
}

/** Gives the table. Throws an Error with the table and all faults where a limit was broken. */
export async function drillAttacks({ cleanup, random }: Drill, drill: AttackOptions): Promise<string> {
  const attacks = ATTACKS.filter(({ name, isQuick = false }) =>
    drill.names.length > 0 ? drill.names.includes(name) : isQuick || !drill.isQuick,
  )
  const unknown = drill.names.filter((name) => ATTACKS.every((attack) => attack.name !== name))
  if (unknown.length > 0) throw new Error(`No such attack: ${unknown.join(', ')}`)
  const target = await prepareTarget({
    cleanup,
    headlines: drill.isQuick ? HEADLINES_QUICK : HEADLINES,
    random,
    isQuick: drill.isQuick,
  })
  const reports: Report[] = []
  for (const attack of attacks) {
    reports.push(await runAttack(attack, target, drill.isQuick ? LENIENCY_QUICK : 1))
  }
  const table = tableOf(reports)
  const faults = reports.flatMap(({ attack, faults }) => faults.map((fault) => `${attack.name}: ${fault}`))
  if (faults.length > 0) throw new Error(`${faults.length} faults\n${table}\n  ${faults.join('\n  ')}`)
  return table
}

async function runAttack(attack: Attack, target: Target, leniency: number): Promise<Report> {
  console.log(`${attack.name}: ${attack.tries}`)
  const limits: Limits = { ...DEFAULT_LIMITS, ...attack.limits }
  const running = await target.start()
  try {
    const { measured, notes, faults } = await measure(attack, running)
    const all = [
      ...faults,
      ...faultsOf(measured, limits, leniency),
      ...running.errors().map((line) => `an error in the log: ${line}`),
    ]
    for (const note of notes) console.log(`  ${note}`)
    for (const line of figures(measured)) console.log(`  ${line}`)
    for (const fault of all) console.log(`  FAULT ${fault}`)
    return { attack, measured, faults: all }
  } finally {
    await running.kill()
  }
}

interface Run {
  readonly measured: Measured
  readonly notes: readonly string[]
  readonly faults: readonly string[]
}

async function measure(attack: Attack, running: RunningTarget): Promise<Run> {
  const { site, others } = running
  await using probe = await startProbe(running)
  await warmUp(site, others)
  const before = { ...residentMemory(site.pid), ...scheduled(site.pid), handles: handles(site.pid) }
  probe.begin()
  const start = performance.now()
  const outcome: Outcome = await runInTime(attack, site).catch((error: unknown) => ({
    notes: [],
    faults: [`the attack could not be run: ${error instanceof Error ? error.message : String(error)}`],
  }))
  const probeMs = site.isQuick ? PROBE_MS_MIN_QUICK : PROBE_MS_MIN
  await pause(Math.max(0, probeMs - (performance.now() - start)))
  const { felt, rssPeakMib }: ProbeFigures = await probe.end()
  const { ranSeconds, waitedSeconds } = scheduled(site.pid)
  const slowness = slownessOf(ranSeconds - before.ranSeconds, waitedSeconds - before.waitedSeconds)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  const isLate = missesDeadlines({ slowness })
  const told = [...outcome.notes, `${seconds} s`]
  const faults = [...outcome.faults, ...(isLate ? [] : (outcome.lateness ?? []))]
  const after = await afterwards(running, before.handles)
  const { rssMib: rssBeforeMib, threads: threadsBefore, handles: handlesBefore } = before
  const measured = { felt, slowness, rssBeforeMib, rssPeakMib, threadsBefore, handlesBefore }
  if (after === undefined) {
    const crash = attack.endsService === true ? [] : [`the service ended during the attack: ${running.ended() ?? ''}`]
    const gone = { rssAfterMib: 0, threadsAfter: 0, handlesAfter: 0, idleCpu: 0, stopMs: undefined }
    return { notes: told, faults: [...faults, ...crash], measured: { ...measured, ...gone } }
  }
  const { totalMs, code } = await site.stop()
  return {
    notes: told,
    faults: code === 0 ? faults : [...faults, `exit code ${code} after SIGTERM, wanted 0`],
    measured: { ...measured, ...after, stopMs: totalMs },
  }
}

/** Ordinary requests of all kinds, so that code is compiled, pages are cached and threads are there. */
async function warmUp(site: Site, { readers, administrator }: Others): Promise<void> {
  const clients = readers.length
  await inParallel(clients, async (i) => {
    const token = readers[i]?.token
    const requests = site.isQuick ? WARM_UP_REQUESTS_QUICK : WARM_UP_REQUESTS
    for (let n = 0; n < requests / clients; n++) {
      const id = site.headlineIds[(i * 31 + n) % site.headlineIds.length]
      await site.send({ path: n % 2 === 0 ? dataPath({ model: 'headline' }, `/${id}`) : '/healthz', token })
    }
  })
  const filter = { excerpt: { $regex: 'warm.*up' } }
  await inParallel(4, () =>
    site.send({ path: dataPath({ model: 'headline', filter }), token: administrator.token }),
  )
}

/** The figures once the handles are as before, or the time for that is over; undefined where the process has ended. */
async function afterwards({ site: { pid }, ended }: RunningTarget, handlesBefore: number) {
  try {
    const until = performance.now() + SETTLE_MS_MAX
    while (performance.now() < until && handles(pid) > handlesBefore + 2) await pause(200)
    const { rssMib, threads } = residentMemory(pid)
    const handlesAfter = handles(pid)
    let idleCpu = Infinity
    for (let i = 0; i < IDLE_SECONDS_MAX && idleCpu > DEFAULT_LIMITS.idleCpuMax; i++) {
      const cpu = cpuSeconds(pid)
      await pause(1_000)
      idleCpu = cpuSeconds(pid) - cpu
    }
    return { rssAfterMib: rssMib, threadsAfter: threads, handlesAfter, idleCpu }
  } catch (error) {
    // Its files in /proc go a moment before we hear of its end.
    for (let i = 0; i < 20 && ended() === undefined; i++) await pause(100)
    if (ended() === undefined) throw error
    return undefined
  }
}

function figures({ felt, ...process }: Measured): readonly string[] {
  const stop = process.stopMs === undefined ? '' : `, stopped in ${Math.round(process.stopMs)} ms`
  return [
    `others, ${timesShown(felt)}`,
    `memory ${memory(process)} MiB, threads ${process.threadsBefore} → ${process.threadsAfter}, ` +
      `handles ${process.handlesBefore} → ${process.handlesAfter}, CPU afterwards ${process.idleCpu.toFixed(2)}` +
      `${stop}, slowness of the machine ${process.slowness.toFixed(1)}`,
  ]
}

function memory(process: Pick<Measured, 'rssBeforeMib' | 'rssPeakMib' | 'rssAfterMib'>): string {
  return [process.rssBeforeMib, process.rssPeakMib, process.rssAfterMib].map(Math.round).join(' → ')
}

function tableOf(reports: readonly Report[]): string {
  const p99s = PROBE_KINDS.map((kind) => `${kind} p99`)
  const titles = ['attack', ...p99s, 'failed', 'slowness', 'memory MiB', 'verdict']
  const rows = reports.map(({ attack, measured, faults }) => {
    const verdict = faults.length === 0 ? 'held' : `BROKEN (${faults.length})`
    const { felt } = measured
    const failed = failuresOf(measured).map(({ count }) => count)
    return [
      attack.name,
      ...PROBE_KINDS.map((kind) => `${Math.round(felt[kind].p99)} ms`),
      String(failed.reduce((sum, count) => sum + count, 0)),
      measured.slowness.toFixed(1),
      memory(measured),
      verdict,
    ]
  })
  return printTable(titles, rows).trimEnd()
}
