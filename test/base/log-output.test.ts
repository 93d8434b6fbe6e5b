/** A log that is slow to be read, or not read at all: how much is held, what is dropped, and what the reader gets. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLogOutput, type LogOutput, type LogSink } from '../../src/base/log-output.ts'
import type { LineCounts } from '../../src/base/line-drops.ts'
import type { LogLevel } from '../../src/base/log-level.ts'

const LINE_BYTES = 100
/** Not a whole number of lines: a shorter one would fit in beside them. */
const HELD_BYTES_MAX = 100.5 * LINE_BYTES

/** A reader that takes a number of bytes at a time, or throws. */
function slowReader(): LogSink & { room: number; failure: Error | undefined; readonly text: () => string } {
  const parts: Buffer[] = []
  const take = (bytes: Uint8Array): number => {
    if (reader.failure !== undefined) throw reader.failure
    const taken = Math.min(bytes.length, reader.room)
    parts.push(Buffer.from(bytes.subarray(0, taken)))
    reader.room -= taken
    return taken
  }
  const reader = {
    room: 0,
    failure: undefined as Error | undefined,
    write: take,
    writeAtExit: take,
    text: () => Buffer.concat(parts).toString(),
  }
  return reader
}

interface Watched {
  readonly reader: ReturnType<typeof slowReader>
  readonly output: LogOutput
  readonly resumed: LineCounts[]
}

function watched(): Watched {
  const reader = slowReader()
  const resumed: LineCounts[] = []
  const onResume = (missing: LineCounts): void => {
    resumed.push(missing)
    output.add(lineOf('missing', 0), 'warn')
  }
  const output = createLogOutput({ sink: reader, onResume, heldBytesMax: HELD_BYTES_MAX })
  return { reader, output, resumed }
}

const lineOf = (name: string, i: number): string => `${`${name} ${i}`.padEnd(LINE_BYTES - 1)}\n`

function addLines(output: LogOutput, level: LogLevel, count: number): void {
  for (let i = 0; i < count; i++) output.add(lineOf(level, i), level)
}

describe('a log that is not read', () => {
  it('holds a bounded number of bytes, and drops lines of level info first', () => {
    const { output } = watched()
    addLines(output, 'info', 500)
    assert.ok(output.heldBytes <= 0.75 * HELD_BYTES_MAX)
    assert.deepEqual(output.dropped, { debug: 0, info: 425, warn: 0, error: 0 })
    output.add('x\n', 'debug')
    assert.equal(output.dropped.debug, 1, 'a short line that is less important does not slip in')
    addLines(output, 'warn', 500)
    addLines(output, 'error', 500)
    assert.ok(output.heldBytes <= HELD_BYTES_MAX)
    assert.deepEqual(output.dropped, { debug: 1, info: 425, warn: 488, error: 487 })
  })

  it('tells how many lines are missing once it is read, between those before and after', async () => {
    const { reader, output, resumed } = watched()
    addLines(output, 'info', 80)
    addLines(output, 'warn', 20)
    assert.deepEqual(resumed, [])
    reader.room = 1_000_000
    await output.drained(10_000)
    assert.deepEqual(resumed, [{ debug: 0, info: 5, warn: 8, error: 0 }])
    addLines(output, 'info', 2)
    output.flush()
    const names = reader.text().split('\n').map((line) => line.trim())
    const wanted = [
      ...Array.from({ length: 75 }, (_, i) => `info ${i}`),
      ...Array.from({ length: 12 }, (_, i) => `warn ${i}`),
      ...['missing 0', 'info 0', 'info 1', ''],
    ]
    assert.deepEqual(names, wanted)
    assert.equal(output.heldBytes, 0)
  })

  it('keeps lines whole, and their order, where it is taken in odd parts', async () => {
    const { reader, output } = watched()
    let lines = ''
    for (let i = 0; i < 2000; i++) {
      const line = `${i} ${'ü€x'.repeat(i % 11)}\n`
      lines += line
      output.add(line, 'error')
      reader.room = (i * 37) % 91
      output.flush()
      if (i % 40 === 0) {
        reader.room = 1_000_000
        await output.drained(10_000)
      }
    }
    reader.room = 1_000_000
    await output.drained(10_000)
    assert.equal(reader.text(), lines)
  })

  it('is written at the exit without the event loop, and not waited for longer than a time', () => {
    const { reader, output } = watched()
    addLines(output, 'info', 3)
    reader.room = 1_000_000
    output.flushAtExit(1_000)
    assert.equal(reader.text(), [0, 1, 2].map((i) => lineOf('info', i)).join(''))
    let tries = 0
    reader.writeAtExit = () => {
      tries++
      return 0
    }
    addLines(output, 'info', 3)
    output.flushAtExit(20)
    assert.equal(tries, 4, 'one in 5 ms')
    assert.equal(output.heldBytes, 3 * LINE_BYTES)
  })

  it('holds nothing for a reader that is gone, and keeps lines while a disk is full', async () => {
    const { reader, output } = watched()
    reader.failure = Object.assign(new Error('no space'), { code: 'ENOSPC' })
    addLines(output, 'info', 3)
    output.flush()
    assert.equal(output.heldBytes, 3 * LINE_BYTES)
    reader.failure = undefined
    reader.room = 1_000_000
    await output.drained(10_000)
    assert.equal(output.heldBytes, 0)
    reader.failure = Object.assign(new Error('gone'), { code: 'EPIPE' })
    addLines(output, 'info', 3)
    output.flush()
    addLines(output, 'error', 3)
    assert.equal(output.heldBytes, 0)
    assert.equal(output.dropped.error, 3)
  })

  it('writes one piece after the other where writing takes its time', async () => {
    const written: string[] = []
    let underWay = 0
    const write = async (bytes: Uint8Array): Promise<number> => {
      assert.equal(++underWay, 1)
      const taken = Math.min(bytes.length, 150)
      const text = Buffer.from(bytes.subarray(0, taken)).toString()
      await new Promise((resolve) => void setImmediate(resolve))
      underWay--
      written.push(text)
      return taken
    }
    const output = createLogOutput({ sink: { write, writeAtExit: () => 0 }, onResume: () => {} })
    for (let i = 0; i < 20; i++) {
      output.add(lineOf('info', i), 'info')
      await new Promise((resolve) => void setImmediate(resolve))
    }
    await output.drained(10_000)
    assert.equal(written.join(''), Array.from({ length: 20 }, (_, i) => lineOf('info', i)).join(''))
  })
})
