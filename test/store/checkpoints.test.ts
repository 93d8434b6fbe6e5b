/** Moving the WAL: a failure there must not end the writes, nor the process. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createCheckpoints } from '../../src/store/wal/checkpoints.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { testStore } from '../support/service/stores.ts'

it('a database that can no longer be read is neither held up nor settled, and nothing throws', async (t) => {
  const { dir } = testStore(t)
  const database = openDatabase(dir.database)
  const checkpoints = createCheckpoints(database, dir.database)
  t.after(() => checkpoints.close())
  database.close()
  checkpoints.afterCommit()
  assert.deepEqual([checkpoints.isHeldUp(), checkpoints.settle()], [false, false])
})
