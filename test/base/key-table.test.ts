/** The lock of a table in shared memory. What the table counts is tested with the sums and windows that use it. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createKeyTable, keyTableMemory } from '../../src/base/key-table.ts'

it('the lock of a thread that ended is taken over, and is not released by the one that lost it', () => {
  const memory = keyTableMemory(16)
  const [ended, next, other] = [1, 2, 3].map(() => createKeyTable(memory)) as [Table, Table, Table]
  const isFree = (): boolean => new Int32Array(memory.cells)[0] === 0
  ended.lock()
  next.lock()
  const slot = next.take('a')
  ended.unlock()
  assert.equal(isFree(), false, 'the lock belongs to the next one')
  next.unlock()
  assert.equal(isFree(), true)
  other.lock()
  assert.equal(other.find('a'), slot)
  other.unlock()
})

type Table = ReturnType<typeof createKeyTable>
