/**
 * `npm run fuzz -- NAME [CASES]`: a random test of `npm test` with as many cases as one likes, and a new seed, which is printed:
 * `SEED=` repeats a run. The tests are in TESTS; each takes the number of its cases from fuzzRun().
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { seedOfRun } from './tools/random.ts'

const CASES_DEFAULT = 10_000
const TESTS: Readonly<Record<string, string>> = {
  query: 'query/differential',
  parse: 'query/filter-bytes',
  pattern: 'query/regex-differential',
  codecs: 'cluster/codecs',
  http2: 'cluster/damaged-frames',
  changeset: 'store/replica/changeset',
  replica: 'store/replica/write-schedule',
  feed: 'feeds/reading/read-feed',
  picture: 'media/read-picture',
}

const [name = '', cases = String(CASES_DEFAULT)] = process.argv.slice(2)
const test = TESTS[name]
if (test === undefined || !/^[1-9]\d{0,11}$/.test(cases)) {
  console.error(`Usage: npm run fuzz -- ${Object.keys(TESTS).join('|')} [CASES]`)
  process.exitCode = 2
} else {
  const seed = seedOfRun()
  console.log(`SEED=${seed} ${name}, ${cases} cases`)
  // Without node's test runner, no limit on time ends a test.
  const file = join(import.meta.dirname, '../test', `${test}.test.ts`)
  const { status } = spawnSync(process.execPath, [file], { stdio: 'inherit', env: { ...process.env, SEED: String(seed), FUZZ_CASES: cases } })
  process.exitCode = status ?? 1
}
