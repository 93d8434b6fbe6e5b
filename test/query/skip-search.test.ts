import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSkipSearch } from '../../src/query/skip-search.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'

const ROUNDS = longRun(2_000, 30_000)

describe('createSkipSearch()', () => {
  it('finds one of several texts where a search for each of them finds one', () => {
    const seed = seedOfTest()
    const random = seededRandom(seed)
    const letters = ['a', 'b', 'A', 'k', '\u212A', '\u0161', '\u0461', '\u{10400}', '\u{10428}', '\uD801', '\uDC00']
    const tally = { found: 0, absent: 0, 'gave up': 0 }
    for (let round = 0; round < ROUNDS; round++) {
      const few = [random.pick(letters), random.pick(letters), random.pick(letters)]
      const any = (length: number): string => random.list(length, () => random.pick(few)).join('')
      const ignoreCase = random.oneIn(2)
      const sought = Array.from({ length: 1 + random.below(3) }, () => ({ text: random.pick(few) + any(4), ignoreCase }))
      const text = any(40)
      const outcome = createSkipSearch(sought)(text)
      tally[outcome]++
      const escaped = (one: string): string =>
        Array.from(one, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`).join('')
      // Units are compared here, so that half of a pair may be found in one; RegExp is compared where there are none.
      const isCut = /[\uD801\uDC00]/.test(text + sought.map((one) => one.text).join(''))
      if (outcome === 'gave up' || isCut) continue
      const expression = new RegExp(sought.map((one) => escaped(one.text)).join('|'), ignoreCase ? 'iu' : 'u')
      assert.equal(outcome === 'found', expression.test(text), `SEED=${seed} ${JSON.stringify({ text, sought, ignoreCase })}`)
    }
    assert.ok(tally.found > ROUNDS / 6 && tally.absent > ROUNDS / 6, JSON.stringify(tally))
  })

  it('gives up on a text where each window is nearly a match', () => {
    const search = createSkipSearch([{ text: `b${'a'.repeat(100)}`, ignoreCase: true }])
    assert.equal(search('A'.repeat(10_000)), 'absent')
    assert.equal(createSkipSearch([{ text: `${'a'.repeat(100)}ba`, ignoreCase: true }])('A'.repeat(10_000)), 'gave up')
  })

  it('moves over a text in windows', () => {
    const search = createSkipSearch([{ text: 'harbour', ignoreCase: false }])
    assert.equal(search(`${'x'.repeat(1_000_000)}harbour`), 'found')
    assert.equal(search(`${'x'.repeat(1_000_000)}harbou`), 'absent')
  })
})
