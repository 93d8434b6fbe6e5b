import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withoutPatternSpace } from '../../src/query/pattern-space.ts'
import { literalPattern, parsePattern, patternTest, type Pattern } from '../../src/query/pattern.ts'
import { unlimitedSteps } from '../../src/query/steps.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'

const ROUNDS = longRun(4_000, 60_000)

const literal = (text: string): Pattern => ({ kind: 'literal', text, ignoreCase: false })
const prefix = (text: string): Pattern => ({ kind: 'prefix', text, ignoreCase: false })
const regexp = (source: string, flags = 'u'): Pattern => ({ kind: 'regexp', source, flags })

const testOf = (pattern: Pattern): ((text: string) => boolean) => patternTest(pattern, unlimitedSteps())

describe('parsePattern()', () => {
  const rows: readonly (readonly [name: string, source: string, options: string, expected: Pattern])[] = [
    ['a word is a literal text', 'word', '', literal('word')],
    ['nothing is the empty text', '', '', literal('')],
    ['escaped metacharacters are text', String.raw`\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/`, '', literal('^$\\.*+?()[]{}|/')],
    ['C\\+\\+ is a literal text', 'C\\+\\+', '', literal('C++')],
    ['an escaped hyphen is text', 'a\\-b', '', literal('a-b')],
    ['closing brackets alone are text', 'a]b}c', '', literal('a]b}c')],
    ['a brace that begins no quantifier is text', 'a{,2}{x}{', '', literal('a{,2}{x}{')],
    ['a beginning is a prefix', '^C\\+\\+', '', prefix('C++')],
    ['a caret alone is met by every text', '^', '', literal('')],
    ['with m a beginning is no prefix', '^a', 'm', regexp('^a', 'mu')],
    ['a second caret is no text', '^^a', '', regexp('^^a')],
    ['an end is no literal text', 'a$', '', regexp('a$')],
    ['an escaped letter is no literal text', '\\d', '', regexp('\\d')],
    ['a quantifier is no literal text', 'a{2}', '', regexp('a{2}')],
    ['flags come in one order', 'a.', 'xsmi', regexp('a.', 'imsu')],
    ['what only the older dialect takes goes without u', 'a.\\-', '', regexp('a.\\-', '')],
    ['groups are no more than their text', '(?:a)(b)', '', literal('ab')],
    ['an invalid pattern is its text', 'C++', '', literal('C++')],
    ['an invalid beginning is its text with the caret', '^C++', '', literal('^C++')],
    ['an invalid pattern with x keeps its spaces', 'C++ # x', 'x', literal('C++ # x')],
    ['white space goes before a text is recognised', '^ a b # c', 'x', prefix('ab')],
  ]
  for (const [name, source, options, expected] of rows) {
    it(name, () => assert.deepEqual(parsePattern(source, options), expected))
  }

  it('keeps whether case is ignored', () => {
    assert.deepEqual(parsePattern('^Re', 'i'), { kind: 'prefix', text: 'Re', ignoreCase: true })
    assert.deepEqual(parsePattern('C++', 'i'), { kind: 'literal', text: 'C++', ignoreCase: true })
    assert.deepEqual(parsePattern('a|b', 'i'), { kind: 'regexp', source: 'a|b', flags: 'iu' })
  })
})

describe('patternTest()', () => {
  it('finds literal texts as a RegExp with the flags u and iu does', () => {
    const seed = seedOfTest()
    const random = seededRandom(seed)
    const letters = ['a', 'A', 'b', 'k', '\u212A', 's', '\u017F', '\u00DF', '\u1E9E', '\u03C3', '\u03A3', '\u03C2', 'i']
    const rarer = ['\u0130', '\u0131', '\u{10400}', '\u{10428}', '\u0390', '\u1FD3', '\uFB05', '\uFB06']
    const chars = [...letters, ...rarer, '\uD801', '\uDC00', '\uDC28']
    let found = 0
    for (let round = 0; round < ROUNDS; round++) {
      // Few characters at a time, so that texts repeat themselves and partial matches overlap.
      const few = [random.pick(chars), random.pick(chars), random.pick(chars)]
      const text = random.list(10, () => random.pick(few)).join('')
      const needle = random.list(4, () => random.pick(few)).join('')
      const ignoreCase = random.oneIn(2)
      const source = [...needle].map((char) => `\\u{${char.codePointAt(0)?.toString(16)}}`).join('')
      const about = `SEED=${seed} ${JSON.stringify({ text, needle, ignoreCase })}`
      const contains = new RegExp(source, ignoreCase ? 'iu' : 'u').test(text)
      assert.equal(testOf(literalPattern(needle, ignoreCase))(text), contains, about)
      const begins = new RegExp(`^${source}`, ignoreCase ? 'iu' : 'u').test(text)
      assert.equal(testOf({ kind: 'prefix', text: needle, ignoreCase })(text), begins, about)
      if (contains) found++
    }
    assert.ok(found > ROUNDS / 12 && found < (ROUNDS * 11) / 12, `${found} found`)
  })

  it('reads two halves of a surrogate pair that stand apart in the pattern as two characters, as V8 does', () => {
    for (const source of ['\\ud83d(?:\\ude00)', '\\ud83d[\\ude00]', '\\ud83d(\\ude00)', '\\ud83d\\ude00', '^\\ud83d(?:\\ude00)']) {
      for (const text of ['😀', '\ud83d', 'a😀']) {
        const found = testOf(parsePattern(source, ''))(text)
        assert.equal(found, new RegExp(source, 'u').test(text), JSON.stringify({ source, text }))
      }
    }
  })

  it('minds the case of a letter of two units where a pattern is read unit by unit, as V8 does', () => {
    // `]{0}` is a pattern only without the flag u. U+10400 and U+10428 are one letter with it.
    for (const flags of ['i', ''])
      for (const source of [']{0}\\uD801\\uDC00', ']{0}\u{10400}']) {
        const [ours, v8s] = [testOf(parsePattern(source, flags)), new RegExp(source, flags)]
        for (const text of ['\u{10428}', '\u{10400}']) assert.equal(ours(text), v8s.test(text), `${source} ${flags} ${text}`)
      }
  })

  it('finds a literal of 200,000 units that almost matches everywhere, which would take hours in quadratic time', () => {
    const almost: readonly ((units: number) => string)[] = [
      (units) => `${'a'.repeat(units)}b`,
      (units) => `b${'a'.repeat(units)}`,
      (units) => `${'a'.repeat(units / 2)}b${'a'.repeat(units / 2)}`,
    ]
    const text = 'a'.repeat(600_000)
    for (const needleOf of almost) {
      for (const ignoreCase of [true, false]) assert.equal(testOf(literalPattern(needleOf(200_000), ignoreCase))(text), false)
    }
  })
})

describe('withoutPatternSpace()', () => {
  const rows: readonly (readonly [source: string, expected: string])[] = [
    [' a\tb\nc\vd\fe\rf ', 'abcdef'],
    ['a # b\nc#d', 'ac'],
    ['[ #]', '[ #]'],
    ['[\\] #] #', '[\\] #]'],
    ['[^ ] x', '[^ ]x'],
    ['\\[ a ]', '\\[a]'],
    ['a\\ b\\#c', 'a b#c'],
    ['[a\\ \\#]', '[a #]'],
    ['\\\\ a', '\\\\a'],
    ['a\\', 'a\\'],
    ['(a)\\1 0', '(a)\\1(?:)0'],
    ['(a)\\1#x\n0', '(a)\\1(?:)0'],
    ['a\u00A0b', 'a\u00A0b'],
    ['a {2} +', 'a{2}+'],
  ]
  for (const [source, expected] of rows) {
    it(`leaves ${JSON.stringify(expected)} of ${JSON.stringify(source)}`, () => {
      assert.equal(withoutPatternSpace(source).kept, expected)
    })
  }
})
