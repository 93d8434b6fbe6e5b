/** An aborted import resumes after its last batch, and starts again from the first row only where that is safe. */
import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { runHere } from '../support/service/in-process.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

interface World {
  readonly file: string
  readonly import: (...flags: string[]) => ReturnType<typeof runHere>
  readonly names: () => Promise<readonly string[]>
}

/** A file of ten rows in batches of three; the import is interrupted as soon as some have been refused. */
function world(directory: string, rowOf: (i: number) => object): World {
  const [data, file] = [join(directory, 'data'), join(directory, 'rows.ndjson')]
  const flags = ['--data-dir', data, '--model', 'topic']
  writeFileSync(file, Array.from({ length: 10 }, (_, i) => `${JSON.stringify(rowOf(i))}\n`).join(''))
  return {
    file,
    import: (...more) => {
      const interrupt = Promise.withResolvers<string>()
      const isCut = more.includes('cut')
      return runHere(['import', ...flags, '--batch', '3', ...more.filter((flag) => flag !== 'cut'), file], {
        interrupted: interrupt.promise,
        onStderr: () => (isCut ? interrupt.resolve('SIGINT') : undefined),
      })
    },
    async names() {
      const { stdout } = await runHere(['export', ...flags])
      return stdout.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { name: string }).name]))
    },
  }
}

const topic = (i: number) => ({ name: `T${i}`, description: '', iconUrl: '' })

it('--resume goes on after the last batch, with its own rejected rows, and forgets the note in the end', async (t) => {
  const directory = temporaryDirectory(t)
  const rejects = join(directory, 'rejects')
  // Rows 1 and 8 are refused.
  const { import: run, names } = world(directory, (i) => (i % 7 === 1 ? {} : topic(i)))
  const cut = await run('--rejects', rejects, 'cut')
  assert.equal(cut.code, 1)
  assert.match(cut.stdout, /^Imported topic: 2 inserted, 0 replaced, 0 unchanged, 1 rejected/)
  assert.match(cut.stderr, /\nInterrupted before line 4: continue with --resume\n$/)

  const again = await run()
  assert.deepEqual([again.code, again.stdout], [1, ''])
  assert.match(again.stderr, /2 of its rows have no id and are there already.*: continue with --resume, or import them again/)

  const other = await run('--resume', '--keep')
  assert.match(other.stderr, /^Cannot resume [^\n]*the other flags have changed/)

  const whole = await run('--resume', '--rejects', rejects, '--json')
  assert.equal(whole.code, 1)
  const { inserted, refused, complete, fromLine, nextLine } = JSON.parse(whole.stdout) as Record<string, unknown>
  assert.deepEqual([inserted, refused, complete, fromLine, nextLine], [8, 2, true, 4, 11])
  assert.deepEqual([...(await names())].sort(), ['T0', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7', 'T9'])
  const lines = readFileSync(rejects, 'utf8').trim().split('\n')
  assert.deepEqual(lines.map((line) => (JSON.parse(line) as { line: number }).line), [2, 9])
  const over = await run('--resume')
  assert.match(over.stderr, /^Cannot resume [^\n]*: no import of it was cut off/)
})

it('a file that changed is another file, and --again takes rows without an id twice', async (t) => {
  const { import: run, file, names } = world(temporaryDirectory(t), (i) => (i === 1 ? {} : topic(i)))
  await run('cut')
  assert.match((await run('--again', 'cut')).stdout, /^Imported topic: 2 inserted/)
  assert.equal((await names()).length, 4)
  appendFileSync(file, '\n')
  assert.match((await run('--resume')).stderr, /or the file or the other flags have changed/)
})

it('where every row has its id, starting again has the same result as resuming', async (t) => {
  const { import: run, names } = world(temporaryDirectory(t), (i) => (i === 1 ? {} : { ...topic(i), id: `t${i}` }))
  await run('cut')
  const { stdout } = await run()
  assert.match(stdout, /^Imported topic: 7 inserted, 2 replaced, 0 unchanged, 1 rejected/)
  assert.equal((await names()).length, 9)
})
