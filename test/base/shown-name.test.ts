import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nameProblem, readShownName } from '../../src/base/shown-name.ts'

describe('a name that others read', () => {
  for (const name of ['Laptop', 'أخبار\u200f 24', 'می\u200cخواهم', '👩\u200d💻', 'x'.repeat(80), '📮'.repeat(80)]) {
    it(`may be ${name.slice(0, 12)}`, () => assert.equal(readShownName(` ${name}\t`, 80), name))
  }
  it('has single spaces', () => assert.equal(readShownName('nightly \t\u00a0 import', 80), 'nightly import'))

  // Attack: a name that looks like another one, or like none.
  for (const sign of ['\0', '\n', '\u001b', '\u009b', '\u202a', '\u202e', '\u2066', '\u2069', '\ud800']) {
    const code = sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    it(`has no U+${code}`, () => assert.match(nameProblem(`a${sign}b`, 80) ?? '', new RegExp(`^expected a name without control characters .*, found U\\+${code}$`)))
  }
  for (const name of ['', ' \t ', '\u200b\u2060', '\u3164 \u2800', 'x'.repeat(81), '📮'.repeat(81), 7, null, undefined, ['a']]) {
    it(`is not ${JSON.stringify(name)?.slice(0, 12)}`, () => assert.throws(() => readShownName(name, 80), /^Failure: name: expected a text of 1 to 80 characters, found /))
  }
})
