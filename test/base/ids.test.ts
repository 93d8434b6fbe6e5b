import assert from 'node:assert/strict'
import { it } from 'node:test'
import { idGenerator, isId } from '../../src/base/ids.ts'

it('idGenerator() gives ids that grow, also within a millisecond and when the clock goes back', () => {
  const times = [1_700_000_000_000, 1_700_000_000_000, 1_700_000_000_001, 1_600_000_000_000, 1_700_000_001_000]
  const ids: string[] = []
  const newId = idGenerator(() => times[Math.min(Math.floor(ids.length / 100), times.length - 1)] ?? 0)
  for (let i = 0; i < 500; i++) ids.push(newId())
  assert.deepEqual(ids, [...ids].sort())
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(ids.every(isId))
})

it('idGenerator() puts the seconds first, as an ObjectId does', () => {
  assert.equal(idGenerator(() => 0x6643b1b7 * 1000)().slice(0, 8), '6643b1b7')
})
