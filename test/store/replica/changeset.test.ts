import assert from 'node:assert/strict'
import { it } from 'node:test'
import { changesIn, ChangesetError } from '../../../src/store/cluster/changeset.ts'
import { changedRows, damaged, outcomeOfBytes, randomChangeset, textOf } from '../../support/cluster/changeset-bytes.ts'
import { seededRandom, seedOfTest } from '../../../scripts/tools/random.ts'
import { fuzzRun } from '../../../scripts/tools/long-run.ts'

it('the changes that are read lead from the rows before to those after', () => {
  const seed = seedOfTest()
  const random = seededRandom(seed)
  let changed = 0
  const cases = fuzzRun(40, 1_000)
  for (let i = 0; i < cases; i++) {
    const { bytes, before, after } = randomChangeset(random)
    if (bytes.length > 0) changed++
    for (const table of ['one', 'two']) {
      const found = changedRows(bytes, table, before[table] ?? []).map(textOf).sort()
      assert.deepEqual(found, (after[table] ?? []).map(textOf).sort(), `SEED=${seed}`)
    }
  }
  assert.ok(changed > cases / 2)
})

it('any bytes are read or rejected, and a changeset that is cut is not read as a shorter one', () => {
  const seed = seedOfTest()
  const random = seededRandom(seed)
  const met = { read: 0, malformed: 0 }
  const cases = fuzzRun(200, 1_000)
  for (let i = 0; i < cases; i++) met[outcomeOfBytes(damaged(random, randomChangeset(random).bytes))]++
  assert.ok(met.malformed > cases / 10 && met.read > cases / 200, `SEED=${seed} ${JSON.stringify(met)}`)
})

for (const [name, bytes, wanted] of [
  ['a change before its table', [18, 0], /at byte 0: found the kind 18/],
  ['an unknown kind', [0x54, 1, 1, 0x61, 0, 77], /at byte 5: found the kind 77/],
  ['a patchset', [0x50, 1, 1, 0x61, 0], /found the kind 80/],
  ['a table without columns', [0x54, 0, 0x61, 0], /found 0 columns/],
  ['more columns than SQLite has', [0x54, 0x8f, 0x51, 1], /found 2001 columns/],
  ['a name without an end', [0x54, 1, 1, 0x61], /a name without an end/],
  ['an unknown type of a value', [0x54, 1, 1, 0x61, 0, 18, 0, 6], /at byte 7: found a value of type 6/],
  ['a text longer than the rest', [0x54, 1, 1, 0x61, 0, 18, 0, 3, 5, 0x61], /found 5 bytes of a value/],
  ['a length of 64 bits', [0x54, 1, 1, 0x61, 0, 18, 0, 4, ...Array<number>(9).fill(255)], /bytes of a value/],
  ['an integer that is cut', [0x54, 1, 1, 0x61, 0, 18, 0, 1, 0, 0], /found 8 bytes of a value/],
] as const) {
  for (const reads of [true, false]) {
    it(`rejects ${name}, ${reads ? 'reading' : 'passing over'} values`, () => {
      const read = (): unknown => [...changesIn(Uint8Array.from(bytes), () => reads)]
      assert.throws(read, (error) => error instanceof ChangesetError && wanted.test(error.message))
    })
  }
}
