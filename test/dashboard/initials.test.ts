/** The letters that stand for a person. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { initialsOf } from '../../src/dashboard/people.ts'

for (const [name, initials] of [
  ['Ana Lima', 'AL'],
  ['ana maria de lima', 'AL'],
  ['Ana', 'A'],
  ['editor@example.org', 'E'],
  ['😀 Smile', '😀S'],
  ['محمد علي', 'مع'],
  ['  ', ''],
] as const) {
  it(`of ${JSON.stringify(name)} are ${initials}`, () => assert.equal(initialsOf(name), initials))
}
