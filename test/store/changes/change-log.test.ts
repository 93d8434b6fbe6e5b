/** The change log: whatever writes, each change of a document is in it, and readers get the last one of each document. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { newAccount } from '../../../src/auth/new-account.ts'
import { headline } from '../../../src/models/headline.ts'
import { placesOf } from '../../../src/models/incomplete.ts'
import { language } from '../../../src/models/language.ts'
import { STORED_MODELS } from '../../../src/models/registry.ts'
import { topic } from '../../../src/models/topic.ts'
import { user } from '../../../src/models/user.ts'
import { userAppSettings } from '../../../src/models/user-app-settings.ts'
import { userContentPreferences } from '../../../src/models/user-content-preferences.ts'
import { OPERATOR } from '../../../src/store/actor.ts'
import { openBulkWriter } from '../../../src/store/writes/bulk-writer.ts'
import { changeFaults } from '../../support/cluster/change-faults.ts'
import { derivedFaults } from '../../support/cluster/cluster-stores.ts'
import { randomWrite } from '../../support/cluster/random-writes.ts'
import { seededRandom, seedOfTest } from '../../../scripts/tools/random.ts'
import { openForTest, testStore } from '../../../scripts/tools/stores.ts'
import { longRun } from '../../../scripts/tools/long-run.ts'
import type { ChangeRecord } from '../../../src/store/history/change-log.ts'
import type { Document } from '../../../src/store/documents/document-tables.ts'

const topicOf = (id: string, status = 'active', name = id): Document => ({ id, value: { id, name, status } })
const times = (n: number, run: (i: number) => unknown): void => Array.from({ length: n }, (_, i) => i).forEach(run)
const account = newAccount({ id: 'reader', email: 'a@example.org', appRole: 'standardUser', dashboardRole: 'none', now: 0, language: {} })

it('the log, counts and search indexes give the stored documents, whatever was written and whatever failed', async (t) => {
  const { store, dir } = testStore(t)
  const reader = openForTest(t, dir.database)
  const random = seededRandom(seedOfTest())
  const methods = new Set<string>()
  for (let round = 0; round < longRun(25, 90); round++) {
    const writes = random.list(12, () => randomWrite(random))
    await Promise.allSettled(writes.map(({ method, run }) => (methods.add(method), run(store))))
    assert.deepEqual(derivedFaults(reader), [], `round ${round}`)
  }
  assert.ok(methods.size > 20, `${methods.size} kinds of writes`)
  assert.ok(store.history.changeRange().newest > 20, `${store.history.changeRange().newest} changes`)
  reader.run("UPDATE topic SET doc = json_set(doc, '$.name', 'forgotten')")
  assert.notDeepEqual(changeFaults(reader, STORED_MODELS), [], 'a write past the log is found')
})

it('each new database has a history of its own, so that no cursor of one is one of another', (t) => {
  const [one, other] = [testStore(t), testStore(t)].map(({ store }) => store.history.changeRange().history)
  assert.notEqual(one, other)
})

it('a change names its kind, its actor, the versions before and after, and the status before', async (t) => {
  const { store, dir } = testStore(t)
  assert.equal(store.history.changeRange().newest, 0)
  await store.insert(topic, topicOf('t', 'draft'))
  await store.as(OPERATOR).update(topic, 't', (stored) => ({ ...stored, status: 'active' }))
  await store.update(topic, 't', (stored) => stored)
  await assert.rejects(store.update(topic, 't', () => assert.fail('no')))
  await turn()
  const [first] = store.history.changesBehind(0, { models: [topic] }, 10).records
  assert.deepEqual([first?.seq, first?.kind, first?.actor, first?.statusBefore], [2, 'updated', 'operator', 'draft'])
  assert.equal(first?.wasActive, false)
  await store.remove(topic, 't')
  await turn()
  const [last] = store.history.changesBehind(0, { models: [topic] }, 10).records
  assert.deepEqual([last?.kind, last?.actor, last?.before, last?.after, last?.wasActive], ['deleted', 'service', first?.after, undefined, true])

  await store.createAccount(account)
  const bulk = openBulkWriter({ file: dir.database, isAlone: false, accountOf: () => account, now: () => 7 })
  t.after(() => bulk.close())
  const row = { id: 'imported', doc: '{"id":"imported","status":"draft"}', search: undefined, basis: undefined }
  await bulk.transact((tables) => tables.write(topic, row), true)
  await turn()
  assert.deepEqual(
    store.history.changesBehind(3, { models: STORED_MODELS }, 10).records.map(({ model }) => model).sort(),
    ['topic', 'user', 'user_app_settings', 'user_content_preferences'],
  )
  await store.deleteAccount({ id: 'reader', now: 0, keepLastAdmin: false })
  await turn()
  const kinds = ({ model, id, kind, at }: ChangeRecord): unknown[] => [model, id, kind, at]
  assert.deepEqual(store.history.changesBehind(3, { models: STORED_MODELS }, 10).records.map(kinds), [['topic', 'imported', 'created', 7]])
})

it('of personal data the log keeps the newest change alone, behind all cursors', async (t) => {
  // 60 guests who changed their settings again and again filled the disk with 3,500 rows a second, kept for 90 days.
  const { store, dir } = testStore(t)
  await store.createAccount(account)
  const reader = openForTest(t, dir.database)
  const rows = (): unknown => reader.all('SELECT seq, model, kind FROM change ORDER BY seq').map(({ seq, model, kind }) => `${String(seq)} ${String(model)} ${String(kind)}`)
  const sight = { models: [], own: { models: [userAppSettings, userContentPreferences], id: 'reader' } }
  const seen = async (after: number): Promise<unknown> => {
    await turn()
    const { records, upTo, looked } = store.history.changesBehind(after, sight, 10)
    return [records.map(({ seq, isFirst }) => [seq, isFirst]), upTo, looked]
  }
  assert.deepEqual(await seen(0), [[[2, true], [3, true]], 3, 2])
  for (let n = 0; n < 50; n++) await store.update(userAppSettings, 'reader', (stored) => ({ ...stored, n }))
  for (let n = 0; n < 50; n++) await store.updateUser('reader', (stored) => ({ ...stored, n }))
  assert.deepEqual(rows(), ['3 user_content_preferences created', '53 user_app_settings updated', '103 user updated'])
  for (const cursor of [2, 30, 52]) assert.deepEqual(await seen(cursor), [cursor < 3 ? [[3, true], [53, false]] : [[53, false]], 103, cursor < 3 ? 2 : 1])
  assert.deepEqual(await seen(53), [[], 103, 0])
  await store.remove(userAppSettings, 'reader')
  assert.deepEqual(await seen(53), [[[104, false]], 104, 1])
  await store.insert(userAppSettings, { id: 'reader', value: { id: 'reader' } })
  assert.deepEqual(await seen(104), [[[105, false]], 105, 1], 'a reader may have what was there before')
  await store.deleteAccount({ id: 'reader', now: 0, keepLastAdmin: false })
  await store.createAccount({ ...account, user: { ...account.user, id: 'next' } })
  await store.deleteAccount({ id: 'next', now: 0, keepLastAdmin: false })
  assert.deepEqual(rows(), ['114  deleted'], 'accounts that come and go leave one row in all, so that no seq comes twice')
})

it('a reader sees the changes of their own personal data, and none of others', async (t) => {
  const { store, dir } = testStore(t)
  await store.insert(topic, topicOf('a'))
  const writer = openForTest(t, dir.database)
  const sql = "INSERT INTO change (model, id, kind, at) VALUES ('user_app_settings', ?, 'updated', 0)"
  writer.exec('BEGIN')
  for (let i = 0; i < 5_000; i++) writer.run(sql, `u${i}`)
  writer.exec('COMMIT')
  await turn()
  const { records, upTo, looked } = store.history.changesBehind(0, { models: [topic], own: { models: [userAppSettings], id: 'u7' } }, 10)
  assert.deepEqual([records.map(({ id }) => id), upTo, looked], [['a', 'u7'], 5_001, 2])
})

it('a page has the last change of each document of its models, and tells how far it reaches', async (t) => {
  const { store } = testStore(t)
  for (const id of ['a', 'b', 'c', 'd']) await store.insert(topic, topicOf(id))
  await store.insert(headline, { id: 'h', value: { id: 'h', title: 'h', status: 'draft' } })
  await store.update(topic, 'b', (stored) => ({ ...stored, name: 'b2' }))
  await turn()
  const page = (after: number, limit: number): unknown => {
    const { records, upTo } = store.history.changesBehind(after, { models: [topic, user, userAppSettings] }, limit)
    return [records.map(({ seq, id }) => `${seq} ${id}`), upTo]
  }
  assert.deepEqual(page(0, 2), [['1 a', '3 c'], 3])
  assert.deepEqual(page(3, 2), [['4 d', '6 b'], 6])
  assert.deepEqual(page(6, 2), [[], 6])
  assert.deepEqual(page(4, 9), [['6 b'], 6])
  assert.deepEqual(page(9, 9), [[], 9])
  for (let n = 0; n < 21; n++) await store.together((_, steps) => times(100, (i) => steps.update(topic, 'b', (stored) => ({ ...stored, name: `${n} ${i}` }))))
  await turn()
  assert.deepEqual(page(6, 9), [[], 2_006], 'earlier changes are looked at, up to a bound')
  assert.deepEqual(page(2_006, 9), [['2106 b'], 2_106])
})

it('a listener that wants some models hears of their changes only', async (t) => {
  const { store } = testStore(t)
  const heard: string[] = []
  t.after(store.history.onChanges(() => heard.push('all')))
  t.after(store.history.onChanges(() => heard.push('topics'), { models: [topic] }))
  t.after(store.history.onChanges(() => heard.push('languages'), { models: placesOf(language, true) }))
  for (const [write, wanted] of [
    [() => store.insert(topic, topicOf('a')), ['all', 'topics']],
    [() => store.update(topic, 'a', (stored) => ({ ...stored, name: 'Ports' })), ['all', 'topics']],
    [() => store.insert(language, topicOf('b')), ['all', 'languages']],
    [() => store.insert(placesOf(language, true)[1] ?? assert.fail('no drafts'), topicOf('c', 'draft')), ['all', 'languages']],
    [() => store.remove(topic, 'a'), ['all', 'topics']],
  ] as const) {
    await write()
    await turn()
    assert.deepEqual(heard.splice(0), wanted)
  }
})

it('listeners hear of each commit of this process and of others that changes a document, until they are removed', async (t) => {
  const { store, dir } = testStore(t)
  let heard = 0
  const next = (): Promise<void> => new Promise((resolve) => (wake = resolve))
  let wake = (): void => {}
  const remove = store.history.onChanges(() => {
    heard++
    wake()
  })
  const own = next()
  await store.insert(topic, topicOf('a'))
  await own
  await store.writeMeta('a', 1)
  await turn()
  assert.equal(heard, 1)
  const bulk = openBulkWriter({ file: dir.database, isAlone: false, accountOf: () => account, now: () => 0 })
  t.after(() => bulk.close())
  const other = next()
  await bulk.transact((tables) => tables.write(topic, { id: 'b', doc: '{"id":"b","status":"draft"}', search: undefined, basis: undefined }), true)
  await other
  assert.equal(heard, 2)
  remove()
  await store.insert(topic, topicOf('c'))
  await turn()
  assert.equal(heard, 2)
})
