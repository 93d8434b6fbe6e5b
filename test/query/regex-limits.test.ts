// isolated: it measures memory
/** What a pattern may cost, at each limit and one past it, and what bounds the memory and the work of matching. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Json } from '../../src/base/json.ts'
import { matches } from '../../src/query/match.ts'
import { parseFilter } from '../../src/query/parse.ts'
import { parsePattern, patternTest, statesOf } from '../../src/query/pattern.ts'
import { StepsExceeded, unlimitedSteps } from '../../src/query/steps.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'

const refusal = (message: RegExp) => ({ name: 'Failure', code: 'badRequest', message })
const test = (source: string, options = ''): ((text: string) => boolean) =>
  patternTest(parsePattern(source, options), unlimitedSteps())

describe('states are counted before they are built', () => {
  const rows: readonly (readonly [source: string, states: number])[] = [
    ['a.', 2],
    ['a|.', 3],
    ['.*', 2],
    ['.+', 2],
    ['.?', 2],
    ['^.$', 3],
    ['.{3}', 3],
    ['.{2,4}', 6],
    ['.{2,}', 3],
    ['(?:.{10}){10}', 100],
    ['(?:.?){3}', 6],
    ['.{10000}', 10_000],
    ['(?:.{100}){100}', 10_000],
    ['.{0,5000}', 10_000],
    ['.(?:){99999999999}', 1],
    ['.(?:^|$){7,99999999999}', 4],
    ['.(?:|a|){0}', 1],
  ]
  for (const [source, states] of rows) {
    it(`${source} has ${states}`, () => assert.equal(statesOf(parsePattern(source, '')), states))
  }

  const refused: readonly (readonly [source: string, found: string])[] = [
    ['.{10001}', '10001'],
    ['.{0,5001}', '10002'],
    ['(?:.{101}){100}', '10100'],
    ['a{99999999999}', '99999999999'],
    ['a{0,99999999999}', '199999999998'],
    ['a{99999999999,}', '100000000000'],
    ['(?:.{1000}){1000}', '1000000'],
    ['((((((((.{9}){9}){9}){9}){9}){9}){9}){9}){9}', '387420489'],
    [`.{${'9'.repeat(900)}}`, `more than ${Number.MAX_SAFE_INTEGER}`],
    [`(?:.{${'9'.repeat(400)}}){${'9'.repeat(400)}}`, `more than ${Number.MAX_SAFE_INTEGER}`],
  ]
  for (const [source, found] of refused) {
    it(`${source.slice(0, 60)} has too many`, () => {
      const message = new RegExp(`at "\\$": expected a pattern of at most 10000 states with its .* out, found ${found}$`)
      assert.throws(() => parsePattern(source, ''), refusal(message))
    })
  }

  it('a filter has at most 100,000 in all its patterns', () => {
    const filter = (last: string): Json => ({
      $and: [...Array.from({ length: 10 }, () => ({ a: { $regex: '.{9999}' } })), { a: { $regex: last } }],
    })
    assert.ok(parseFilter(filter('.{10}')))
    const message = /at "\$": expected patterns of at most 100000 states together, found 100001$/
    assert.throws(() => parseFilter(filter('.{11}')), refusal(message))
  })

  it('a filter asks for at most 100 different Unicode properties', () => {
    const scripts = 'Adlm Aghb Ahom Arab Armi Armn Avst Bali Bamu Bass Batk Beng Bhks Bopo Brah Brai Bugi Buhd Cakm Cans'
    const more = 'Cari Cham Cher Chrs Copt Cpmn Cprt Cyrl Deva Diak Dogr Dsrt Dupl Egyp Elba Elym Ethi Geor Glag Gong Gonm'
    const names = `${scripts} ${more}`.split(' ').flatMap((name) => [`sc=${name}`, `scx=${name}`, `Script=${name}`])
    const filter = (count: number): Json => ({
      $or: names.slice(0, count).map((name) => ({ a: { $regex: `\\p{${name}}\\P{${name}}` } })),
    })
    assert.ok(parseFilter(filter(100)))
    assert.throws(() => parseFilter(filter(101)), refusal(/expected at most 100 Unicode properties, found 101$/))
  })
})

describe('look-around and back-references are named with their place in what was sent', () => {
  const rows: readonly (readonly [source: string, options: string, found: string])[] = [
    ['a(?=b)', '', 'the look-ahead "(?=" at index 1'],
    ['(?!b)', '', 'the negative look-ahead "(?!" at index 0'],
    ['\u{1F600}(?<=b)', '', 'the look-behind "(?<=" at index 2'],
    ['(?:(?<!b))', '', 'the negative look-behind "(?<!" at index 3'],
    ['(a)\\1', '', 'the back-reference "\\1" at index 3'],
    ['\\2(a)(b)', '', 'the back-reference "\\2" at index 0'],
    ['(?<n>a)\\k<n>', '', 'the back-reference "\\k<n>" at index 7'],
    ['(\\1)', '', 'the back-reference "\\1" at index 1'],
    ['(?=a)*', '', 'the look-ahead "(?=" at index 0'],
    ['(?=a)(?!b)', 'i', 'the look-ahead "(?=" at index 0'],
    [' a # one\n (?=b)', 'x', 'the look-ahead "(?=" at index 10'],
    [' ( a ) # one\n \\1 0', 'x', 'the back-reference "\\1" at index 14'],
  ]
  for (const [source, options, found] of rows) {
    it(JSON.stringify(source), () => {
      const wanted = 'expected a pattern without look-around and back-references'
      assert.throws(
        () => parsePattern(source, options, '$.a.$regex'),
        (error: Error) => error.message === `Cannot read filter at "$.a.$regex": ${wanted}, found ${found}`,
      )
    })
  }
})

describe('reading a pattern takes no stack', () => {
  it('of ten thousand groups within one another', () => {
    const nested = `${'('.repeat(1_000)}a.${')'.repeat(1_000)}`
    assert.equal(test(nested)('xay'), true)
    assert.equal(test(`${'(?:'.repeat(1_000)}a.${')?'.repeat(1_000)}`)('x'), true)
    const literal = parsePattern('('.repeat(10_000), '')
    assert.equal(literal.kind, 'literal')
  })
})

describe('where V8 departs from ECMA-262, the standard holds', () => {
  const rows: readonly (readonly [source: string, text: string, matches: boolean])[] = [
    ['[^a]$', '\u{1F600}', true],
    ['\\B', 'a\u{10400}b', false],
    ['(?i:a)\\W', 'a\u017F', true],
    ['(?i:a)[b]', 'aB', false],
    ['(?-i:a)?[b]', 'B', false],
  ]
  for (const [source, text, expected] of rows) {
    it(`${source} on ${JSON.stringify(text)}`, () => assert.equal(test(source)(text), expected))
  }
})

describe('work is counted in steps', () => {
  const text = 'ab'.repeat(50_000)

  it('and given up past the limit, in the middle of a text', () => {
    const filter = parseFilter({ a: { $regex: 'a[ab]{2000}c' } })
    const steps = { taken: 0, max: 100_000 }
    assert.throws(() => matches(filter, { a: `${text}c` }, steps), StepsExceeded)
    assert.ok(steps.taken < 120_000, `${steps.taken} steps`)
  })

  it('after which the same pattern goes on with the next text', () => {
    const steps = { taken: 0, max: 50_000 }
    const one = patternTest(parsePattern('a[ab]{199}[cd]', ''), steps)
    assert.throws(() => one(`${text}c`), StepsExceeded)
    steps.max = Number.POSITIVE_INFINITY
    assert.equal(one(`${text}c`), true)
    assert.equal(one('ab'.repeat(100)), false)
  })
})

describe('what is remembered from text to text is bounded', () => {
  it('for a pattern that has another state at each character', () => {
    const bytesHeld = (): number => {
      collectGarbage()
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      return heapUsed + arrayBuffers
    }
    const random = seededRandom(1)
    const text = Array.from({ length: 200_000 }, () => random.pick(['a', 'b'])).join('')
    const one = patternTest(parsePattern('a[ab]{40}c', ''), unlimitedSteps(), 50_000)
    const before = bytesHeld()
    assert.equal(one(`${text}c`), text.at(-41) === 'a')
    const grown = bytesHeld() - before
    assert.equal(one(`a${text.slice(0, 40)}c`), true)
    assert.ok(grown < 1_000_000, `${grown} bytes`)
  })

  // A text that was read without the table had given characters classes for which the table had no columns: the next
  // text then took cells of other rows for its own.
  it('and one that was forgotten for a text does not mislead the next', () => {
    const seed = seedOfTest()
    const random = seededRandom(seed)
    const letters = [...'cdefghijklmnopqrstu']
    const several = (count: number): string => Array.from({ length: random.below(count) }, () => random.pick(['a', 'b'])).join('')
    let found = 0
    for (let round = 0; round < longRun(60, 500); round++) {
      const source = `a[ab]{${2 + random.below(6)}}(?:${letters.map((letter) => letter + letter).join('|')})[xyz]`
      const one = patternTest(parsePattern(source, ''), unlimitedSteps(), 2_000 + random.below(6_000))
      const expression = new RegExp(source, 'u')
      const texts = [`${'abaabbab'.repeat(12)}${several(10)}${letters.join('')}`, ...Array.from({ length: 4 }, () => several(8))]
      for (let i = 0; i < 3; i++) texts.push(`${several(5)}${random.pick(letters)}${several(10)}ccx`)
      for (const [i, text] of texts.entries()) {
        const expected = expression.test(text)
        if (expected) found++
        assert.equal(one(text), expected, `SEED=${seed} ${JSON.stringify({ source, texts: texts.slice(0, i + 1) })}`)
      }
    }
    assert.ok(found > longRun(6, 50), `${found} found`)
  })
})
