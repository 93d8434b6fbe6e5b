// gate: runs the test runner in many ways, and waits for files that hang
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const SCRIPT = pathToFileURL(join(import.meta.dirname, '../../scripts/test-runs.ts')).href
const FAILS_ONCE = `import { existsSync, writeFileSync } from 'node:fs'
import { it } from 'node:test'
it('fails once', () => {
  const mark = import.meta.filename + '.mark'
  if (existsSync(mark)) return
  writeFileSync(mark, '')
  throw new Error('the first run, seed 7')
})
`
/** Fails where the file before it left a hook or a test behind. */
const COUNTS = `import { after, it } from 'node:test'
globalThis.running ??= 0
globalThis.running++
after(() => void globalThis.running--)
await new Promise((resolve) => setImmediate(resolve))
it('runs between the files before and after it, in process ' + process.pid, () => {
  if (globalThis.running !== 1) throw new Error(globalThis.running + ' files at a time')
})
`

interface Outcome {
  readonly code: number | null
  readonly output: string
  /** What the run wrote of failures by chance. */
  readonly chance: string
}

/** Runs files of these contents as the gate does. */
function run(t: TestContext, contents: Readonly<Record<string, string>>, isolated: boolean, more: object = {}): Outcome {
  const root = temporaryDirectory(t)
  const report = join(root, 'test/chance-failures.txt')
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(root, name), content)
  const given = { files: Object.keys(contents), root, concurrency: 2, reporter: 'spec', isolated, ...more }
  const script = `import { mkdirSync } from 'node:fs'
import { runTests } from ${JSON.stringify(SCRIPT)}
mkdirSync(${JSON.stringify(join(root, 'test'))})
process.exitCode = runTests(${JSON.stringify(given)})`
  // A runner inside a test would report to the runner outside alone.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...env, TEST_RUNS: '2' },
    timeout: 60_000,
    encoding: 'utf8',
  })
  return { code: status, output: stdout + stderr, chance: existsSync(report) ? readFileSync(report, 'utf8') : '' }
}

for (const isolated of [true, false])
  describe(`a run of test files, isolated: ${isolated}`, () => {
    it('passes a file that passes in its second run, and writes down what failed in the first', (t) => {
      const { code, output, chance } = run(t, { 'a.mjs': COUNTS, 'b.mjs': FAILS_ONCE }, isolated)
      assert.equal(code, 0, output)
      assert.match(chance, /b\.mjs\n[^]*fails once: Error: the first run, seed 7/)
    })

    it('fails where a file cannot be loaded, fails twice, or ends its process with exit code 0', (t) => {
      const fails = "import { it } from 'node:test'\nit('fails', () => { throw new Error('never right') })\n"
      for (const content of ["import 'node:none'\n", fails, 'process.exit(0)\n']) {
        const { code, output, chance } = run(t, { 'a.mjs': content }, isolated)
        assert.deepEqual([code, chance], [1, ''], output)
      }
    })

    it('runs nothing again where more than three files failed', (t) => {
      const files = { 'a.mjs': FAILS_ONCE, 'b.mjs': FAILS_ONCE, 'c.mjs': FAILS_ONCE, 'd.mjs': FAILS_ONCE }
      assert.equal(run(t, files, isolated).code, 1)
    })
  })

it('files share a process, one after the other; an isolated one has its own', (t) => {
  const { code, output } = run(t, { 'a.mjs': COUNTS, 'b.mjs': `// isolated: it counts\n${COUNTS}`, 'c.mjs': COUNTS }, false)
  assert.equal(code, 0, output)
  const found = [...output.matchAll(/it, in process (\d+)/g)].map(([, pid]) => pid)
  assert.deepEqual([found.length, new Set(found).size], [3, 2], output)
})

it('a process that tests and files keep alive runs the files after them, ends, and names the files that hang', (t) => {
  const timer = "import { it } from 'node:test'\nsetInterval(() => {}, 1000)\n"
  const timesOut = `${timer}it('hangs', { timeout: 100 }, () => new Promise(() => {}))\n`
  const neverLoads = `${timer}await new Promise(() => {})\n`
  const limits = { fileMs: 2000, isolatedMs: 500, endMs: 100 }
  const files = { 'a.mjs': COUNTS, 'b.mjs': timesOut, 'c.mjs': neverLoads, 'd.mjs': COUNTS }
  const { code, output } = run(t, files, false, { limits })
  assert.equal(code, 1, output)
  assert.equal([...output.matchAll(/✔ runs between the files/g)].length, 2, output)
  assert.match(output, /did not end by itself, look at b\.mjs, c\.mjs\n/)
})
