import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLog, type Log } from '../../src/base/log.ts'
import { createLogMemory, type LogMemory } from '../../src/base/log-memory.ts'

function remembered(format: 'json' | 'pretty' = 'json'): { log: Log; memory: LogMemory; text: () => string } {
  const memory = createLogMemory()
  let text = ''
  const log = createLog({ level: 'info', format, now: () => 0, write: (part) => void (text += part), keep: memory.keep })
  return { log, memory, text: () => (log.flush(), text) }
}

describe('the memory of the log', () => {
  for (const format of ['json', 'pretty'] as const) {
    it(`gives lines newest first, with their fields as text, of a log that is ${format}`, () => {
      const { log, memory } = remembered(format)
      log.info('first', { id: 'a b', n: 7, list: [1, 'x'], none: undefined, nothing: null })
      log.error('second', { error: new Error('it broke') })
      const { items, dropped } = memory.newest({ level: 'info', limit: 10 })
      assert.equal(dropped, 0)
      assert.deepEqual(
        items.map(({ time, level, event }) => [time, level, event]),
        [['1970-01-01T00:00:00.000Z', 'error', 'second'], ['1970-01-01T00:00:00.000Z', 'info', 'first']],
      )
      assert.match(items[0]?.fields[0]?.value ?? '', /^Error: it broke\n +at /)
      assert.deepEqual(items[1]?.fields, [
        { name: 'id', value: 'a b' },
        { name: 'n', value: '7' },
        { name: 'list', value: '[1,"x"]' },
        { name: 'nothing', value: 'null' },
      ])
    })
  }

  it('gives as many as are asked for, of a level and above', () => {
    const { log, memory } = remembered()
    for (const level of ['info', 'warn', 'error', 'info'] as const) log[level](`of ${level}`)
    const eventsOf = (level: 'info' | 'warn' | 'error', limit: number): string[] =>
      memory.newest({ level, limit }).items.map(({ event }) => event)
    assert.deepEqual(eventsOf('warn', 10), ['of error', 'of warn'])
    assert.deepEqual(eventsOf('error', 10), ['of error'])
    assert.deepEqual(eventsOf('info', 2), ['of info', 'of error'])
  })

  it('finds lines by words, by the route of a request, and by time', () => {
    let time = 1_000
    const memory = createLogMemory()
    const log = createLog({ level: 'info', format: 'json', now: () => time, write: () => {}, keep: memory.keep })
    const request = (method: string, path: string, status: number): void => log.info('request', { method, path, status })
    request('GET', '/api/v1/data', 200)
    time = 2_000
    request('POST', '/api/v1/data/batch', 503)
    time = 3_000
    log.warn('mail.deferred', { reply: '450 Mailbox Busy' })
    request('GET', '/healthz', 200)
    const found = (query: Omit<Parameters<LogMemory['newest']>[0], 'level' | 'limit'>, limit = 10): string[] =>
      memory.newest({ level: 'info', limit, ...query }).items.map(({ event, fields }) => fields.find(({ name }) => name === 'path')?.value ?? event)
    assert.deepEqual(found({ text: ' BUSY mailbox ' }), ['mail.deferred'])
    assert.deepEqual(found({ text: 'status=503' }), ['/api/v1/data/batch'])
    assert.deepEqual(found({ text: 'busy 200' }), [])
    assert.deepEqual(found({ route: '/api/v1/data' }), ['/api/v1/data/batch', '/api/v1/data'])
    assert.deepEqual(found({ route: 'GET /api/' }), ['/api/v1/data'])
    assert.deepEqual(found({ from: 2_000, to: 2_999 }), ['/api/v1/data/batch'])
    assert.deepEqual(found({ from: 2_000, text: 'request' }, 1), ['/healthz'])
  })

  it('attack: a flood of requests does not push an error out', () => {
    const { log, memory } = remembered()
    log.error('important')
    for (let i = 0; i < 5_000; i++) log.info('request', { i })
    assert.deepEqual(memory.newest({ level: 'error', limit: 10 }).items.map(({ event }) => event), ['important'])
    assert.equal(memory.newest({ level: 'error', limit: 10 }).dropped, 0)
    const all = memory.newest({ level: 'info', limit: 1_000 })
    assert.deepEqual([all.items.length, all.dropped], [501, 4_500])
    assert.deepEqual(all.items[0]?.fields, [{ name: 'i', value: '4999' }])
    assert.equal(all.items.at(-1)?.event, 'important')
  })

  it('attack: long lines take no more than half a MiB of characters, and one takes not all the room', () => {
    const { log, memory } = remembered()
    log.info('short')
    log.info('long', { path: '\\'.repeat(3_000_000) })
    const [long, short] = memory.newest({ level: 'info', limit: 10 }).items
    assert.equal(short?.event, 'short')
    assert.equal(long?.event, 'long')
    assert.deepEqual(long?.fields.map(({ name }) => name), ['line'])
    for (let i = 0; i < 600; i++)
      for (const level of ['info', 'warn'] as const) log[level]('long', { path: 'y'.repeat(15_000) })
    const { items } = memory.newest({ level: 'info', limit: 1_000 })
    assert.ok(items.length > 20 && JSON.stringify(items).length < 600_000)
  })

  it('attack: what a client sent can neither turn the text around nor pass for another member', () => {
    const { log, memory } = remembered()
    log.info('request', { time: 'never', path: '/\u202eevil\u009b31m', event: 'no' })
    const [line] = memory.newest({ level: 'info', limit: 1 }).items
    assert.deepEqual([line?.time, line?.event], ['1970-01-01T00:00:00.000Z', 'request'])
    assert.deepEqual(line?.fields, [{ name: 'path', value: '/\\u202eevil\\u009b31m' }])
  })
})
