/** What every commit log keeps: the same tests for the one in memory and the one in etcd. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { ENTRY_BYTES_MAX, type CommitLog, type LogEntry } from '../../../src/store/cluster/commit-log.ts'

/** An empty log. Each connect() is a node of its own; what it opens is closed with the test. */
export interface LogUnderTest {
  connect(): CommitLog
}

type Gate = PromiseWithResolvers<void>

const WRITERS = 3
const APPENDS_OF_A_WRITER = 20

export function describeLogContract(
  name: string,
  open: (t: TestContext) => Promise<LogUnderTest>,
  options: { readonly skip?: string | false } = {},
): void {
  describe(`the contract of a commit log, ${name}`, options, () => {
    it('begins empty at position 0', async (t) => {
      const log = (await open(t)).connect()
      assert.equal(await log.last(), 0)
    })

    it('appends behind the last entry only', async (t) => {
      const log = (await open(t)).connect()
      const first = await appended(log, 0, 'first')
      assert.deepEqual(await log.append(0, bytes('second')), { kind: 'lost' })
      assert.deepEqual(await log.append(first + 1, bytes('second')), { kind: 'lost' })
      const second = await appended(log, first, 'second')
      assert.ok(second > first)
      assert.equal(await log.last(), second)
    })

    it('delivers entries in order, from any position, to each follower', async (t) => {
      const { connect } = await open(t)
      const [writer, reader] = [connect(), connect()]
      const early = collect(reader, 0)
      const first = await appended(writer, 0, 'first')
      const second = await appended(writer, first, 'second')
      const third = await appended(writer, second, '')
      const expected = [`${first} first`, `${second} second`, `${third} `]
      assert.deepEqual(await early.entries(3), expected)
      assert.deepEqual(await collect(reader, 0).entries(3), expected)
      assert.deepEqual(await collect(writer, first).entries(2), expected.slice(1))
    })

    it('waits with the next entry for a promise of the reader', async (t) => {
      const log = (await open(t)).connect()
      const [begun, first, second] = [0, 1, 2].map(() => Promise.withResolvers<void>()) as [Gate, Gate, Gate]
      const seen: number[] = []
      const { stop } = log.follow(0, {
        entry({ position }) {
          seen.push(position)
          begun.resolve()
          if (seen.length > 1) return second.resolve()
          return first.promise
        },
        gap: (reason) => second.reject(new Error(reason)),
      })
      const position = await appended(log, 0, 'first')
      await appended(log, position, 'second')
      await Promise.all([begun.promise, collect(log, 0).entries(2)])
      assert.deepEqual(seen, [position])
      first.resolve()
      await second.promise
      stop()
    })

    it('delivers nothing after stop()', async (t) => {
      const { connect } = await open(t)
      const log = connect()
      const [stopped, other] = [collect(log, 0), collect(log, 0)]
      stopped.stop()
      await appended(log, 0, 'first')
      assert.equal((await other.entries(1)).length, 1)
      assert.deepEqual(stopped.seen, [])
    })

    it('lets one of several writers win each position, and loses no entry', async (t) => {
      const { connect } = await open(t)
      const reader = collect(connect(), 0)
      const won = await Promise.all(Array.from({ length: WRITERS }, (_, i) => appendMany(connect(), `writer ${i}`)))
      const all = won.flat().sort((a, b) => a.position - b.position)
      const delivered = await reader.entries(WRITERS * APPENDS_OF_A_WRITER)
      assert.deepEqual(delivered, all.map(({ position, text }) => `${position} ${text}`))
    })

    it('trims entries before a position, and reports the gap to a follower from before', async (t) => {
      const { connect } = await open(t)
      const log = connect()
      const first = await appended(log, 0, 'first')
      const second = await appended(log, first, 'second')
      const third = await appended(log, second, 'third')
      await log.trim(third)
      assert.match(await collect(log, 0).gap, /trimmed|compact/)
      assert.deepEqual(await collect(log, second).entries(1), [`${third} third`])
      const fourth = await appended(log, third, 'fourth')
      assert.deepEqual(await collect(log, second).entries(2), [`${third} third`, `${fourth} fourth`])
    })

    it('trims twice at one position without an error', async (t) => {
      const log = (await open(t)).connect()
      const first = await appended(log, 0, 'first')
      await log.trim(first)
      await log.trim(first)
      assert.equal(await log.last(), first)
    })

    it('takes an entry of the maximum length and no longer one', async (t) => {
      const log = (await open(t)).connect()
      await assert.rejects(log.append(0, Buffer.alloc(ENTRY_BYTES_MAX + 1)), RangeError)
      const body = Buffer.alloc(ENTRY_BYTES_MAX, 7)
      const outcome = await log.append(0, body)
      assert.equal(outcome.kind, 'appended')
      const [entry] = await collect(log, 0).raw(1)
      assert.ok(body.equals(entry?.body ?? Buffer.alloc(0)))
    })
  })
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

async function appended(log: CommitLog, after: number, text: string): Promise<number> {
  const outcome = await log.append(after, bytes(text))
  assert.equal(outcome.kind, 'appended', text)
  return outcome.kind === 'appended' ? outcome.position : 0
}

/** Appends texts, each behind what was the last entry when it was tried. */
async function appendMany(log: CommitLog, name: string): Promise<{ position: number; text: string }[]> {
  const won: { position: number; text: string }[] = []
  for (let i = 0; i < APPENDS_OF_A_WRITER; ) {
    const text = `${name} number ${i}`
    const outcome = await log.append(await log.last(), bytes(text))
    if (outcome.kind === 'lost') continue
    won.push({ position: outcome.position, text })
    i++
  }
  return won
}

/** Follows a log and waits for a number of entries: `position text`. */
export function collect(log: CommitLog, after: number) {
  const seen: LogEntry[] = []
  const gap = Promise.withResolvers<string>()
  const failed = gap.promise.then((reason) => Promise.reject<never>(new Error(`unexpected gap: ${reason}`)))
  failed.catch(() => {})
  let wake = (): void => {}
  const { stop } = log.follow(after, {
    entry(entry) {
      seen.push(entry)
      wake()
    },
    gap: gap.resolve,
  })
  const raw = async (count: number): Promise<readonly LogEntry[]> => {
    while (seen.length < count) await Promise.race([new Promise<void>((resolve) => (wake = resolve)), failed])
    return seen
  }
  const entries = async (count: number): Promise<string[]> =>
    (await raw(count)).map(({ position, body }) => `${position} ${Buffer.from(body).toString()}`)
  return { seen, gap: gap.promise, stop, raw, entries }
}
