import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Failure } from '../../src/base/failure.ts'
import { entityTag, listsStrongly, listsWeakly, parseEntityTags, type TagList } from '../../src/http/entity-tag.ts'

const TAGS_MAX = 100
const LONG = 60_000

const GOOD: [header: string, tags: TagList][] = [
  ['*', '*'],
  ['"a"', ['"a"']],
  ['W/"a"', ['W/"a"']],
  ['"a" ,\t"b"  ', ['"a"', '"b"']],
  [', "a",, ,"b",', ['"a"', '"b"']],
  ['"a,b"', ['"a,b"']],
  ['"*"', ['"*"']],
  ['"\\"', ['"\\"']],
  ['"\xe9"', ['"\xe9"']],
  [Array.from({ length: TAGS_MAX }, (_, i) => `"${i}"`).join(), Array.from({ length: TAGS_MAX }, (_, i) => `"${i}"`)],
]

const BAD = ['', ' , ,', 'a', '"a', 'w/"a"', 'W/ "a"', '"a" "b"', '*, "a"', '"a, b"', '"a\x7f"']

describe('parseEntityTags()', () => {
  for (const [header, tags] of GOOD) {
    it(`takes ${JSON.stringify(header.slice(0, 40))}`, () =>
      assert.deepEqual(parseEntityTags('If-Match', header), tags))
  }

  for (const header of BAD) {
    it(`refuses ${JSON.stringify(header)}`, () => {
      const message = /^Cannot read the header If-Match: expected an ETag in its quotes or \*, found /
      assert.throws(() => parseEntityTags('If-Match', header), { code: 'badRequest', message })
    })
  }

  // Strangers may fill 64 KiB with one header, and a pattern with two ways to read blanks takes the square of their length.
  for (const [name, header] of [
    ['a quote that is never closed', `"${'a'.repeat(LONG)}`],
    ['blanks in front of nothing', `"a",${' '.repeat(LONG)}x`],
    ['commas only', ','.repeat(LONG)],
    ['ten thousand tags', '"a",'.repeat(LONG / 6)],
  ] as const) {
    it(`attack: refuses ${name} in a long header, and repeats none of it`, () => {
      const isShort = ({ code, message }: Failure): boolean => code === 'badRequest' && message.length < 300
      assert.throws(() => parseEntityTags('If-Match', header), isShort)
    })
  }

  it('takes a tag between tens of thousands of commas', () => {
    assert.deepEqual(parseEntityTags('If-Match', `${','.repeat(LONG / 2)}"a"${','.repeat(LONG / 3)}`), ['"a"'])
  })

  it('refuses one tag more than it takes', () => {
    const header = Array.from({ length: TAGS_MAX + 1 }, (_, i) => `"${i}"`).join()
    assert.throws(() => parseEntityTags('If-None-Match', header), {
      message: `Cannot read the header If-None-Match: expected at most ${TAGS_MAX} ETags, found more`,
    })
  })
})

describe('entityTag()', () => {
  it('is a strong tag that can be sent back, the same for the same text only', () => {
    const tag = entityTag('{"name":"Häfen"}')
    assert.match(tag, /^"[\w-]{22}"$/)
    assert.deepEqual(parseEntityTags('If-Match', tag), [tag])
    assert.equal(entityTag('{"name":"Häfen"}'), tag)
    assert.notEqual(entityTag('{"name":"Hafen"}'), tag)
    assert.notEqual(entityTag(''), tag)
  })
})

/** The table of RFC 9110 section 8.8.3.2 where the one of ours is strong, as it always is. */
const COMPARISONS: [list: TagList, strongly: boolean, weakly: boolean][] = [
  ['*', true, true],
  [['"1"'], true, true],
  [['W/"1"'], false, true],
  [['"2"'], false, false],
  [['W/"2"'], false, false],
  [['"2"', 'W/"1"'], false, true],
  [['"2"', '"1"'], true, true],
]

describe('comparing with "1"', () => {
  for (const [list, strongly, weakly] of COMPARISONS) {
    it(`${String(list)} is ${strongly ? '' : 'not '}listed strongly, ${weakly ? '' : 'not '}weakly`, () => {
      assert.equal(listsStrongly(list, '"1"'), strongly)
      assert.equal(listsWeakly(list, '"1"'), weakly)
    })
  }
})
