/**
 * `npm run bench -- threads [N] [HEADLINES]`: what N threads (default 2) give on reads, beside one, with a connection of
 * load in each thread's own event loop: so no core is needed for a load generator, and its cost is the same in both.
 *
 * Where the cores are free, the rates tell. Where they are not, the CPU time of a request does: what threads contend for,
 * in SQLite, V8 or the kernel, makes a request cost more than it costs alone.
 */
import { once } from 'node:events'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Json } from '../../src/base/json.ts'
import { createBenchRoom } from './bench-processes.ts'
import { fillDirectory } from './filled-service.ts'
import { requestText } from './http-scenarios.ts'
import { TIME_PLACE } from './load-job.ts'
import { median } from './load-rounds.ts'
import type { ThreadFigures, ThreadJob } from './threads-bench-thread.ts'

const THREADS_DEFAULT = 2
const HEADLINES_DEFAULT = 20_000
const IDS = 1_000
const ROUNDS = 5

interface Figures {
  readonly perSecond: number
  readonly cpuMicros: number
  readonly busy: number
}

export async function benchThreads(words: readonly string[]): Promise<void> {
  const [threads = THREADS_DEFAULT, count = HEADLINES_DEFAULT] = words.map(Number)
  await using room = createBenchRoom()
  const directory = join(room.directory, 'data')
  const { world, token } = await fillDirectory(directory, count)
  const workers = await Promise.all(Array.from({ length: threads }, () => startThread(directory)))
  const get = (path: string): string => requestText('GET', path, { token })
  const scenarios = {
    'by id': world.ids.filter((_, i) => i % Math.ceil(count / IDS) === 0).map((id) => get(`/api/v1/data/${id}?model=headline`)),
    'list, hot': [get(list({ status: 'active' }))],
    'list, cold': [get(list({ status: 'active', updatedAt: { $lte: TIME_PLACE } }))],
  }
  console.log(`${count} headlines, ${availableParallelism()} cores, load average ${loadavg()[0]?.toFixed(1)}\n`)
  console.log(`${''.padEnd(12)}1: requests/s  CPU µs  cores   ${threads}: requests/s  CPU µs  cores   rate  cost`)
  for (const [name, requests] of Object.entries(scenarios)) {
    const [one, all]: [Figures[], Figures[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      one.push(await run(workers.slice(round % threads, (round % threads) + 1), requests))
      all.push(await run(workers, requests))
    }
    const [alone, together] = [medians(one), medians(all)]
    const rate = (together.perSecond / alone.perSecond).toFixed(2)
    const cost = (together.cpuMicros / alone.cpuMicros).toFixed(2)
    console.log(`${name.padEnd(12)}${textOf(alone)}   ${textOf(together)}   ${rate}  ${cost}`)
  }
  await Promise.all(workers.map((worker) => worker.terminate()))
}

async function startThread(directory: string): Promise<Worker> {
  const worker = new Worker(new URL('./threads-bench-thread.ts', import.meta.url), { workerData: directory })
  await once(worker, 'message')
  return worker
}

async function run(workers: readonly Worker[], requests: readonly string[]): Promise<Figures> {
  for (const worker of workers) worker.postMessage({ requests } satisfies ThreadJob)
  const figures = await Promise.all(workers.map(async (worker) => ((await once(worker, 'message')) as [ThreadFigures])[0]))
  const sum = (of: (one: ThreadFigures) => number): number => figures.reduce((total, one) => total + of(one), 0)
  return {
    perSecond: sum(({ count, ms }) => count / (ms / 1000)),
    cpuMicros: sum(({ cpuMicros }) => cpuMicros) / sum(({ count }) => count),
    busy: sum(({ cpuMicros, ms }) => cpuMicros / 1000 / ms),
  }
}

function medians(rounds: readonly Figures[]): Figures {
  const of = (name: keyof Figures): number => median(rounds.map((one) => one[name]))
  return { perSecond: of('perSecond'), cpuMicros: of('cpuMicros'), busy: of('busy') }
}

function textOf({ perSecond, cpuMicros, busy }: Figures): string {
  return `${perSecond.toFixed(0).padStart(13)}${cpuMicros.toFixed(1).padStart(8)}${busy.toFixed(2).padStart(7)}`
}

function list(filter: Json): string {
  const text = encodeURIComponent(JSON.stringify(filter)).replace(encodeURIComponent(TIME_PLACE), TIME_PLACE)
  return `/api/v1/data?model=headline&filter=${text}&sort=updatedAt:desc&limit=20`
}
