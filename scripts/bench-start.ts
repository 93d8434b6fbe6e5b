/**
 * `npm run bench -- start [N]`: from the start of the executable to its ready line, on an empty data directory and on
 * one with N headlines (default 1,000,000), beside what Node itself takes: `node -e`, and an executable that prints a
 * line. Medians of ten, taken in turn, files in the cache of the system, an empty environment. CPU time of the main
 * thread is beside the time that passed, since it depends less on what else the machine does. Then memory of the idle
 * service and of an idle Node.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bundleProgram } from './build-bundle.ts'
import { buildExecutable } from './build-executable.ts'
import { fillDirectory } from './bench/filled-service.ts'
import { median } from './bench/load-rounds.ts'

const ITEMS_DEFAULT = 1_000_000
const RUNS = 10
/** After this long an idle service has done what it puts off at its start. */
const SETTLE_MS = 2_000
const PRINT_AND_STAY = "console.log('ready'); setInterval(() => {}, 1e6)"

interface Program {
  readonly name: string
  /** The words of one start, which may get a directory of its own. */
  readonly words: (run: number) => readonly string[]
}

interface Start {
  readonly ms: number
  readonly cpuMs: number
  readonly residentMib: number
}

export async function benchStart([count = String(ITEMS_DEFAULT)]: readonly string[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dateline-bench-'))
  try {
    const [dateline, bare] = [join(directory, 'dateline'), join(directory, 'bare')]
    buildExecutable({ bundle: await bundleProgram(), node: process.execPath, output: dateline })
    const bundle = { main: PRINT_AND_STAY, workers: new Map<string, string>(), texts: new Map<string, string>(), pages: new Uint8Array() }
    buildExecutable({ bundle, node: process.execPath, output: bare })
    // Node as it comes, copied like the others: pages of a file that was written in one go count more of it as
    // resident.
    const node = join(directory, 'node')
    copyFileSync(process.execPath, node)
    const full = join(directory, 'full')
    await fillDirectory(full, Number(count))
    const serve = (path: string): readonly string[] => [dateline, 'serve', '--port', '0', '--data-dir', path]
    const programs: readonly Program[] = [
      { name: 'node -e', words: () => [node, '-e', PRINT_AND_STAY] },
      { name: 'the same as an executable', words: () => [bare] },
      { name: 'dateline serve, empty', words: (run) => serve(join(directory, `empty-${run}`)) },
      { name: `dateline serve, ${count} items`, words: () => serve(full) },
    ]
    const starts = new Map(programs.map(({ name }): [string, Start[]] => [name, []]))
    for (let run = 0; run <= RUNS; run++) {
      for (const { name, words } of programs) {
        // The first round brings the files into the cache; the last looks at the memory after a while.
        const one = await start(words(run), run === RUNS ? SETTLE_MS : 0)
        if (run > 0) starts.get(name)?.push(one)
      }
    }
    console.log(`dateline: ${(statSync(dateline).size / 1e6).toFixed(1)} MB`)
    for (const [name, all] of starts) {
      const of = (take: (one: Start) => number): number => median(all.map(take))
      const idle = all.at(-1)?.residentMib ?? 0
      console.log(
        `${name.padEnd(32)} ${of(({ ms }) => ms)
          .toFixed(0)
          .padStart(5)} ms, ${of(({ cpuMs }) => cpuMs).toFixed(0)} ms of CPU, idle ${idle.toFixed(1)} MiB resident`,
      )
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function start([command = '', ...words]: readonly string[], settleMs: number): Promise<Start> {
  const since = performance.now()
  const child = spawn(command, words, { env: {}, stdio: ['ignore', 'pipe', 'ignore'] })
  const closed = once(child, 'close')
  await Promise.race([once(child.stdout, 'data'), closed])
  if (child.exitCode !== null) throw new Error(`${command} ended before it was ready`)
  const ms = performance.now() - since
  const cpuMs = Number(readFileSync(`/proc/${child.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  await pause(settleMs)
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
  child.kill('SIGKILL')
  await closed
  return { ms, cpuMs, residentMib: Number(resident) / 1024 }
}
