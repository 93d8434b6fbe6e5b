import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseAcceptLanguage } from '../../src/http/accept-language.ts'

for (const [name, header, languages] of [
  ['no header', undefined, []],
  ['an empty header', '', []],
  ['one language', 'de', ['de']],
  ['what a browser sends', 'de-CH,de;q=0.9,en-US;q=0.8,en;q=0.7', ['de-CH', 'de', 'en-US', 'en']],
  ['weights in any order', 'da;q=0.7, en-gb;q=0.8, ar', ['ar', 'en-gb', 'da']],
  ['equal weights in their order', 'fr;q=0.5, es;q=0.5, de;q=0.500', ['fr', 'es', 'de']],
  ['white space where it is allowed', ' fr \t, de ; q=1.000 ', ['fr', 'de']],
  ['empty elements, as lists may have', ',,fr,,', ['fr']],
  ['the wildcard, which names nothing', '*, de;q=0.5', ['de']],
  ['a language that is not wanted', 'de;q=0, en;q=0.000, fr;q=0.001', ['fr']],
  ['weights that are none', 'a;q=1.1, b;q=-1, c;q=.5, d;q=0.1234, e;q=1.001, f;q=x, g;q=, h;level=1, i;q=1', ['i']],
  ['a script and a region', 'zh-Hans-CN', ['zh-Hans-CN']],
  ['letter case as it is', 'DE-ch;Q=0.5', ['DE-ch']],
  ['what is no tag', '12, de_CH, ünï, a b, "de", de-, -de, toolonganame, {}, <script>, de\0', []],
  ['a tag of 35 characters', 'abcdefgh-abcdefgh-abcdefgh-abcdefgh', ['abcdefgh-abcdefgh-abcdefgh-abcdefgh']],
  ['a tag of 36 characters', 'abcdefgh-abcdefgh-abcdefgh-abcdef-ab', []],
] as const) {
  it(`Accept-Language: ${name}`, () => {
    assert.deepEqual(parseAcceptLanguage(header), languages)
  })
}

it('Accept-Language of any length costs little: ten languages of its beginning count', () => {
  const many = Array.from({ length: 10_000 }, (_, i) => `a${String.fromCharCode(97 + (i % 26))}`)
  assert.deepEqual(parseAcceptLanguage(many.join()), many.slice(0, 10))
  const cut = `${'de;q=0.5,'.repeat(113)}fr-CH-1996`
  assert.equal(cut.length, 1027)
  assert.deepEqual(new Set(parseAcceptLanguage(cut)), new Set(['de']), 'half a tag is none')
  for (const hostile of [
    'a-'.repeat(30_000),
    `a${'-a'.repeat(30_000)};q=`,
    `de${' '.repeat(60_000)};q=1`,
    ';'.repeat(60_000),
  ]) {
    assert.ok(parseAcceptLanguage(hostile).length <= 1)
  }
})
