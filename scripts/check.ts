/**
 * The one gate, the same here and in CI: types, then every test. What needs an installed program is a gate of its own:
 * walks through the dashboard in a real browser, and nodes over etcd servers.
 *
 *   npm test                              all but the walks and those that start etcd
 *   npm test -- walks                     the walks
 *   npm test -- etcd                      those that start etcd
 *   npm test -- query                     the tests in test/query
 *   npm test -- test/http/cors.test.ts    one file
 *   npm test -- http --test-name-pattern=HEAD
 *
 * Whatever begins with a dash goes to node's test runner as it is.
 */
import { spawnSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { bundleTestProgram } from './test-program.ts'

/** For each test: enough for the slowest, and the end of one that hangs. */
const TEST_TIMEOUT_MS = 120_000
/** Test files at a time: one more than cores, since each waits for processes, disks and time-outs in between. */
const CONCURRENCY = availableParallelism() + 1
/** Each test file is a process that loads the same sources; with Node's compile cache, that takes half of the time. */
const COMPILE_CACHE = 'node_modules/.cache/compiled'
/** Areas that have to be named. */
const OWN_GATES = ['test/walks/**', 'test/etcd/**']

const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const options = words.filter((word) => word.startsWith('-'))
const files = testFiles(words.filter((word) => !word.startsWith('-')))

const TSC = 'node_modules/typescript/bin/tsc'
process.exitCode =
  run('types', [TSC]) ||
  run('types of the pages', [TSC, '-p', 'src/dashboard']) ||
  run('types of their tests', [TSC, '-p', 'test/walks']) ||
  run('tests', testArguments(), { TEST_BUNDLE: await bundleTestProgram() })

function testArguments(): string[] {
  const settings = [
    `--test-concurrency=${CONCURRENCY}`,
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    '--test-reporter=spec',
  ]
  return ['--test', ...settings, ...options, ...files]
}

/** The test files of areas or paths; all but those of OWN_GATES where none is named. Ends the process where a name has none. */
function testFiles(names: readonly string[]): string[] {
  if (names.length === 0) return globSync('test/**/*.test.ts', { cwd: root, exclude: OWN_GATES }).sort()
  return names.flatMap((name) => {
    if (name.endsWith('.ts') && statSync(join(root, name), { throwIfNoEntry: false })?.isFile() === true) return [name]
    const area = name.replace(/^test\//, '').replace(/\/$/, '')
    const found = globSync([`test/${area}/**/*.test.ts`, `test/${area}.test.ts`], { cwd: root }).sort()
    if (found.length > 0) return found
    process.stderr.write(`check: cannot find tests for "${name}": wanted a directory below test/ or a file\n`)
    process.exit(2)
  })
}

/** Runs a node program to its end and gives its exit code. */
function run(name: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): number {
  const start = performance.now()
  const env = { NODE_COMPILE_CACHE: join(root, COMPILE_CACHE), ...process.env, ...variables }
  const { status, signal, error } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  if (error !== undefined) process.stderr.write(`check: cannot run the ${name}: ${error.message}\n`)
  const how = status === 0 ? 'passed' : `failed${signal === null ? '' : `, ended by ${signal}`}`
  process.stderr.write(`check: ${name} ${how} in ${seconds} s\n`)
  return status ?? 1
}
