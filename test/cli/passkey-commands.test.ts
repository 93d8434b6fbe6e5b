/** `passkey list` and `passkey remove`. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { openDatabase } from '../../src/store/db/database.ts'
import { runCheaply } from '../support/service/in-process.ts'
import { siteWithBoss } from '../support/service/made-site.ts'

const SINCE = '2026-03-01T12:00:00.000Z'

it('passkeys are listed without their keys, removed one by one or all, and recorded', async (t) => {
  const data = await siteWithBoss(t)
  const run = (...words: readonly string[]) => runCheaply([...words, '--data-dir', data])
  assert.equal((await run('admin', '--email', 'other@example.org')).code, 0)
  const database = openDatabase(join(data, 'dateline.db'))
  for (const [id, name] of [['a1', 'Laptop'], ['b2', 'Phone\u009b31m'], ['c3', 'Key']] as const) {
    database.run(
      `INSERT INTO passkey (id, user_id, origin, public_key, sign_count, is_backed_up, name, created_at)
        SELECT ?, id, 'https://news.example.org', 'KEY', 0, 0, ?, ? FROM user WHERE doc ->> '$.email' = 'you@example.org'`,
      ...[id, name, Date.parse(SINCE)],
    )
  }
  database.close()
  const listed = (await run('passkey', 'list', 'you@example.org')).stdout
  assert.match(listed, /^ID +NAME +ADDRESS +SINCE +USED\na1 +Laptop +https:\/\/news\.example\.org +2026-03-01T12:00:00\.000Z +never\n/)
  assert.doesNotMatch(listed, /\u009b|KEY/)
  const lines = (await run('passkey', 'list', 'you@example.org', '--json')).stdout.trimEnd().split('\n')
  const shown = { name: 'Laptop', origin: 'https://news.example.org', backedUp: false, createdAt: SINCE, lastUsedAt: null }
  assert.deepEqual([lines.length, JSON.parse(lines[0] ?? '')], [3, { id: 'a1', ...shown }])
  const removed = await run('passkey', 'remove', 'you@example.org', '--id', 'a1')
  assert.equal(removed.stdout, 'Removed 1 passkey of you@example.org\n')
  const again = await run('passkey', 'remove', 'you@example.org', '--id', 'a1')
  assert.deepEqual([again.code, again.stderr], [1, 'you@example.org has no passkey "a1": see "dateline passkey list you@example.org"\n'])
  assert.equal((await run('passkey', 'remove', 'other@example.org', '--id', 'b2')).code, 1, 'and none of another account')
  assert.equal((await run('passkey', 'remove', 'you@example.org', '--all')).stdout, 'Removed 2 passkeys of you@example.org\n')
  assert.equal((await run('passkey', 'list', 'you@example.org', '--json')).stdout, '')
  const trail = (await run('audit', '--json')).stdout
  assert.deepEqual([...trail.matchAll(/"event":"(passkey\.\w+)"[^\n]*"role":"(\w+)"/g)].map(([, event, role]) => [event, role]), Array(3).fill(['passkey.removed', 'operator']))
})

it('passkey names what it needs', async () => {
  for (const [words, message] of [
    [['passkey', 'remove', 'you@example.org'], /^dateline passkey remove needs --id ID or --all/],
    [['passkey', 'remove', 'you@example.org', '--all', '--id', 'a1'], /^dateline passkey remove needs --id ID or --all/],
    [['passkey', 'list'], /USER/],
    [['passkey'], /"dateline passkey list", "dateline passkey remove"/],
  ] as const) {
    const { code, stderr } = await runCheaply(words)
    assert.equal(code, 2)
    assert.match(stderr, message)
  }
})
