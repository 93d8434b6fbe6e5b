import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { splitCommand } from '../../src/mail/settings/split-command.ts'

const SPLIT: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['/usr/sbin/sendmail -t -i', ['/usr/sbin/sendmail', '-t', '-i']],
  ['  a \t b  ', ['a', 'b']],
  [`'/opt/my mail/send' "two words"`, ['/opt/my mail/send', 'two words']],
  [`a --x="b c"'d e'f`, ['a', '--x=b cd ef']],
  [`a '' ""`, ['a', '', '']],
  [`a "say \\"hi\\" \\\\ \\n $x"`, ['a', 'say "hi" \\ \\n $x']],
  [`a 'no \\ escape "here"'`, ['a', 'no \\ escape "here"']],
  ['C:\\mail\\send.exe C:\\a b', ['C:\\mail\\send.exe', 'C:\\a', 'b']],
  [
    'a; rm -rf / && $(x) `y` | z > w < v * ? ~ $HOME #c',
    ['a;', ...'rm -rf / && $(x) `y` | z > w < v * ? ~ $HOME #c'.split(' ')],
  ],
]

const REFUSED: ReadonlyArray<readonly [string, RegExp]> = [
  ['', /^expected a program after exec:, found none$/],
  [`'' -t`, /^expected a program/],
  [`a 'b`, /^expected every quote to be closed/],
  ['a "b\\"', /^expected every quote to be closed/],
  ['a\nb', /^expected a command without control characters/],
  ['a \x1b[2J', /^expected a command without control characters/],
  ['x '.repeat(101), /^expected at most 100 words, found 101$/],
  ['x'.repeat(4001), /^expected a command of at most 4000 characters, found 4001$/],
]

describe('splitCommand()', () => {
  for (const [text, words] of SPLIT) {
    it(`splits ${text}, where only spaces and quotes have a meaning`, () => {
      assert.deepEqual(splitCommand(text), words)
    })
  }

  for (const [text, message] of REFUSED) {
    it(`rejects ${JSON.stringify(text.slice(0, 30))}`, () => {
      assert.throws(() => splitCommand(text), { message })
    })
  }

  it('accepts a command at its limits', () => {
    assert.equal(splitCommand('x '.repeat(100)).length, 100)
    assert.deepEqual(splitCommand('x'.repeat(4000)), ['x'.repeat(4000)])
  })

  it('rejects a long word before an open quote in linear time', () => {
    assert.throws(() => splitCommand(`${'a'.repeat(3_000)}"`), /every quote/)
  })
})
