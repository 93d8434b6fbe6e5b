/** Words as searches compare them: what folds to the same, where words end, and what is a part of them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fold } from '../../src/query/fold.ts'
import { haveWords, soughtWords, wordsOf } from '../../src/query/words.ts'

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

  it('gives letters the same form that differ in case alone, and folds what is folded to itself', () => {
    for (let point = 0; point < 0x30000; point++) {
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
      assert.equal(haveWords(wordsOf([text]), soughtWords(search)), isFound)
    })
  }

  it('looks for long texts first, and for what is not in them', () => {
    assert.deepEqual(soughtWords('eu ferry a ferr line'), ['ferry', 'line', ' eu', ' a '])
  })
})
