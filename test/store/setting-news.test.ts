import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createSettingNews } from '../../src/store/settings/setting-table.ts'

it('a listener is told once of each commit with settings, and what it throws does not reach the commit', () => {
  const news = createSettingNews(() => [])
  let told = 0
  news.listen(() => {
    if (++told === 1) throw new Error('not now')
  })
  news.afterCommit()
  assert.equal(told, 0, 'nothing has changed')
  for (const expected of [1, 2]) {
    news.note()
    for (let commits = 0; commits < 2; commits++) news.afterCommit()
    assert.equal(told, expected)
  }
})
