import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { temporaryDirectory } from '../support/service/temporary-directory.ts'

const SCRIPT = pathToFileURL(join(import.meta.dirname, '../../scripts/test-runs.ts')).href
const PASSES = "import { it } from 'node:test'\nit('passes', () => {})\n"
const FAILS = "import { it } from 'node:test'\nit('fails', () => { throw new Error('never right') })\n"
const ENDS = 'process.exit(3)\n'
const CANNOT_LOAD = "import 'node:none'\n"
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

type Processes = 'own' | 'shared'
interface Run {
  readonly runs?: '2'
  readonly processes?: Processes
  readonly temporary?: string
  readonly reporter?: 'spec'
}

/** Runs files of these contents as the gate does, and gives the exit code and all output. */
function run(t: TestContext, contents: Readonly<Record<string, string>>, { runs, ...more }: Run): { code: number | null; output: string } {
  const root = temporaryDirectory(t)
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(root, name), content)
  const given = { files: Object.keys(contents), root, concurrency: 2, reporter: 'dot', ...more }
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

const BOTH: readonly Processes[] = ['own', 'shared']
for (const processes of BOTH)
  describe(`the run of test files with processes that are ${processes}`, () => {
    it('passes where all pass', (t) => {
      const { code, output } = run(t, { 'a.mjs': PASSES, 'b.mjs': PASSES }, { runs: '2', processes })
      assert.deepEqual([code, output.includes('run again')], [0, false])
    })

    it('fails at the first failure without TEST_RUNS', (t) => {
      assert.equal(run(t, { 'a.mjs': FAILS_ONCE }, { processes }).code, 1)
    })

    it('passes a file that passes in its second run, and names it', (t) => {
      const { code, output } = run(t, { 'a.mjs': PASSES, 'b.mjs': FAILS_ONCE }, { runs: '2', processes })
      assert.equal(code, 0, output)
      assert.match(output, /tests: failed at first, and passed alone: b\.mjs/)
      assert.match(output, /the first run/)
    })

    for (const [what, content] of [['fails twice', FAILS], ['ends its process', ENDS], ['cannot be loaded', CANNOT_LOAD]] as const)
      it(`fails where a file ${what}`, (t) => {
        const { code, output } = run(t, { 'a.mjs': FAILS_ONCE, 'b.mjs': content }, { runs: '2', processes })
        assert.equal(code, 1)
        assert.match(output, /tests: failed, and run again: a\.mjs, b\.mjs/)
        assert.doesNotMatch(output, /passed alone/)
      })

    it('runs nothing again where more than three files failed', (t) => {
      const files = { 'a.mjs': FAILS_ONCE, 'b.mjs': FAILS_ONCE, 'c.mjs': FAILS_ONCE, 'd.mjs': FAILS_ONCE }
      const { code, output } = run(t, files, { runs: '2', processes })
      assert.equal(code, 1)
      assert.doesNotMatch(output, /run again/)
    })
  })

/** Fails where the file before it has left a hook or a test behind. */
const COUNTS = `import { after, it } from 'node:test'
globalThis.running ??= 0
globalThis.running++
after(() => void globalThis.running--)
await new Promise((resolve) => setImmediate(resolve))
it('runs between the files before and after it, in process ' + process.pid, () => {
  if (globalThis.running !== 1) throw new Error(globalThis.running + ' files at a time')
})
`

describe('a process of several files', () => {
  it('runs one after the other, each with its own hooks', (t) => {
    const spec = { reporter: 'spec', processes: 'shared' } as const
    const { code, output } = run(t, { 'a.mjs': COUNTS, 'b.mjs': COUNTS, 'c.mjs': COUNTS }, spec)
    assert.equal(code, 0, output)
    const found = [...output.matchAll(/it, in process (\d+)/g)].map(([, pid]) => pid)
    assert.deepEqual([found.length, new Set(found).size], [3, 1], output)
  })

  it('does not hold a file that looks at what a process has once', (t) => {
    const spec = { reporter: 'spec', processes: 'shared' } as const
    const { output } = run(t, { 'a.mjs': COUNTS, 'b.mjs': `${COUNTS}process.memoryUsage()\n`, 'c.mjs': COUNTS }, spec)
    const found = [...output.matchAll(/it, in process (\d+)/g)].map(([, pid]) => pid)
    assert.deepEqual([found.length, new Set(found).size], [3, 2], output)
  })

  it('fails where a file ends it with exit code 0 before the last of them', (t) => {
    const { code, output } = run(t, { 'a.mjs': 'process.exit(0)\n', 'b.mjs': PASSES }, { processes: 'shared' })
    assert.equal(code, 1, output)
  })
})

it('tests put their files where the run says, and the run removes them', (t) => {
  const temporary = temporaryDirectory(t)
  const leaves = `import { it } from 'node:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
it('leaves ' + mkdtempSync(tmpdir() + '/left-'), () => {})
`
  const { output } = run(t, { 'a.mjs': leaves }, { temporary, reporter: 'spec' })
  const [, left = ''] = /leaves (\S+)/.exec(output) ?? []
  assert.ok(left.startsWith(temporary), output)
  assert.deepEqual(readdirSync(temporary), [])
})
