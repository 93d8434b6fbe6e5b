import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLog, type LogFields } from '../../src/base/log.ts'

function lineOf(format: 'json' | 'pretty', fields: LogFields): string {
  let text = ''
  const log = createLog({ level: 'info', format, now: () => 0, write: (part) => void (text += part) })
  log.debug('not logged')
  log.info('event', fields)
  log.flush()
  return text
}

describe('a log line', () => {
  it('is one JSON object, whatever its fields are', () => {
    const fields = { text: 'a"b\n\u0000', number: 1.5, none: undefined, nan: Number.NaN, list: [1, 'x'], 'odd "name"': null }
    const line = lineOf('json', fields)
    assert.equal(line.indexOf('\n'), line.length - 1)
    assert.deepEqual(JSON.parse(line), {
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      event: 'event',
      text: 'a"b\n\u0000',
      number: 1.5,
      nan: null,
      list: [1, 'x'],
      'odd "name"': null,
    })
  })

  it('tells the stack of an error and of its cause', () => {
    const error = new Error('outer', { cause: new TypeError('inner') })
    const { error: told } = JSON.parse(lineOf('json', { error })) as { error: string }
    assert.match(told, /^Error: outer\n\s+at .*[^]*\ncaused by TypeError: inner\n\s+at /)
  })

  it('never lets a value write to the terminal of a person', () => {
    assert.equal(lineOf('pretty', { text: 'a\u001b[31m\nb' }), '00:00:00 info  event  text="a\\u001b[31m\\nb"\n')
    for (const sign of ['\u009b', '\u007f', '\u202e', '\u2028', '\u{e0001}']) {
      for (const format of ['pretty', 'json'] as const) {
        const line = lineOf(format, { text: `é${sign}31m`, error: new Error(`\u001b${sign}`) })
        assert.doesNotMatch(line, /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u, JSON.stringify(line))
        if (format === 'json') assert.equal((JSON.parse(line) as { text: string }).text, `é${sign}31m`)
      }
    }
  })
})
