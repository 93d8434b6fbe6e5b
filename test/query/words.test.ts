/** Words as searches compare them: what folds to the same, where words end, and what is a part of them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fold } from '../../src/query/fold.ts'
import { foldWords, haveWords, soughtWords, wordsOf } from '../../src/query/words.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'

/** All letters of Latin, and one in so many of the others. */
const POINT_STEP = longRun(13, 1)

describe('wordsOf()', () => {
  for (const [name, text, words] of [
    ['drops accents and case', 'Ålegræsset ÉTÉ Ünsere İstanbul', 'alegraesset ete unsere istanbul'],
    ['spells letters out that are one', 'Smørrebrød Œuvre Straße Łódź Þór', 'smorrebrod oeuvre strasse lodz thor'],
    ['joins forms of a letter', 'ΣΊΣΥΦΟΣ σίσυφος ﬁn Ｆｕｌｌ', 'σισυφοσ fin full'],
    ['drops vowels of Arabic, and joins its spellings', 'مَدْرَسَة مدرسـه', 'مدرسه'],
    ['ends words at punctuation', 'rolls-royce, (streetcar) a/b', 'rolls royce streetcar a b'],
    ['keeps an apostrophe within a word', 'don’t l\'eau', 'dont leau'],
    ['keeps digits', 'Story 129', 'story 129'],
    ['has each word once', 'New new NEW', 'new'],
    ['finds none in signs', '… – 🎉', ''],
    ['cuts what is too long for a word', 'x'.repeat(70), `${'x'.repeat(64)} xxxxxx`],
    ['passes over half of a pair', 'a\ud83db', 'a b'],
  ] as const) {
    it(name, () => assert.equal(wordsOf([text]).join(' '), words))
  }

  it('looks at the beginning of a long text, and never joins two texts', () => {
    assert.deepEqual(wordsOf([`${' '.repeat(9_998)}abc`, 'def']), ['ab', 'def'])
  })

  it('folds characters one by one to what whole texts fold to', () => {
    const random = seededRandom(seedOfTest())
    const signs = ["'", '\u2019', '-', ' ', '\u0301', '\u0640', '\ud83d', '\udc00', '🎉', 'ﬁ', 'ﷺ', '½', 'İ', 'ς', '가', 'q'.repeat(63)]
    for (let point = 0; point < 0x20000; point += point < 0x250 ? 1 : POINT_STEP) {
      const character = String.fromCodePoint(point)
      const text = `x${character}y${random.pick(signs)}${character}${random.pick(signs)}z`
      const words = wordsOf([text])
      if (words.join(' ') !== wordsByRuns(text).join(' ')) assert.fail(`SEED=${random.seed} ${point.toString(16)} in ${JSON.stringify(text)} becomes ${words.join(' ')}`)
    }
  })

  it('attack: characters that become many take no more than they become', () => {
    const [text, phrase] = ['\ufdfa'.repeat(20_000), 'صلي الله عليه وسلم']
    assert.deepEqual(wordsOf([text, text, text, text]), [...phrase.split(' ').slice(0, 3), 'وسلمصلي', 'وسلم'])
    assert.equal(foldWords([text]), Array.from({ length: 10_000 }, () => phrase).join(''))
    assert.equal(foldWords(['a', text, 'b']).length, 2 + foldWords([text]).length + 2)
    assert.deepEqual(wordsOf([`${'a'.repeat(9_999)}\u{1d400}`]).at(-1), 'a'.repeat(15), 'a pair that the limit cuts')
    assert.equal(wordsOf(['𐐀'.repeat(65)]).join(' '), `${'𐐨'.repeat(64)} 𐐨`)
  })

  it('gives letters the same form that differ in case alone, and folds what is folded to itself', () => {
    for (let point = 0; point < 0x30000; point += point < 0x250 ? 1 : POINT_STEP) {
      const letter = String.fromCodePoint(point)
      if (/\p{M}/u.test(letter)) continue
      const words = wordsOf([letter]).join(' ')
      const again = wordsOf([words]).join(' ')
      if (words !== again) assert.fail(`${point.toString(16)} becomes ${words}, and that becomes ${again}`)
      const small = wordsOf([fold(letter)]).join(' ')
      if (words !== small) assert.fail(`${point.toString(16)} becomes ${words}, and its small form ${small}`)
    }
  })
})

/** The words of a text, as the header of words.ts says: each step looks at runs of letters as a whole. */
function wordsByRuns(text: string): readonly string[] {
  const runs = text.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}\u0640'\u2019\u02bc]*/gu) ?? []
  const words = runs.flatMap((run) => {
    const plain = fold(run.normalize('NFKD').replace(/[\p{M}\u0640'\u2019\u02bc]/gu, '')).replace(/./gu, (letter) => PLAIN.get(letter) ?? letter)
    return plain.match(/[\p{L}\p{N}]{1,64}/gu) ?? []
  })
  return [...new Set(words)]
}

const PLAIN = new Map(
  ['æ ae', 'œ oe', 'ø o', 'ß ss', 'đ d', 'ð d', 'þ th', 'ł l', 'ħ h', 'ŧ t', 'ı i', 'ŋ n', 'ٱ ا', 'ى ي', 'ة ه'].map((pair) => pair.split(' ') as [string, string]),
)

describe('a search', () => {
  for (const [search, text, isFound] of [
    ['alegraes', 'Ålegræsset vender tilbage', true],
    ['rolls streetcar', 'The streetcar rolls again', true],
    ['rolls tram', 'The streetcar rolls again', false],
    ['ETCA', 'The streetcar rolls again', true],
    ['eu', 'Europe votes', true],
    ['eu', 'A new museum', false],
    ['5 new', 'New line 5', true],
    ['5', 'Line 50', false],
    ['carrolls', 'The streetcar rolls again', false],
    ['new news', 'Good news', true],
  ] as const) {
    it(`for ${search} ${isFound ? 'finds' : 'does not find'} ${text}`, () => {
      assert.equal(haveWords(foldWords([text]), soughtWords(search)), isFound)
    })
  }

  it('looks for long texts first, and for what is not in them', () => {
    assert.deepEqual(soughtWords('eu ferry a ferr line'), ['ferry', 'line', ' eu', ' a '])
  })
})
