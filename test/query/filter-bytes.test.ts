/** The way of the parameter `filter` from the request line to the tree, for anything that can stand there. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { outcomeOfQueryText, randomQueryText } from '../support/query/filter-bytes.ts'
import { fuzzRun } from '../../scripts/tools/long-run.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'

const SEED = seedOfTest()
const CASES = fuzzRun(3_000, 60_000)

it(`any bytes are a filter or are refused with 400 (SEED=${SEED})`, () => {
  const random = seededRandom(SEED)
  const counts = { filter: 0, refused: 0, absent: 0 }
  for (let i = 0; i < CASES; i++) counts[outcomeOfQueryText(randomQueryText(random))]++
  assert.ok(counts.filter > CASES / 10 && counts.refused > CASES / 5, `SEED=${SEED} ${JSON.stringify(counts)}`)
})

for (const text of [
  'filter=',
  'filter',
  'filter=%',
  'filter=%zz',
  'filter=%00',
  'filter=%ff%fe',
  'filter=%ed%a0%80',
  'filter=%c0%ae',
  'filter=\u00ff',
  'filter={}&filter={}',
  `filter=${'%5B'.repeat(20_000)}`,
  `filter=${'%7B%22a%22%3A'.repeat(5_000)}`,
  `filter=%22${'a'.repeat(65_600)}%22`,
  'filter=%7B%22__proto__%22%3A%7B%22%24where%22%3A1%7D%7D',
]) {
  it(`refuses ${text.slice(0, 40)} of ${text.length} characters`, () =>
    assert.equal(outcomeOfQueryText(text), 'refused'))
}
