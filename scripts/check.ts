/**
 * The one gate, the same here and in CI: types, then every test. What needs an installed program is a gate of its own:
 * walks through the dashboard in a real browser, and nodes over etcd servers.
 *
 *   npm test                              all but the walks, those that start etcd, and the files that say `gate:`
 *   npm test -- gate                      the files that say `gate:`
 *   npm test -- walks                     the walks
 *   npm test -- etcd                      those that start etcd
 *   npm test -- query                     the tests in test/query
 *   npm test -- test/http/cors.test.ts    one file
 *   npm test -- also:cache-off            the files that say `also: cache-off`, with that setting
 *   npm test -- http --test-name-pattern=HEAD
 *
 * Words that begin with a dash go to node's test runner as they are.
 */
import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { freshDashboard } from './fresh-dashboard.ts'
import { memoryDirectory } from './memory-directory.ts'
import { BROWSER_GATE, OWN_GATES, selectTests, type Selection } from './test-files.ts'
import { bundleTestProgram } from './test-program.ts'
import { runTests } from './test-runs.ts'

/** Processes of test files at a time: one more than cores, since each waits for processes, disks and time-outs in between. */
const CONCURRENCY = availableParallelism() + 1
/** Many processes load the same sources; with Node's compile cache, that takes half of the time. */
const COMPILE_CACHE = 'node_modules/.cache/compiled'
const TSC = 'node_modules/typescript/bin/tsc'

const root = join(import.meta.dirname, '..')
const environment = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(root, COMPILE_CACHE) }
const words = process.argv.slice(2)
const options = words.filter((word) => word.startsWith('-'))
const selection = select(words.filter((word) => !word.startsWith('-')))
freshDashboard()
process.exitCode =
  timed('types', () => checkTypes('.')) ||
  timed('types of the pages', () => checkTypes('src/dashboard')) ||
  timed('types of their tests', () => checkTypes('test/walks')) ||
  (await test(selection))

/** Ends the process where a name has no test. */
function select(names: readonly string[]): Selection {
  try {
    return selectTests(names)
  } catch (error) {
    process.stderr.write(`check: ${(error as Error).message}\n`)
    process.exit(2)
  }
}

async function test({ files, variables: settings }: Selection): Promise<number> {
  const variables = { ...environment, ...settings, TEST_BUNDLE: await bundleTestProgram() }
  const isOwnGate = files.some((file) => OWN_GATES.some((pattern) => matchesGlob(file, pattern)))
  // Browsers keep large profiles, and wait for no commit.
  const temporary = files.some((file) => matchesGlob(file, BROWSER_GATE)) ? undefined : memoryDirectory()
  // A pattern of names would have to match the paths of files, which are tests in a shared process.
  const isolated = isOwnGate || options.length > 0
  return timed('tests', () => runTests({ files, root, concurrency: CONCURRENCY, reporter: 'spec', options, variables, temporary, isolated }))
}

/** Of what it checked before, the compiler checks only what a change concerns: it compares the files by their hashes. */
function checkTypes(project: string): number {
  const known = join('dist/types', project, 'checked.tsbuildinfo')
  const env = { ...process.env, ...environment }
  const args = [TSC, '-p', project, '--incremental', '--tsBuildInfoFile', known]
  const { status, signal, error } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env })
  if (error !== undefined) process.stderr.write(`check: cannot run ${TSC}: ${error.message}\n`)
  if (signal !== null) process.stderr.write(`check: ${TSC} was ended by ${signal}\n`)
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
