/**
 * Test files, run to their end by node's test runner. Files share a process and run one after the other in the order of their
 * paths, since a process that loads the service takes half a second of a core. No more than SHARED_MAX do: the other cores would
 * wait for the last process. A file that its comment isolates has a process of its own: see test-files.ts.
 *
 * A test that times out can leave behind what keeps its process alive. That process ends seconds after its last file, and
 * says which of its files failed. A file that hangs in a hook fails at its limit, and the files after it run.
 *
 * With TEST_RUNS=2, as in `.ci/run`, files that failed run a second time, alone. What then passes failed by chance: it is
 * written to CHANCE_FAILURES with the errors of the first run, and `npm run tidy` lists it until its cause is mended. More
 * than FAILURES_MAX failures are no chance, and run no second time.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FailedTest } from './failed-files.ts'
import { notesOf } from './test-files.ts'
import { longRun } from './tools/long-run.ts'

/** For each test: enough for the slowest, and the end of one that hangs. */
const TEST_TIMEOUT_MS = 120_000
/** For all tests of a file, and its hooks, which have no other limit. A process that is left over then ends, and fails. */
const LIMITS = { fileMs: longRun(300_000, 1_800_000), isolatedMs: 1_800_000, endMs: 10_000 }
const FAILURES_MAX = 3
const SHARED_MAX = 16
/** Below the root of the repository. */
export const CHANCE_FAILURES = 'test/chance-failures.txt'

export interface TestRun {
  /** Paths below `root`. */
  readonly files: readonly string[]
  readonly root: string
  readonly concurrency: number
  readonly reporter: 'spec' | 'dot'
  /** Options for node's test runner. */
  readonly options?: readonly string[]
  /** Whether each file has a process of its own, whatever its comments say. */
  readonly isolated?: boolean
  /** Where the tests put their files, which go with the run; by default the directory of the system. */
  readonly temporary?: string | undefined
  /** How long a file may take that shares its process, one that does not, and a process to end after its last file. */
  readonly limits?: typeof LIMITS
  /** Beside those of this process. */
  readonly variables?: NodeJS.ProcessEnv
}

/** Runs tests, and gives the exit code: 0 where all passed, those of a second run included. */
export function runTests(run: TestRun): number {
  const first = runOnce(run)
  if (first.code === 0 || process.env['TEST_RUNS'] !== '2') return first.code
  const again = run.files.filter((file) => first.failed.has(file))
  if (again.length === 0 || first.failures > FAILURES_MAX) return first.code
  say(`failed, and run again: ${again.join(', ')}`)
  const second = runOnce({ ...run, files: again, concurrency: 1, isolated: true })
  if (second.code === 0) {
    say(`failed at first, and passed alone: ${again.join(', ')}`)
    const entries = again.map((file) => `${new Date().toISOString()} ${file}\n${first.failed.get(file)}\n`)
    appendFileSync(join(run.root, CHANCE_FAILURES), entries.join(''))
  }
  return second.code
}

interface Outcome {
  readonly code: number
  /** Files that failed, each with its errors. A process that ended early fails with all of its files, as one failure. */
  readonly failed: ReadonlyMap<string, string>
  readonly failures: number
}

function runOnce(run: TestRun): Outcome {
  const directory = mkdtempSync(join(run.temporary ?? tmpdir(), 'dateline-tests-'))
  const list = join(directory, 'failed')
  const temporary = run.temporary === undefined ? {} : { TMPDIR: madeDirectory(join(directory, 'tmp')) }
  try {
    const processes = writeProcesses(run, directory)
    const { status, signal, error } = spawnSync(process.execPath, testArguments(run, [...processes.keys()], list), {
      cwd: run.root,
      stdio: 'inherit',
      env: { ...process.env, ...run.variables, ...temporary },
    })
    if (error !== undefined) say(`cannot run: ${error.message}`)
    if (signal !== null) say(`ended by ${signal}`)
    return { code: status ?? 1, ...failuresOf(testsIn(list), processes) }
  } finally {
    remove(directory)
  }
}

/** The script of each process with the files that it runs, in the order of their start: those of many files first. */
function writeProcesses({ files, root, isolated, limits }: TestRun, directory: string): ReadonlyMap<string, readonly string[]> {
  const { alone = [], shared = [] } = Object.groupBy(files, (file) => (isolated === true || notesOf(file, root).isIsolated ? 'alone' : 'shared'))
  const groups = [...evenly(shared), ...alone.map((file) => [file])]
  const width = String(groups.length).length
  return new Map(
    groups.map((group, i) => {
      // Node's test runner starts files in the order of their names.
      const script = join(directory, `${String(i).padStart(width, '0')}.test.mjs`)
      writeFileSync(script, processScript(group, root, limits))
      return [script, group]
    }),
  )
}

/** Files in as few processes as can be, in their order, each with about as many. */
function evenly(files: readonly string[]): readonly (readonly string[])[] {
  const parts = Math.ceil(files.length / SHARED_MAX)
  return Array.from({ length: parts }, (_, i) => files.slice((i * files.length) / parts, ((i + 1) * files.length) / parts))
}

/**
 * Runs files one after the other, each as a test that has its path for a name; a file alone needs no such test, and options as
 * --test-name-pattern concern its own. Fails where the process ends before the last file, or does not end after it.
 */
function processScript(files: readonly string[], root: string, { fileMs, isolatedMs, endMs } = LIMITS): string {
  const list = files.map((file) => [file, pathToFileURL(join(root, file)).href])
  const each =
    files.length === 1
      ? `endAfter(${isolatedMs})\n  await import(url)\n  left -= 1`
      : `test(name, { timeout: ${fileMs} }, async (t) => {
    contexts.push(t)
    t.after(() => {
      left -= 1
      if (left === 0) endAfter(${endMs})
    })
    await import(url)
  })`
  return `import { writeSync } from 'node:fs'
import { test } from 'node:test'
import ${JSON.stringify(import.meta.resolve('./bundled-threads.ts'))}
const files = ${JSON.stringify(list, undefined, 2)}
const contexts = []
let left = files.length
process.on('exit', () => {
  if (left > 0) process.exitCode ||= 1
})
// Taken before a test puts a clock of its own into their place, and no reason for the process to stay.
const { setTimeout } = globalThis
function endAfter(ms) {
  setTimeout(() => {
    const failed = contexts.filter((t) => !t.passed).map((t) => t.name)
    const names = failed.length > 0 ? failed : files.map(([name]) => name)
    writeSync(2, 'tests: a process did not end by itself, look at ' + names.join(', ') + '\\n')
    process.exit(1)
  }, ms).unref()
}
for (const [name, url] of files) {
  ${each}
}
`
}

function testArguments(run: TestRun, scripts: readonly string[], list: string): string[] {
  const settings = [
    `--test-concurrency=${run.concurrency}`,
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    `--test-reporter=${run.reporter}`,
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(import.meta.dirname, 'failed-files.ts')}`,
    `--test-reporter-destination=${list}`,
  ]
  return ['--test', ...settings, ...(run.options ?? []), ...scripts]
}

/** None where the runner did not come so far. */
function testsIn(list: string): readonly FailedTest[] {
  if (!existsSync(list)) return []
  const lines = readFileSync(list, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as FailedTest)
}

function failuresOf(tests: readonly FailedTest[], processes: ReadonlyMap<string, readonly string[]>): Omit<Outcome, 'code'> {
  const failures = new Map<string, readonly string[]>()
  for (const { file = '', name } of tests.filter(({ nesting }) => nesting === 0)) {
    const paths = [...processes.values()].flat()
    const failed = paths.includes(name) ? [name] : (processes.get(file) ?? paths.filter((path) => file.endsWith(`/${path}`)))
    failures.set(failed.join(), failed)
  }
  const errorsOf = (path: string): string => {
    const own = tests.filter(({ file, name }) => file?.endsWith(`/${path}`) === true || name === path)
    return own.map(({ name, error }) => `  ${name}: ${error}`).join('\n')
  }
  const failed = new Map([...failures.values()].flat().map((path) => [path, errorsOf(path)]))
  return { failed, failures: failures.size }
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
