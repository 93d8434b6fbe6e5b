/** Choosing rows: one by one, as a range, all of them. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createRowSelection } from '../../src/dashboard/kit/table/row-selection.ts'

const ORDER = ['a', 'b', 'c', 'd', 'e']

/** Each step: an id, with `+` in front where Shift is held. */
for (const [name, steps, wanted] of [
  ['turns rows over one by one', ['b', 'd', 'b'], ['d']],
  ['chooses a range downwards', ['b', '+d'], ['b', 'c', 'd']],
  ['chooses a range upwards', ['d', '+b'], ['b', 'c', 'd']],
  ['makes all of a range what its beginning is', ['a', 'b', 'c', 'b', '+d'], ['a']],
  ['goes on from the same beginning', ['b', '+d', '+c'], ['b', 'c', 'd']],
  ['chooses one row where nothing was begun', ['+c'], ['c']],
] as const) {
  it(`a selection ${name}`, () => {
    const selection = createRowSelection(() => {})
    for (const step of steps) selection.turn(step.replace('+', ''), ORDER, step.startsWith('+'))
    assert.deepEqual([...selection.ids()].sort(), wanted)
  })
}

it('a selection forgets its beginning when that is no longer there', () => {
  const selection = createRowSelection(() => {})
  selection.turn('gone', ['gone', ...ORDER], false)
  selection.turn('c', ORDER, true)
  assert.deepEqual([...selection.ids()], ['gone', 'c'])
})

it('a selection is set to exactly what is given, and tells of it', () => {
  let told = 0
  const selection = createRowSelection(() => told++)
  selection.turn('a', ORDER, false)
  selection.set(['b', 'c'])
  assert.deepEqual([selection.ids(), selection.size, selection.has('a'), told], [['b', 'c'], 2, false, 2])
})

it('a selection that is set without the rows that were done still begins a range at the last one that was turned', () => {
  const selection = createRowSelection(() => {})
  for (const id of ['a', 'b']) selection.turn(id, ORDER, false)
  selection.set(['b'])
  selection.turn('d', ORDER, true)
  assert.deepEqual(selection.ids(), ['b', 'c', 'd'])
  selection.set(['c'])
  selection.turn('a', ORDER, true)
  assert.deepEqual([...selection.ids()].sort(), ['a', 'c'])
})
