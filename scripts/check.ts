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
import { join, matchesGlob } from 'node:path'
import { memoryDirectory } from './memory-directory.ts'
import { bundleTestProgram } from './test-program.ts'
import { runTests } from './test-runs.ts'

/** Test files at a time: one more than cores, since each waits for processes, disks and time-outs in between. */
const CONCURRENCY = availableParallelism() + 1
/** Many processes load the same sources; with Node's compile cache, that takes half of the time. */
const COMPILE_CACHE = 'node_modules/.cache/compiled'
/** Areas that have to be named. Their files have browsers and servers of their own, each in a process of its own. */
const OWN_GATES = ['test/walks/**', 'test/etcd/**']

const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const options = words.filter((word) => word.startsWith('-'))
const files = testFiles(words.filter((word) => !word.startsWith('-')))

const TSC = 'node_modules/typescript/bin/tsc'
const ENVIRONMENT = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(root, COMPILE_CACHE) }
process.exitCode =
  timed('types', () => checkTypes('.')) ||
  timed('types of the pages', () => checkTypes('src/dashboard')) ||
  timed('types of their tests', () => checkTypes('test/walks')) ||
  (await tests())

async function tests(): Promise<number> {
  const variables = { ...ENVIRONMENT, TEST_BUNDLE: await bundleTestProgram() }
  const run = { files, root, concurrency: CONCURRENCY, reporter: 'spec', options, variables } as const
  const isOwnGate = files.some((file) => OWN_GATES.some((pattern) => matchesGlob(file, pattern)))
  // A pattern of names would have to match the paths of files, which are tests in a shared process.
  const processes = isOwnGate || options.length > 0 ? 'own' : 'shared'
  return timed('tests', () => runTests({ ...run, processes, temporary: isOwnGate ? undefined : memoryDirectory() }))
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

/** Of what it checked before, the compiler checks only what a change concerns: it compares the files by their hashes. */
function checkTypes(project: string): number {
  const known = join('dist/types', project, 'checked.tsbuildinfo')
  return runScript(TSC, '-p', project, '--incremental', '--tsBuildInfoFile', known)
}

/** Runs a node program to its end and gives its exit code. */
function runScript(...args: readonly string[]): number {
  const env = { ...process.env, ...ENVIRONMENT }
  const { status, signal, error } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env })
  if (error !== undefined) process.stderr.write(`check: cannot run ${args[0]}: ${error.message}\n`)
  if (signal !== null) process.stderr.write(`check: ${args[0]} was ended by ${signal}\n`)
  return status ?? 1
}

/** Runs one step, says how it ended, and gives its exit code. */
function timed(name: string, step: () => number): number {
  const start = performance.now()
  const code = step()
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  process.stderr.write(`check: ${name} ${code === 0 ? 'passed' : 'failed'} in ${seconds} s\n`)
  return code
}
