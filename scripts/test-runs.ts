/**
 * Test files, run to their end by node's test runner: each in a process of its own, or in groups that share one.
 *
 * Thousands of tests over real sockets, processes and browsers share a machine with whatever else it does. With
 * TEST_RUNS=2, as in `.ci/run`, files that failed run a second time, one after the other, when the others have ended: what
 * then passes has failed by chance, and is named at the end with what it said before it. More than FAILURES_MAX
 * failures are no chance, and run no second time.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { FailedTest } from './failed-files.ts'
import { groupFiles, writeGroups } from './test-groups.ts'

/** For each test: enough for the slowest, and the end of one that hangs. */
const TEST_TIMEOUT_MS = 120_000
const FAILURES_MAX = 3

export interface TestRun {
  /** Paths below `root`. */
  readonly files: readonly string[]
  readonly root: string
  readonly concurrency: number
  readonly reporter: 'spec' | 'dot'
  /** Options for node's test runner. */
  readonly options?: readonly string[]
  /** `shared` groups the files: see scripts/test-groups.ts. By default each has a process of its own. */
  readonly processes?: 'own' | 'shared'
  /** Where the tests put their files, which go with the run; by default the directory of the system. */
  readonly temporary?: string | undefined
  /** Beside those of this process. */
  readonly variables?: NodeJS.ProcessEnv
}

/** Runs tests, and gives the exit code: 0 where all passed, those of a second run included. */
export function runTests(run: TestRun): number {
  const first = runOnce(run)
  if (first.code === 0 || process.env['TEST_RUNS'] !== '2') return first.code
  const failed = new Set(first.failed.flat())
  const again = run.files.filter((file) => failed.has(resolve(run.root, file)))
  const isChance = again.length === failed.size && again.length > 0 && first.failed.length <= FAILURES_MAX
  if (!isChance) return first.code
  say(`failed, and run again: ${again.join(', ')}`)
  const second = runOnce({ ...run, files: again, concurrency: 1, processes: 'own' })
  if (second.code === 0) say(`failed at first, and passed alone: ${again.join(', ')}`)
  return second.code
}

interface Outcome {
  readonly code: number
  /** Absolute paths: of each file that failed, and of all files of each process that did not come to its end. */
  readonly failed: readonly (readonly string[])[]
}

function runOnce(run: TestRun): Outcome {
  const directory = mkdtempSync(join(run.temporary ?? tmpdir(), 'dateline-tests-'))
  const list = join(directory, 'failed')
  const temporary = run.temporary === undefined ? {} : { TMPDIR: madeDirectory(join(directory, 'tmp')) }
  try {
    const groups = run.processes === 'shared' ? writeGroups(groupFiles(run.files, run.root), { ...run, directory }) : new Map()
    const files = run.processes === 'shared' ? [...groups.keys()] : run.files
    const { status, signal, error } = spawnSync(process.execPath, testArguments({ ...run, files }, list), {
      cwd: run.root,
      stdio: 'inherit',
      env: { ...process.env, ...run.variables, ...temporary },
    })
    if (error !== undefined) say(`cannot run: ${error.message}`)
    if (signal !== null) say(`ended by ${signal}`)
    return { code: status ?? 1, failed: failuresOf(testsIn(list), groups, run.root) }
  } finally {
    remove(directory)
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

/** None where the runner did not come so far. */
function testsIn(list: string): readonly FailedTest[] {
  if (!existsSync(list)) return []
  const lines = readFileSync(list, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as FailedTest)
}

/** A test fails with each that it is in: of a process with several files, the outermost have the paths of these files. */
function failuresOf(tests: readonly FailedTest[], groups: ReadonlyMap<string, readonly string[]>, root: string): string[][] {
  const outermost = groups.size === 0 ? tests : tests.filter(({ nesting }) => nesting === 0)
  const failures = outermost.map(({ file = '', name }) => {
    const group = groups.get(file)
    if (group === undefined) return [file]
    return (group.includes(name) ? [name] : group).map((path) => resolve(root, path))
  })
  return [...new Map(failures.map((files) => [files.join('\n'), files])).values()]
}

/** What a test has left, as a mount or a process that still writes, is no failure of the run. */
function remove(directory: string): void {
  try {
    rmSync(directory, { recursive: true, maxRetries: 3 })
  } catch (error) {
    say(`cannot remove what is left of the run: ${(error as Error).message}`)
  }
}

function madeDirectory(path: string): string {
  mkdirSync(path)
  return path
}

function say(text: string): void {
  process.stderr.write(`tests: ${text}\n`)
}
