/** The list of attacks and the command line of their drill. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ATTACKS } from '../../scripts/attacks/attack-list.ts'
import { readAttackWords } from '../../scripts/drill-attacks.ts'

it('every attack has a name of its own', () => {
  assert.equal(new Set(ATTACKS.map(({ name }) => name)).size, ATTACKS.length)
  for (const { name } of ATTACKS) assert.match(name, /^[a-z0-9]+(?:-[a-z0-9]+)*$/)
})

it('the command line names attacks, a size and an executable', () => {
  assert.deepEqual(readAttackWords(['--quick', 'late-bodies', '--size', '500']), {
    isQuick: true,
    headlines: 500,
    executable: undefined,
    names: ['late-bodies'],
  })
  for (const words of [['--size', '0'], ['--size', 'many'], ['--fast']]) assert.equal(readAttackWords(words), undefined)
})
