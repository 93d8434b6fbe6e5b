import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAppName } from '../../src/mail/templates/app-name.ts'

describe('parseAppName()', () => {
  for (const name of ['Dateline', 'أخبار 24', 'News 12345', 'B1234567', `${'📮'.repeat(100)}`]) {
    it(`accepts ${name.slice(0, 20)}`, () => assert.equal(parseAppName(` ${name} `), name))
  }

  const refused = ['', '  ', 'a\nb', 'a\r\nBcc: b@c.org', 'a\0', 'a\u2028b', 'x'.repeat(101), 'News 123456', '٢٠٢٦٠١']
  for (const name of refused) {
    it(`rejects ${JSON.stringify(name.slice(0, 20))}`, () =>
      assert.throws(() => parseAppName(name), /^Error: expected (?:one line of at most 100|a name without six digits)/))
  }
  it('rejects a name that turns the text beside it', () => assert.throws(() => parseAppName('News\u202e'), /found U\+202E$/))
})
