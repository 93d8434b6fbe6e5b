/**
 * What a fuzz, a bench or a drill that is killed leaves behind: nothing. The processes that it started have its stderr,
 * so that this is closed when the last of them is gone.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { it, type TestContext } from 'node:test'
import { WITH_PARENT } from '../../scripts/cluster/with-parent.ts'

/** Only a failing test waits for so long. */
const GONE_MS_MAX = 60_000

/** Runs a program until it prints a line, ends it, and waits for all that it started. Gives the line. */
async function endAtFirstLine(t: TestContext, program: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, whose rest can be ended.
    detached: true,
  })
  t.after(() => {
    try {
      process.kill(-Number(child.pid), 'SIGKILL')
    } catch {
      // All of it is gone.
    }
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text))
  const closed = once(child, 'close', { signal: AbortSignal.timeout(GONE_MS_MAX) })
  const line = await Promise.race([once(child.stdout, 'data'), closed.then(() => undefined)])
  assert.ok(line !== undefined, said)
  child.kill(signal)
  await closed
  return String(line).trim()
}

const urlOf = (path: string): string => JSON.stringify(new URL(`../../${path}`, import.meta.url).href)

it('the process that asks V8 goes with the run that started it, also where V8 does not come to an end', async (t) => {
  await endAtFirstLine(
    t,
    `import { startPatternOracle } from ${urlOf('test/support/query/pattern-oracle.ts')}
    const oracle = startPatternOracle()
    await oracle.match([{ source: 'a', flags: 'u', texts: ['a'] }])
    void oracle.match([{ source: '^(a+)+$', flags: 'u', texts: ['${'a'.repeat(60)}!'] }])
    console.log('asked')`,
  )
})

it('the bare server of the probe goes with the drill that started it', async (t) => {
  await endAtFirstLine(
    t,
    `import { startBareServer } from ${urlOf('scripts/attacks/probe.ts')}
    console.log((await startBareServer()).port)`,
  )
})

it('servers of a cluster go with the drill that started them', { skip: WITH_PARENT.length === 0 && 'there is no setpriv' }, async (t) => {
  await endAtFirstLine(
    t,
    `import { spawn } from 'node:child_process'
    import { WITH_PARENT } from ${urlOf('scripts/cluster/with-parent.ts')}
    const [program, ...words] = [...WITH_PARENT, 'sleep', '1000']
    spawn(program, words, { stdio: ['ignore', 'ignore', 'inherit'] }).once('spawn', () => console.log('started'))`,
  )
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  it(`a drill that ends by ${signal} removes its directory`, async (t) => {
    const directory = await endAtFirstLine(
      t,
      `import { writeFileSync } from 'node:fs'
      import { directoryOfRun } from ${urlOf('scripts/attacks/target.ts')}
      const directory = directoryOfRun('dateline-test-')
      writeFileSync(directory + '/file', '')
      setInterval(() => {}, 1_000)
      console.log(directory)`,
      signal,
    )
    assert.match(directory, /dateline-test-/)
    assert.equal(existsSync(directory), false)
  })
}
