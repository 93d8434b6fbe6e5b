/** The position that a power cut cannot set back. */
import assert from 'node:assert/strict'
import { openSync, closeSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createDurablePosition } from '../../../src/store/cluster/position-table.ts'
import { temporaryDirectory } from '../../../scripts/tools/temporary-directory.ts'

it('the durable position moves when the WAL is synced, to what was committed before', async (t) => {
  const file = join(temporaryDirectory(t), 'dateline.db')
  closeSync(openSync(`${file}-wal`, 'w'))
  let position = 7
  const durable = createDurablePosition(file, () => position)
  assert.equal(durable.position(), 0)
  const syncing = durable.sync()
  position = 9
  await syncing
  assert.equal(durable.position(), 7)
  await durable.sync()
  assert.equal(durable.position(), 9)
})

it('the durable position moves where there is no WAL, and stays where it cannot be synced', async (t) => {
  const file = join(temporaryDirectory(t), 'dateline.db')
  let position = 3
  const durable = createDurablePosition(file, () => position)
  await durable.sync()
  assert.equal(durable.position(), 3)
  mkdirSync(`${file}-wal`)
  position = 4
  await assert.rejects(durable.sync())
  assert.equal(durable.position(), 3)
  rmSync(`${file}-wal`, { recursive: true })
})
