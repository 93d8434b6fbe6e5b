/** Earlier versions of documents come back byte for byte, and what was deleted comes back as it was, or not at all. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { newAccount } from '../../../src/auth/new-account.ts'
import { DAY_MS } from '../../../src/base/duration.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { headline } from '../../../src/models/headline.ts'
import { placesOf } from '../../../src/models/incomplete.ts'
import { STORED_MODELS } from '../../../src/models/registry.ts'
import { topic } from '../../../src/models/topic.ts'
import { userAppSettings } from '../../../src/models/user-app-settings.ts'
import { removeOldChanges } from '../../../src/store/history/change-retention.ts'
import { isWhole, packText, unpackText } from '../../../src/store/history/document-history.ts'
import { historyFaults } from '../../../src/store/history/history-check.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { changeFaults } from '../../support/cluster/change-faults.ts'
import { seededRandom, seedOfTest, type Random } from '../../../scripts/tools/random.ts'
import { openForTest, systemStore, testStore, type SystemStore } from '../../../scripts/tools/stores.ts'
import { longRun } from '../../../scripts/tools/long-run.ts'

const CHANGES = longRun(80, 400)
const NEWEST = { limit: 1_000, before: undefined }
const topicOf = (id: string, name = id): JsonObject => ({ id, name, description: '', status: 'active' })
const account = newAccount({ id: 'reader', email: 'a@example.org', appRole: 'standardUser', dashboardRole: 'none', now: 0, language: {} })

const PARTS = ['a', 'ä', '€', '😀', '👨‍👩‍👧', '\\"', 'x'.repeat(300), 'lorem ipsum '.repeat(900)]
const textIn = (random: Random): string => random.list(6, () => random.pick(PARTS)).join('')

it('a packed text comes back with the text that replaced it, and takes a few bytes where it is nearly the same', () => {
  const random = seededRandom(1)
  const words = Array.from({ length: 100_000 }, () => String(random.below(2 ** 31)))
  const [short, long] = [words.slice(0, 200).join(' '), words.join(' ')]
  const same = [short, long].map((text) => [`${text} 1 ${text}`, `${text} 2 ${text}`])
  const pairs = [['', ''], ['', 'later'], ['earlier', ''], ['ä€😀', '€😀ä'], ...same]
  for (const [earlier, later] of pairs.map((pair) => pair.map((text) => Buffer.from(text))) as [Buffer, Buffer][]) {
    for (const by of [later, undefined]) assert.ok(earlier.equals(unpackText(packText(earlier, by), by)))
    assert.throws(() => unpackText(packText(earlier, later)), /lacks the text that replaced it/)
  }
  assert.ok(packText(Buffer.from(`${short} 1`), Buffer.from(`${short} 2`)).length < 60)
})

/** Changes, deletes and restores some topics at random. Returns the text that each change left, by its seq. */
async function live(store: SystemStore, random: Random, steps: number): Promise<ReadonlyMap<number, { id: string; text: string | undefined }>> {
  const texts = new Map<number, { id: string; text: string | undefined }>()
  for (let step = 0; step < steps; step++) {
    const id = `t${random.below(4)}`
    const value = { ...topicOf(id, textIn(random)), step }
    const before = store.history.changeRange().newest
    if (random.oneIn(6)) await store.remove(topic, id)
    else if (random.oneIn(3)) await store.together((_, { restore }) => restore(topic, id, () => {}))
    else if ((await store.update(topic, id, () => value)) === undefined) await store.insert(topic, { id, value })
    await turn()
    const { newest } = store.history.changeRange()
    if (newest > before) texts.set(newest, { id, text: store.documents.get(topic, id) })
  }
  return texts
}

it('the text behind each change is the one that it left, and the changes of a document come newest first', async (t) => {
  const { store, dir } = testStore(t)
  const random = seededRandom(seedOfTest())
  const texts = await live(store, random, CHANGES)
  assert.ok(texts.size > CHANGES / 2)
  for (const [seq, { id, text }] of texts) assert.equal(store.history.textBehind(topic, id, seq), text, `SEED=${random.seed}, change ${seq}`)
  for (const id of ['t0', 't1', 't2', 't3']) {
    const [own, found] = [[...texts].filter(([, one]) => one.id === id).reverse(), store.history.historyOf(topic, id, NEWEST).items]
    assert.deepEqual(found.map(({ seq, textAfter }) => [seq, textAfter]), own.slice(0, found.length).map(([seq, { text }]) => [seq, text]))
    const [third] = store.history.historyOf(topic, id, { limit: 1, before: found[1]?.seq }).items
    assert.equal(third?.seq, found[2]?.seq)
    assert.equal(third?.textBefore, found[3]?.textAfter)
  }
  assert.equal(store.history.textBehind(topic, 't0', 1_000_000), undefined)
  const [seqOfOther] = [...texts].find(([, one]) => one.id === 't1') ?? []
  assert.equal(store.history.textBehind(topic, 't0', seqOfOther ?? 0), undefined, 'a change of another document')
  const reader = openForTest(t, dir.database, { readOnly: true })
  assert.deepEqual(changeFaults(reader, STORED_MODELS), [])
  assert.deepEqual(historyFaults(reader), [])
  const stored = Number(reader.get('SELECT sum(length(replaced)) AS n FROM change')?.['n'])
  assert.ok(stored > 0)
})

it('versions of an incomplete draft are found whole, as those of a document are', async (t) => {
  const { store, dir } = testStore(t)
  const [, place] = placesOf(headline, true)
  assert.ok(place !== undefined)
  for (const title of ['Draft 1', 'Draft 2', 'Draft 3']) {
    const value = { id: 'a', title, status: 'draft' as const }
    if (title === 'Draft 1') await store.insert(place, { id: 'a', value })
    else await store.update(place, 'a', () => value)
  }
  const reader = openForTest(t, dir.database, { readOnly: true })
  assert.deepEqual(historyFaults(reader), [])
})

it('after the SQL of an operator, texts that cannot be made are as ones that are not kept, and no other text takes their place', async (t) => {
  const { store, dir } = testStore(t)
  await store.insert(topic, { id: 'a', value: topicOf('a', 'one') })
  for (const name of ['two', 'three']) await store.update(topic, 'a', () => topicOf('a', name))
  const other = openForTest(t, dir.database)
  other.run(`UPDATE topic SET doc = json_set(doc, '$.name', 'by an operator')`)
  await turn()
  for (const name of ['four', 'five']) await store.update(topic, 'a', () => topicOf('a', name))
  await turn()
  const { items, hasMore } = store.history.historyOf(topic, 'a', NEWEST)
  assert.equal(hasMore, false)
  const nameIn = (text: string | undefined): unknown => text && (JSON.parse(text) as { readonly name: string }).name
  const names = items.map(({ seq, textBefore, textAfter }) => [nameIn(textBefore), nameIn(textAfter), nameIn(store.history.textBehind(topic, 'a', seq))])
  assert.deepEqual(names.slice(0, 2), [['four', 'five', 'five'], ['by an operator', 'four', 'four']])
  const reader = openForTest(t, dir.database, { readOnly: true })
  // Of 32 texts, one is drawn that needs no later one: it is found, and so is what is made from it.
  const [byThree, byTwo] = [2, 3].map((i) => isWhole(reader.get('SELECT replaced FROM change WHERE seq = ?', items[i]?.seq ?? 0)?.['replaced'] as Uint8Array))
  const two = byThree === true ? 'two' : undefined
  const one = byTwo === true || two !== undefined ? 'one' : undefined
  assert.deepEqual(names.slice(2), [[two, undefined, undefined], [one, two, two], [undefined, one, one]])
  assert.equal(historyFaults(reader).length > 0, two === undefined)
})

it('a deleted document is in the trash until it is restored as it was, replaced, or erased with its versions', async (t) => {
  const { store, dir } = testStore(t)
  await store.insert(topic, { id: 'a', value: topicOf('a') })
  await store.update(topic, 'a', () => topicOf('a', 'A'))
  const text = store.documents.get(topic, 'a')
  await store.remove(topic, 'a')
  await turn()
  assert.equal(store.documents.get(topic, 'a'), undefined)
  assert.deepEqual(store.history.listTrash(topic, NEWEST), { items: [{ seq: 3, id: 'a', at: 0, actor: 'service', text }], hasMore: false })
  assert.deepEqual(store.history.listTrash(headline, NEWEST).items, [])
  await assert.rejects(store.together((_, { restore }) => restore(topic, 'a', () => assert.fail('not allowed'))), /not allowed/)
  const restored = await store.together((_, { restore }) => restore(topic, 'a', () => {}))
  assert.deepEqual(restored, { kind: 'restored', text })
  await turn()
  assert.deepEqual([store.documents.get(topic, 'a'), store.history.getTrashed(topic, 'a')], [text, undefined])
  assert.deepEqual(store.history.historyOf(topic, 'a', NEWEST).items.map(({ kind }) => kind), ['restored', 'deleted', 'updated', 'created'])

  await store.remove(topic, 'a')
  await store.insert(topic, { id: 'a', value: topicOf('a', 'again') })
  assert.deepEqual(await store.together((_, { restore }) => restore(topic, 'a', () => {})), { kind: 'exists' })
  await store.remove(topic, 'a')
  await turn()
  assert.match(store.history.getTrashed(topic, 'a')?.text ?? '', /again/)
  assert.equal(store.history.listTrash(topic, NEWEST).items.length, 1)
  assert.ok(await store.together((_, { eraseTrashed }) => eraseTrashed(topic, 'a')))
  assert.equal(await store.together((_, { eraseTrashed }) => eraseTrashed(topic, 'a')), false)
  assert.deepEqual(await store.together((_, { restore }) => restore(topic, 'a', () => {})), { kind: 'missing' })
  const reader = openForTest(t, dir.database, { readOnly: true })
  assert.equal(reader.get('SELECT count(replaced) AS n FROM change')?.['n'], 0)
})

it('without a trash, a deleted document is gone at once with its versions', async (t) => {
  const { dir, store: first } = testStore(t)
  await first.close()
  const store = systemStore(openStore({ dir, models: STORED_MODELS, version: '1.2.3', now: () => 0, trash: false }))
  t.after(() => store.close())
  await store.insert(topic, { id: 'a', value: topicOf('a') })
  await store.update(topic, 'a', () => topicOf('a', 'A'))
  await store.remove(topic, 'a')
  await turn()
  assert.deepEqual(store.history.listTrash(topic, NEWEST).items, [])
  assert.deepEqual(store.history.historyOf(topic, 'a', NEWEST).items.map(({ kind, textBefore }) => [kind, textBefore]), [
    ['deleted', undefined],
    ['updated', undefined],
    ['created', undefined],
  ])
})

it('personal data has no versions and no trash, and nothing in the log tells of a deleted account', async (t) => {
  const { store, dir } = testStore(t)
  await store.createAccount(account)
  const claim = { userId: 'reader', jti: 'j', iat: 1, expiresAt: Number.MAX_SAFE_INTEGER }
  const own = store.as({ kind: 'caller', claim, authorize: () => {}, origin: { clientAddress: '', requestId: '' } })
  await own.update(userAppSettings, 'reader', (stored) => ({ ...stored, feedSettings: {} }))
  await own.insert(topic, { id: 'a', value: topicOf('a') })
  await own.insert(topic, { id: 'b', value: topicOf('b') })
  await own.remove(topic, 'b')
  await turn()
  assert.equal(store.history.historyOf(topic, 'a', NEWEST).items[0]?.actor, 'reader')
  assert.equal(store.history.getTrashed(topic, 'b')?.actor, 'reader')
  await own.remove(userAppSettings, 'reader')
  await own.deleteAccount({ id: 'reader', now: 0, keepLastAdmin: false })
  await turn()
  assert.deepEqual(store.history.changesBehind(0, { models: STORED_MODELS }, 9).records.map(({ id }) => id), ['a', 'b'])
  assert.equal(store.history.changeRange().newest, 10, 'no seq is given again')
  assert.deepEqual(store.history.listTrash(userAppSettings, NEWEST).items, [])
  assert.equal(store.history.historyOf(topic, 'a', NEWEST).items[0]?.actor, undefined)
  assert.equal(store.history.getTrashed(topic, 'b')?.actor, undefined)
  const reader = openForTest(t, dir.database, { readOnly: true })
  for (const table of ['change', 'trash']) {
    const rows = JSON.stringify(reader.all(`SELECT * FROM ${table}`))
    assert.ok(rows.length > 2 && !rows.includes('reader'), table)
  }
})

it('what is past its time goes in steps: versions by age, changes by age behind the last ones, and the trash', async (t) => {
  let now = 0
  const { dir, store: first } = testStore(t)
  await first.close()
  const store = systemStore(openStore({ dir, models: STORED_MODELS, version: '1.2.3', now: () => now }))
  t.after(() => store.close())
  await store.insert(topic, { id: 'a', value: topicOf('a') })
  await store.insert(topic, { id: 'gone', value: topicOf('gone') })
  await store.update(topic, 'a', () => topicOf('a', 'A'))
  await store.remove(topic, 'gone')
  now = 10 * DAY_MS
  await store.update(topic, 'a', () => topicOf('a', 'AA'))
  assert.equal(await store.removeOldChanges(5 * DAY_MS, 0), false)
  await turn()
  assert.deepEqual([store.history.textBehind(topic, 'a', 3), store.history.textBehind(topic, 'a', 1)], [JSON.stringify(topicOf('a', 'A')), undefined])
  assert.equal(store.history.getTrashed(topic, 'gone')?.id, 'gone')
  assert.deepEqual(store.history.changesBehind(0, { models: [topic] }, 9).records.map(({ seq }) => seq), [4, 5], 'the last changes stay, however old')
  assert.equal(await store.removeOldChanges(0, 5 * DAY_MS), false)
  await turn()
  assert.equal(store.history.getTrashed(topic, 'gone'), undefined)
  const database = openForTest(t, dir.database)
  assert.equal(removeOldChanges(database, 5 * DAY_MS, 2), false)
  await turn()
  assert.deepEqual(store.history.changeRange().wholeBehind, 3)
  assert.equal(store.history.changeRange().newest, 5)
  assert.deepEqual(store.history.historyOf(topic, 'a', NEWEST).items.map(({ seq }) => seq), [5])
})

it('what users have changed is found among their last changes, of which a bounded number is looked at', async (t) => {
  const { store, dir } = testStore(t)
  const database = openForTest(t, dir.database)
  const add = (actor: string, first: number, count: number): unknown =>
    database.run(
      `WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 + ?2 - 1)
        INSERT INTO change (model, id, kind, at, actor) SELECT 'topic', 'd' || CAST(i AS INTEGER), 'updated', 0, ?3 FROM n`,
      ...[first, count, actor],
    )
  const found = (...actors: readonly string[]) => {
    const { ids, isWhole } = store.history.changedBy([topic], actors)
    return [ids.length, isWhole, ids[0]]
  }
  add('ada', 1, 1_000)
  add('eve', 5_000, 3)
  await turn()
  assert.deepEqual([found('ada'), found('eve'), found('service')], [[1_000, true, 'd1000'], [3, true, 'd5002'], [0, true, undefined]])
  assert.deepEqual(found('ada', 'eve'), [503, false, 'd1000'], 'they share what is found')
})

it('the check of a file finds versions that are damaged, and trash that is not what was deleted', async (t) => {
  const { store, dir } = testStore(t)
  for (const id of ['a', 'b']) await store.insert(topic, { id, value: topicOf(id) })
  for (let i = 0; i < 8; i++) await store.update(topic, 'a', () => topicOf('a', `${i}`))
  await store.remove(topic, 'b')
  const file = openForTest(t, dir.database)
  for (const [sql, fault] of [
    ["UPDATE change SET replaced = x'00' WHERE seq = 7", /^the version of topic "a" before change 7 is damaged$/],
    ["UPDATE trash SET doc = '{}'", /^topic "b" in the trash is not what was deleted$/],
  ] as const) {
    file.exec(`BEGIN; ${sql}`)
    assert.match(historyFaults(file)[0] ?? 'none', fault)
    file.exec('ROLLBACK')
  }
  assert.deepEqual(historyFaults(file), [])
})
