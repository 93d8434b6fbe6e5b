import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'
import { createReplyParser, type Reply } from '../../src/mail/smtp/smtp-replies.ts'

interface Outcome {
  readonly replies: readonly Reply[]
  readonly problem: string | undefined
  readonly isMidReply: boolean
}

/** Feeds the bytes in pieces of the given size. */
function parse(bytes: Uint8Array, size: number): Outcome {
  const parser = createReplyParser()
  const replies: Reply[] = []
  let problem: string | undefined
  for (let at = 0; at < bytes.length; at += size) {
    const parsed = parser.push(bytes.subarray(at, at + size))
    replies.push(...parsed.replies)
    if (problem !== undefined) assert.deepEqual(parsed, { replies: [], problem })
    problem = parsed.problem
  }
  return { replies, problem, isMidReply: parser.isMidReply }
}

const GOOD: ReadonlyArray<readonly [string, string, readonly Reply[]]> = [
  ['one line', '250 ok\r\n', [{ code: 250, lines: ['ok'] }]],
  ['a code alone', '250\r\n', [{ code: 250, lines: [''] }]],
  ['several lines', '250-a\r\n250-\r\n250 c\r\n', [{ code: 250, lines: ['a', '', 'c'] }]],
  ['two replies in one packet', '220 a\r\n421 b\r\n', [{ code: 220, lines: ['a'] }, { code: 421, lines: ['b'] }]],
  ['an enhanced code', '550 5.1.1 none\r\n', [{ code: 550, lines: ['5.1.1 none'], enhanced: '5.1.1' }]],
  ['an enhanced code alone', '250 2.0.0\r\n', [{ code: 250, lines: ['2.0.0'], enhanced: '2.0.0' }]],
  ['an enhanced code of another class', '550 2.1.1 none\r\n', [{ code: 550, lines: ['2.1.1 none'] }]],
  ['a version that looks like an enhanced code', '220 2.1.1x\r\n', [{ code: 220, lines: ['2.1.1x'] }]],
  ['a tab', '250 a\tb\r\n', [{ code: 250, lines: ['a\tb'] }]],
  ['UTF-8', '250 Grüße 📮\r\n', [{ code: 250, lines: ['Grüße 📮'] }]],
  ['the lowest and highest code', '200 a\r\n599 b\r\n', [{ code: 200, lines: ['a'] }, { code: 599, lines: ['b'] }]],
  ['a reply of 256 lines', `${'250-\r\n'.repeat(255)}250 \r\n`, [{ code: 250, lines: Array<string>(256).fill('') }]],
  ['a line of 2000 bytes', `250 ${'x'.repeat(1994)}\r\n`, [{ code: 250, lines: ['x'.repeat(1994)] }]],
]

const BAD: ReadonlyArray<readonly [string, string, RegExp]> = [
  ['no code', 'hello\r\n', /open with a code/],
  ['text right behind the code', '250ok\r\n', /open with a code/],
  ['a code below 200', '150 x\r\n', /open with a code/],
  ['a code above 599', '600 x\r\n', /open with a code/],
  ['four digits', '2500 x\r\n', /open with a code/],
  ['another code in the same reply', '250-a\r\n251 b\r\n', /different codes/],
  ['a bare line feed', '250 ok\n', /CRLF/],
  ['a bare carriage return', '250 ok\rQ\r\n', /CRLF/],
  ['NUL', '250 o\0k\r\n', /control/],
  ['an escape sequence', '250 \x1b[2Jx\r\n', /control/],
  ['a line of 2001 bytes', `250 ${'x'.repeat(1995)}\r\n`, /longer than 2000/],
  ['a line that never ends', '2'.repeat(100_000), /longer than 2000/],
  ['a reply of long lines', `250-${'x'.repeat(1_000)}\r\n`.repeat(33), /longer than 32000/],
  ['a reply of 257 lines', `${'250-x\r\n'.repeat(256)}250 x\r\n`, /more than 256 lines/],
]

describe('createReplyParser()', () => {
  for (const [name, text, replies] of GOOD) {
    it(`reads ${name}, in chunks of any size`, () => {
      const bytes = Buffer.from(text)
      for (const size of [bytes.length, 1, 2, 3, 7]) {
        assert.deepEqual(parse(bytes, size), { replies, problem: undefined, isMidReply: false }, `chunks of ${size}`)
      }
    })
  }

  for (const [name, text, problem] of BAD) {
    it(`rejects ${name}, in chunks of any size, and keeps the replies before it`, () => {
      const bytes = Buffer.from(`220 hi\r\n${text}`)
      for (const size of [bytes.length, 1, 2, 3, 7]) {
        const outcome = parse(bytes, size)
        assert.deepEqual(outcome.replies, [{ code: 220, lines: ['hi'] }], `chunks of ${size}`)
        assert.match(outcome.problem ?? '', problem, `chunks of ${size}`)
      }
    })
  }

  it('gives the same replies however the bytes are cut in two', () => {
    const bytes = Buffer.from('220 hi\r\n250-Zoë\r\n250 SIZE 5\r\n550 5.7.1 no\r\n')
    const whole = parse(bytes, bytes.length).replies
    assert.equal(whole.length, 3)
    for (let cut = 0; cut <= bytes.length; cut++) {
      const parser = createReplyParser()
      const replies = [bytes.subarray(0, cut), bytes.subarray(cut)].flatMap((part) => parser.push(part).replies)
      assert.deepEqual(replies, whole, `cut at ${cut}`)
    }
  })

  it('says whether it is in the middle of a reply', () => {
    const rows = [['', '2'], ['250 a\r\n', '250-a\r\n'], ['250-a\r\n250 b\r\n', '250 a\r\n2']] as const
    for (const [between, middle] of rows) {
      for (const [text, expected] of [[between, false], [middle, true]] as const) {
        const parser = createReplyParser()
        parser.push(Buffer.from(text))
        assert.equal(parser.isMidReply, expected, JSON.stringify(text))
      }
    }
  })

  it('stays broken after a problem', () => {
    const parser = createReplyParser()
    for (const text of ['oops\r\n', '250 ok\r\n']) {
      const { replies, problem } = parser.push(Buffer.from(text))
      assert.deepEqual(replies, [])
      assert.match(problem ?? '', /^Cannot read SMTP reply: a line must open with a code/)
    }
  })

  it('parses random bytes to replies or a problem', () => {
    const random = seededRandom(seedOfTest())
    const pieces = ['2', '250', '250 ', '220-', 'a', '\0', '\r', '\n', '\r\n']
    let complete = 0
    for (let round = 0; round < 20_000; round++) {
      const bytes = Buffer.from(random.list(8, () => random.pick(pieces)).join(''))
      const [one, all] = [parse(bytes, 1), parse(bytes, Math.max(1, bytes.length))]
      assert.deepEqual(one, all, `SEED=${random.seed} round ${round}: ${bytes.toString('hex')}`)
      complete += one.replies.length
    }
    assert.ok(complete > 500, 'some of the random bytes should be replies')
  })
})
