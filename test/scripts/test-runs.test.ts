import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { temporaryDirectory } from '../support/service/temporary-directory.ts'

const SCRIPT = pathToFileURL(join(import.meta.dirname, '../../scripts/test-runs.ts')).href
const PASSES = "import { it } from 'node:test'\nit('passes', () => {})\n"
const FAILS = "import { it } from 'node:test'\nit('fails', () => { throw new Error('never right') })\n"
const ENDS = 'process.exit(3)\n'
/** Fails in its first run only. */
const FAILS_ONCE = `import { existsSync, writeFileSync } from 'node:fs'
import { it } from 'node:test'
it('fails once', () => {
  const mark = import.meta.filename + '.mark'
  if (existsSync(mark)) return
  writeFileSync(mark, '')
  throw new Error('the first run')
})
`

/** Runs files of these contents as the gate does, and gives the exit code and all output. */
function run(t: TestContext, contents: Readonly<Record<string, string>>, runs: string | undefined): { code: number | null; output: string } {
  const root = temporaryDirectory(t)
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(root, name), content)
  const given = { files: Object.keys(contents), root, concurrency: 2, reporter: 'dot' }
  const script = `import { runTests } from ${JSON.stringify(SCRIPT)}
process.exitCode = runTests(${JSON.stringify(given)})`
  // A runner inside a test would report to the runner outside alone.
  const { NODE_TEST_CONTEXT: _, TEST_RUNS: __, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: runs === undefined ? env : { ...env, TEST_RUNS: runs },
    encoding: 'utf8',
  })
  return { code: status, output: stdout + stderr }
}

describe('the run of test files', () => {
  it('passes where all pass', (t) => {
    const { code, output } = run(t, { 'a.mjs': PASSES, 'b.mjs': PASSES }, '2')
    assert.deepEqual([code, output.includes('run again')], [0, false])
  })

  it('fails at the first failure without TEST_RUNS', (t) => {
    assert.equal(run(t, { 'a.mjs': FAILS_ONCE }, undefined).code, 1)
  })

  it('passes a file that passes in its second run, and names it', (t) => {
    const { code, output } = run(t, { 'a.mjs': PASSES, 'b.mjs': FAILS_ONCE }, '2')
    assert.equal(code, 0, output)
    assert.match(output, /tests: failed at first, and passed alone: b\.mjs/)
    assert.match(output, /the first run/)
  })

  for (const [what, content] of [['fails twice', FAILS], ['ends its process', ENDS]] as const)
    it(`fails where a file ${what}`, (t) => {
      const { code, output } = run(t, { 'a.mjs': FAILS_ONCE, 'b.mjs': content }, '2')
      assert.equal(code, 1)
      assert.match(output, /tests: failed, and run again: a\.mjs, b\.mjs/)
      assert.doesNotMatch(output, /passed alone/)
    })

  it('runs nothing again where more than three files failed', (t) => {
    const { code, output } = run(t, { 'a.mjs': FAILS_ONCE, 'b.mjs': FAILS_ONCE, 'c.mjs': FAILS_ONCE, 'd.mjs': FAILS_ONCE }, '2')
    assert.equal(code, 1)
    assert.doesNotMatch(output, /run again/)
  })
})
