import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createThreadLog } from '../../src/app/threads/thread-log.ts'
import type { ThreadLine } from '../../src/base/log.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const turn = () => new Promise((resolve) => setImmediate(resolve))

it('a thread that logs faster than its lines are taken drops lines of info first, and says how many', async () => {
  let taken = Promise.withResolvers<void>()
  const batches: (readonly ThreadLine[])[] = []
  const { log, output, settled } = createThreadLog({
    log: { level: 'info', format: 'json' },
    now: () => NOW,
    send(lines) {
      batches.push(lines)
      return taken.promise
    },
  })
  log.info('first')
  await turn()
  for (let i = 0; i < 50_000; i++) log.info('request', { path: '/api/v1/data', user: 'x'.repeat(50) })
  log.error('thread.failed')
  assert.ok(output.heldBytes <= 1024 * 1024, String(output.heldBytes))
  assert.ok(output.dropped.info > 30_000)
  assert.equal(output.dropped.error, 0)
  assert.equal(batches.length, 1, 'one batch is under way at a time')
  const first = taken
  taken = Promise.withResolvers()
  taken.resolve()
  first.resolve()
  await settled()
  const events = batches.flat().map(({ event }) => event)
  assert.deepEqual([events[0], events.at(-2), events.at(-1)], ['first', 'thread.failed', 'log.dropped'])
  assert.equal(output.heldBytes, 0)
})

it('a line has the form of the log, and its JSON where that is another', async () => {
  const lines: ThreadLine[] = []
  const send = async (some: readonly ThreadLine[]): Promise<void> => void lines.push(...some)
  const pretty = createThreadLog({ log: { level: 'warn', format: 'pretty' }, now: () => NOW, send })
  pretty.log.info('request')
  pretty.log.warn('mail.failed', { reply: '550' })
  await pretty.settled()
  assert.deepEqual(
    lines.map(({ written, text }) => [written, text]),
    [['12:00:00 warn  mail.failed  reply=550\n', '{"time":"2026-03-01T12:00:00.000Z","level":"warn","event":"mail.failed","reply":"550"}\n']],
  )
})
