/** SQLite cannot restart the WAL while a reader is in it: with a flood of queries, it kept what was deleted. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { newAccount } from '../../src/auth/new-account.ts'
import { headline } from '../../src/models/headline.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { parseSort } from '../../src/query/order.ts'
import { parseFilter } from '../../src/query/parse.ts'
import { writeBackup } from '../../src/store/backup/backup.ts'
import { openStore } from '../../src/store/open-store.ts'
import { LANGUAGE } from '../../scripts/tools/data-bodies.ts'
import { randomHeadline, sampleId } from '../support/query/headline-samples.ts'
import { seededRandom } from '../../scripts/tools/random.ts'
import { madeDataDir, openForTest, systemStore } from '../../scripts/tools/stores.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import type { FindQuery } from '../../src/store/query/find-query.ts'

const QUERY: FindQuery = { filter: parseFilter({ rank: { $gte: 0 } }), sort: parseSort('rank'), limit: 5, after: undefined }
const EMAIL = 'reader.with.a.name@example.org'

/** A store with an account, and a flood of queries that read all headlines until the test ends it. */
async function floodedStore(t: TestContext) {
  const dir = madeDataDir(t)
  const owner = { pid: process.pid, startedAt: 'now' }
  const store = systemStore(openStore({ dir, models: STORED_MODELS, version: '1.2.3', now: () => 0, owner }))
  t.after(() => store.close())
  const random = seededRandom(1)
  const documents = Array.from({ length: 400 }, (_, i) => {
    const value = { ...randomHeadline(random, sampleId(i)), rank: i, notes: 'n'.repeat(1_000) }
    return { id: sampleId(i), value }
  })
  await store.insertMissing(headline, documents)
  const roles = { appRole: 'standardUser', dashboardRole: 'none' } as const
  await store.createAccount(newAccount({ id: sampleId(77), email: EMAIL, ...roles, now: 0, language: LANGUAGE }))
  let isOver = false
  const flood = [1, 2, 3, 4].map(async (n) => {
    while (!isOver) await store.documents.find(headline, QUERY, { id: `guest ${n}`, class: 'guest' })
  })
  const isThere = (): boolean => {
    const files = readdirSync(dir.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    return files.some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(EMAIL))
  }
  const end = (): Promise<unknown> => {
    isOver = true
    return Promise.all(flood)
  }
  assert.equal(isThere(), true)
  return { store, dir, isThere, end }
}

it('a deleted account is gone from all files once older readers and a backup have ended, beside queries', async (t) => {
  const { store, dir, isThere, end } = await floodedStore(t)
  const reader = openForTest(t, dir.database, { readOnly: true })
  reader.exec('BEGIN')
  reader.get('SELECT count(*) FROM user')
  const target = join(temporaryDirectory(t), 'backup.db')
  const request = { database: dir.database, target, makesDirectory: false, models: STORED_MODELS, now: () => 0 }
  const backup = writeBackup(request)
  assert.equal(await store.deleteAccount({ id: sampleId(77), now: 0, keepLastAdmin: false }), 'deleted')
  await backup
  assert.equal(isThere(), true)
  reader.exec('COMMIT')
  while (isThere()) await turn()
  assert.ok(readFileSync(target).includes(EMAIL), 'the backup began before')
  await end()
})
