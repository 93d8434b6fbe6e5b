/** What differs between two states of a document, and putting the same changes onto a third. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { differencesOf, withDifferences } from '../../src/dashboard/document-difference.ts'

describe('the differences of two documents', () => {
  for (const [name, before, after, wanted] of [
    ['are none where members only stand in another order', { a: { b: 1, c: [1] } }, { a: { c: [1], b: 1 } }, []],
    ['name the path of a changed value', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, [['a.c', 2, 3]]],
    [
      'tell what is new and what is gone',
      { a: { x: null } },
      { a: { y: '' } },
      [['a.x', null, undefined], ['a.y', undefined, '']],
    ],
    ['compare lists as a whole', { a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, [['a', [1, { b: 2 }], [1, { b: 3 }]]]],
    [
      'leave out what the server sets, at the top only',
      { updatedAt: '1', a: { id: '1' } },
      { updatedAt: '2', a: { id: '2' } },
      [['a.id', '1', '2']],
    ],
    ['see an object take the place of a value', { a: 1 }, { a: { b: 1 } }, [['a', 1, { b: 1 }]]],
    [
      'take __proto__ for a name like any other',
      JSON.parse('{"a":{"__proto__":1}}'),
      { a: {} },
      [['a.__proto__', 1, undefined]],
    ],
  ] as const) {
    it(name, () => {
      const found = differencesOf(before as never, after as never)
      assert.deepEqual(found.map(({ steps, before: old, after: next }) => [steps.join('.'), old, next]), wanted)
    })
  }

  it('lead from the first document to the second', () => {
    const before = { a: { b: 1, c: { d: 2 } }, e: [1], f: 'x' }
    const after = { a: { b: 1, c: { d: 3, g: 4 } }, e: [], h: { i: true } }
    assert.deepEqual(withDifferences(before, differencesOf(before, after)), after)
    assert.deepEqual(before, { a: { b: 1, c: { d: 2 } }, e: [1], f: 'x' })
  })

  it('of two people meet in a third document, where only the same path is contested', () => {
    const base = { a: 1, b: { c: 1, d: 1 } }
    const mine = { a: 2, b: { c: 2, d: 1 } }
    const theirs = { a: 3, b: { c: 1, d: 3 } }
    assert.deepEqual(withDifferences(theirs, differencesOf(base, mine)), { a: 2, b: { c: 2, d: 3 } })
  })
})
