/** Documents in forms: what is sent, what is the same, where JSON is none, and what two people made of one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isSame } from '../../src/dashboard/document-difference.ts'
import { extrasOf, sentMembers, withMembers } from '../../src/dashboard/screens/editor/document-members.ts'
import { differences, likelyChoice, merged } from '../../src/dashboard/screens/editor/three-way.ts'
import { jsonMistakeAt } from '../../src/dashboard/kit/form/json-mistake.ts'
import { headline } from '../../src/models/headline.ts'
import { seededRandom, seedOfRun } from '../../scripts/tools/random.ts'

describe('what a document is made of', () => {
  const document = { id: '1', title: 'A', createdAt: 'x', type: 'headline', tags: [1], constructor: 'mine' }

  it('is sent without what the server sets, and further members are told apart whatever they are called', () => {
    assert.deepEqual(sentMembers(headline, document), { title: 'A', tags: [1], constructor: 'mine' })
    assert.deepEqual(extrasOf(headline, document), { tags: [1], constructor: 'mine' })
  })

  it('is what the server set and what is sent, in the stored order; members that are taken out are gone', () => {
    const whole = withMembers(headline, document, { url: 'u', title: 'B', constructor: 'mine' })
    assert.deepEqual(Object.entries(whole), [
      ['id', '1'],
      ['title', 'B'],
      ['createdAt', 'x'],
      ['type', 'headline'],
      ['constructor', 'mine'],
      ['url', 'u'],
    ])
  })

  it('is the same in any order of members, and only then', () => {
    assert.ok(isSame({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }))
    for (const [a, b] of [
      [{ a: 1 }, { a: 1, b: 1 }],
      [{ a: 1, b: 1 }, { a: 1 }],
      [{ toString: 1 }, {}],
      [{ a: [1, 2] }, { a: [2, 1] }],
      [{ a: {} }, { a: [] }],
      [null, undefined],
      ['1', 1],
    ] as const) {
      assert.ok(!isSame(a, b), JSON.stringify([a, b]))
    }
  })
})

describe('what two people made of one document', () => {
  const before = { title: 'A', excerpt: 'x', url: 'u', source: { id: '1', name: 'S' }, gone: 1 }
  const mine = { title: 'B', excerpt: 'x', url: 'mine', source: { name: 'S', id: '1' }, gone: 1, new: [1] }
  const theirs = { title: 'B', excerpt: 'y', url: 'theirs', source: { id: '2', name: 'T' } }
  const different = differences(before, mine, theirs)

  it('differs member by member, and is told by who changed it', () => {
    assert.deepEqual(
      different.map(({ name, changedBy }) => [name, changedBy]),
      [['excerpt', 'them'], ['url', 'both'], ['source', 'them'], ['gone', 'them'], ['new', 'me']],
    )
  })

  it('becomes one document in which only what both changed has to be chosen', () => {
    assert.deepEqual(merged(mine, different, likelyChoice), {
      title: 'B',
      excerpt: 'y',
      url: 'mine',
      source: { id: '2', name: 'T' },
      new: [1],
    })
    assert.deepEqual(merged(mine, different, () => 'mine'), mine)
    assert.deepEqual(merged(mine, different, () => 'theirs'), theirs)
  })
})

describe('a text that is no JSON', () => {
  const cases: readonly (readonly [text: string, at: number | undefined])[] = [
    ['{"a": [1, 2.5e-3, true, null, "\\u00e9\\n"]}', undefined],
    ['"\u007f"', undefined],
    ['{', 1],
    ['{"a": 1,}', 8],
    ['{"a": 01}', 7],
    ['{"a": "b\n"}', 6],
    ['"\\x"', 0],
    ['{"a": 1\n "b": 2}', 9],
    ['\u00a01', 0],
  ]
  for (const [text, at] of cases) {
    it(`${JSON.stringify(text)} is wrong at ${at ?? 'no place'}`, () => assert.equal(jsonMistakeAt(text), at))
  }

  it('is one exactly where JSON.parse says so, in a time that grows with its length only', () => {
    const random = seededRandom(seedOfRun())
    const parts = ['{', '}', '[', ']', ',', ':', '"a"', '"', '1', '-', '0', '.5', 'true', 'nul', ' ', '\n', '\\', 'é']
    for (let i = 0; i < 20_000; i++) {
      const text = Array.from({ length: random.below(9) }, () => random.pick(parts)).join('')
      let isJson = true
      try {
        JSON.parse(text)
      } catch {
        isJson = false
      }
      assert.equal(jsonMistakeAt(text) === undefined, isJson, `${JSON.stringify(text)}, seed ${random.seed}`)
    }
    assert.equal(jsonMistakeAt('['.repeat(200_000)), 200_000)
    assert.equal(jsonMistakeAt(`"${'\\'.repeat(100_000)}`), 0)
  })
})
