/**
 * `npm run drill -- cluster-suites [WORD…] [--OPTION…]`: the test files that say `also: cluster` against clusters, once against
 * one node of three, once spread over the three by a proxy. Each service of a test is a site of its own with three processes,
 * over three etcd servers for all of them.
 *
 * Words choose files whose names have one of them; options go to node's test runner. Tests that move the clock run with
 * libfaketime, as in check-executable.ts; where that or etcd is missing, it says so. Skipped are tests that look into the
 * process of the service.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiSuites, CLOCK } from './api-suites.ts'
import { SERVER_COUNT } from './cluster/running-cluster.ts'
import { noEtcd, startEtcd } from './tools/cluster/etcd-server.ts'
import { finish } from './tools/program.ts'
import { temporaryDirectory } from './tools/temporary-directory.ts'
import { WITH_PARENT } from './tools/with-parent.ts'
import { testsAlso } from './test-files.ts'
import { withCleanup } from './with-cleanup.ts'

const ROOT = join(import.meta.dirname, '..')
/** A site has four processes to start. */
const TEST_TIMEOUT_MS = 240_000
const FILES_AT_ONCE = 2
const MODES = ['one', 'spread'] as const

type Mode = (typeof MODES)[number]

/** Prints what it does: a line for each file, and all of one that fails. Throws in the end where any has failed. */
export async function drillSuites(words: readonly string[]): Promise<readonly string[]> {
  if (noEtcd !== false) return [`skipped: ${noEtcd}`]
  return withCleanup(async (cleanup) => {
    const directory = temporaryDirectory(cleanup)
    const etcd = (await startEtcd(cleanup, { servers: SERVER_COUNT, isQuick: false })).endpoints.join()
    const failed: string[] = []
    for (const mode of MODES) {
      const program = programOf(mode, directory, etcd)
      failed.push(...(await runMode(mode, { words, environment: { TEST_PROGRAM: program, TEST_CLUSTER: etcd } })))
    }
    if (failed.length > 0) throw new Error(`${failed.length} files failed: ${failed.join(', ')}`)
    return ['all passed']
  })
}

/** An executable that takes the words of `dateline serve`. */
function programOf(mode: Mode, directory: string, etcd: string): string {
  const script = join(directory, `${mode}.sh`)
  const program = join(import.meta.dirname, 'cluster/serve-cluster.ts')
  const words = [...WITH_PARENT, process.execPath, program, etcd, mode].map((word) => `'${word}'`)
  writeFileSync(script, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 })
  return script
}

interface Wanted {
  readonly words: readonly string[]
  readonly environment: NodeJS.ProcessEnv
}

/** Returns the files that failed. */
async function runMode(mode: Mode, { words, environment }: Wanted): Promise<readonly string[]> {
  const options = [
    ...['--test-reporter=spec', `--test-timeout=${TEST_TIMEOUT_MS}`],
    ...words.filter((word) => word.startsWith('--')),
  ]
  const names = words.filter((word) => !word.startsWith('--'))
  const chosen = testsAlso('cluster').filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
  const { withClock, withoutClock } = apiSuites(chosen)
  if (CLOCK === undefined) console.log(`${mode}: leaves out what moves the clock, as there is no libfaketime: ${withClock.join(', ')}`)
  const waiting = [
    ...withoutClock.map((file) => ({ file, environment })),
    ...(CLOCK === undefined ? [] : withClock.map((file) => ({ file, environment: { ...environment, TEST_CLOCK: CLOCK } }))),
  ]
  const failed: string[] = []
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const hasPassed = await runFile(mode, { ...next, options })
      if (!hasPassed) failed.push(`${next.file} (${mode})`)
    }
  }
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, work))
  return failed
}

interface Suite {
  readonly file: string
  readonly options: readonly string[]
  readonly environment: NodeJS.ProcessEnv
}

/** Whether all its tests passed, or cannot run against a process. */
async function runFile(mode: Mode, { file, options, environment }: Suite): Promise<boolean> {
  const start = performance.now()
  const [program = '', ...words] = [...WITH_PARENT, process.execPath, '--test', ...options, file]
  const child = spawn(program, words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...environment } })
  const { code, stdout: text } = await finish(child)
  const count = (name: string): string => new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 'no'
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  if (code !== 0) console.log(text)
  console.log(`${mode}: ${file}: ${count('pass')} passed, ${count('fail')} failed, ${count('skipped')} skipped, in ${seconds} s`)
  return code === 0
}
