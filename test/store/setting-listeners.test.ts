import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createSettingListeners } from '../../src/store/settings/setting-table.ts'

it('a listener that throws is called again behind the next commit, and the others once', () => {
  const listeners = createSettingListeners(() => [])
  const calls = { failing: 0, other: 0 }
  listeners.add(() => {
    if (++calls.failing === 1) throw new Error('not now')
  })
  listeners.add(() => calls.other++)
  listeners.afterCommit()
  assert.deepEqual(calls, { failing: 0, other: 0 }, 'nothing has changed')
  listeners.note()
  for (let commits = 0; commits < 3; commits++) listeners.afterCommit()
  assert.deepEqual(calls, { failing: 2, other: 1 })
})
