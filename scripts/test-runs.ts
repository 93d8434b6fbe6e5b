/**
 * Test files, run to their end by node's test runner.
 *
 * Thousands of tests over real sockets, processes and browsers share a machine with whatever else it does. With
 * TEST_RUNS=2, as in `.ci/run`, files that failed run a second time, one after the other, when the others have ended: what
 * then passes has failed by chance, and is named at the end with what it said before it. More than FILES_MAX failed files
 * are no chance, and run no second time.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** For each test: enough for the slowest, and the end of one that hangs. */
const TEST_TIMEOUT_MS = 120_000
const FILES_MAX = 3

export interface TestRun {
  /** Paths below `root`. */
  readonly files: readonly string[]
  readonly root: string
  readonly concurrency: number
  readonly reporter: 'spec' | 'dot'
  /** Options for node's test runner. */
  readonly options?: readonly string[]
  /** Beside those of this process. */
  readonly variables?: NodeJS.ProcessEnv
}

/** Runs tests, and gives the exit code: 0 where all passed, those of a second run included. */
export function runTests(run: TestRun): number {
  const first = runOnce(run)
  if (first.code === 0 || process.env['TEST_RUNS'] !== '2') return first.code
  const again = run.files.filter((file) => first.failed.has(resolve(run.root, file)))
  const isChance = again.length === first.failed.size && again.length > 0 && again.length <= FILES_MAX
  if (!isChance) return first.code
  say(`failed, and run again: ${again.join(', ')}`)
  const second = runOnce({ ...run, files: again, concurrency: 1 })
  if (second.code === 0) say(`failed at first, and passed alone: ${again.join(', ')}`)
  return second.code
}

function runOnce(run: TestRun): { readonly code: number; readonly failed: ReadonlySet<string> } {
  const directory = mkdtempSync(join(tmpdir(), 'dateline-tests-'))
  const list = join(directory, 'failed')
  try {
    const { status, signal, error } = spawnSync(process.execPath, testArguments(run, list), {
      cwd: run.root,
      stdio: 'inherit',
      env: { ...process.env, ...run.variables },
    })
    if (error !== undefined) say(`cannot run: ${error.message}`)
    if (signal !== null) say(`ended by ${signal}`)
    return { code: status ?? 1, failed: linesOf(list) }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function testArguments(run: TestRun, list: string): string[] {
  const settings = [
    `--test-concurrency=${run.concurrency}`,
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    `--test-reporter=${run.reporter}`,
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(import.meta.dirname, 'failed-files.ts')}`,
    `--test-reporter-destination=${list}`,
  ]
  return ['--test', ...settings, ...(run.options ?? []), ...run.files]
}

/** The files of failed tests; an empty line is a failure without one. None where the runner did not come so far. */
function linesOf(file: string): Set<string> {
  return new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [])
}

function say(text: string): void {
  process.stderr.write(`tests: ${text}\n`)
}
