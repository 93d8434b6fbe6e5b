/**
 * Versions of models: every way in which a document can change moves them, and nothing else does. A way that did not
 * would leave pages remembered that are wrong.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { newAccount } from '../../src/auth/new-account.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { topic } from '../../src/models/topic.ts'
import { user } from '../../src/models/user.ts'
import { openBulkWriter } from '../../src/store/writes/bulk-writer.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { openForTest, testStore } from '../../scripts/tools/stores.ts'
import type { NewAccount } from '../../src/store/accounts/account-tables.ts'

const account = (id: string, email = `${id}@example.org`): NewAccount =>
  newAccount({ id, email, appRole: 'standardUser', dashboardRole: 'none', now: 0, language: {} })
const topicOf = (id: string, name = id): JsonObject => ({ id, name, status: 'active' })
const ACCOUNT = ['user', 'user_app_settings', 'user_content_preferences']

it('every write of this process or of another moves the versions of the models that it changes, and only those', async (t) => {
  const { store, dir } = testStore(t)
  const other = openForTest(t, dir.database)
  const bulk = openBulkWriter({ file: dir.database, isAlone: false, accountOf: () => account('imported'), now: () => 0 })
  t.after(() => bulk.close())
  const write = (id: string, name: string, keep = true): Promise<unknown> =>
    bulk.transact((tables) => {
      const basis = tables.textOf(topic, id)
      return tables.write(topic, { id, doc: JSON.stringify(topicOf(id, name)), search: undefined, basis })
    }, keep)
  const run = (sql: string) => (): void => void other.run(sql)

  const steps: readonly [name: string, work: () => unknown, moved: readonly string[]][] = [
    ['nothing', () => {}, []],
    ['insert', () => store.insert(topic, { id: 't1', value: topicOf('t1') }), ['topic']],
    ['insert of an id that is taken', () => store.insert(topic, { id: 't1', value: topicOf('t1') }), []],
    ['insertMissing', () => store.insertMissing(headline, [{ id: 'h1', value: { id: 'h1', title: 'T', status: 'draft' } }]), ['headline']],
    ['update', () => store.update(topic, 't1', (stored) => ({ ...stored, name: 'n' })), ['topic']],
    ['update that throws', () => assert.rejects(store.update(topic, 't1', () => assert.fail('no'))), []],
    ['remove', () => store.remove(topic, 't1'), ['topic']],
    ['remove of a missing document', () => store.remove(topic, 't1'), []],
    ['metadata', () => store.writeMeta('a', 1), []],
    ['audit record', () => store.record({ event: 'settings', details: [] }), ['audit']],
    ['new account', () => store.createAccount(account('a')), ACCOUNT],
    ['promotion', () => store.promote('a@example.org', 0), ['user']],
    ['change of a user', () => store.updateUser('a', (stored) => ({ ...stored, extra: 1 })), ['user']],
    ['deletion of an account, cascades included', () => store.deleteAccount({ id: 'a', now: 0, keepLastAdmin: false }), ACCOUNT],
    ['import', () => write('t2', 'first'), ['topic']],
    ['import that replaces', () => write('t2', 'second'), ['topic']],
    ['import of the stored document', () => write('t2', 'second'), []],
    ['import that only tries', () => write('t3', 'dry', false), []],
    ['SQL of an operator', run(`UPDATE topic SET doc = json_set(doc, '$.name', 'x') WHERE id = 't2'`), ['topic']],
    ['REPLACE', run(`REPLACE INTO topic (id, doc) VALUES ('t2', '{"id":"t2","status":"draft"}')`), ['topic']],
    ['DELETE without a condition', run('DELETE FROM topic'), ['topic']],
    ['other tables', run(`INSERT INTO meta (name, value) VALUES ('b', '1')`), []],
  ]
  const versions = (): Map<string, string> => new Map(STORED_MODELS.map((one) => [one.name, store.versions.of([one])]))
  for (const [name, work, moved] of steps) {
    await turn()
    const [before, revision] = [versions(), store.versions.revision()]
    await work()
    await turn()
    const after = versions()
    const found = [...after.keys()].filter((one) => after.get(one) !== before.get(one)).sort()
    // Accounts are written with an audit record where an operator or a guest is concerned.
    assert.deepEqual(found.filter((one) => one !== 'audit' || moved.includes(one)), moved, name)
    assert.equal(store.versions.revision() === revision, found.length === 0, `${name}: the revision moves with any version`)
  }
  assert.equal(store.versions.of([topic, user]), `${store.versions.of([topic])}.${store.versions.of([user])}`)
})

it('the version of a document moves with its own changes alone, as far as the change log names them', async (t) => {
  const { store, dir } = testStore(t)
  const other = openForTest(t, dir.database)
  const many = (count: number) => store.insertMissing(topic, Array.from({ length: count }, (_, i) => ({ id: `${count}.${i}`, value: topicOf(`${i}`) })))
  const rename = (id: string, name: string) => (): Promise<unknown> => store.update(topic, id, (stored) => ({ ...stored, name }))
  for (const id of ['a', 'b', 'c']) await store.insert(topic, { id, value: topicOf(id) })
  const steps: readonly [name: string, work: () => unknown, moved: readonly string[]][] = [
    ['an update', rename('a', 'x'), ['a']],
    ['two at a time', () => Promise.all([rename('a', 'y')(), rename('b', 'y')()]), ['a', 'b']],
    ['another model', () => store.createAccount(account('u')), []],
    ['a new document', () => store.insert(topic, { id: 'd', value: topicOf('d') }), []],
    ['a deletion', () => store.remove(topic, 'b'), ['b']],
    ['the deleted one again', () => store.insert(topic, { id: 'b', value: topicOf('b') }), ['b']],
    ['SQL of an operator, which the log does not name', () => other.run(`UPDATE topic SET doc = json_set(doc, '$.name', 'z') WHERE id = 'c'`), ['a', 'b', 'c']],
    [
      'SQL beside an update',
      async () => {
        other.run(`UPDATE topic SET doc = json_set(doc, '$.name', 'q') WHERE id = 'c'`)
        await rename('a', 'q')()
      },
      ['a', 'b', 'c'],
    ],
    ['256 changes', () => many(256), []],
    ['257 changes', () => many(257), ['a', 'b', 'c']],
    ['an update behind them', rename('c', 'w'), ['c']],
  ]
  const versions = (): readonly string[] => ['a', 'b', 'c'].map((id) => store.versions.ofDocument([topic], id))
  const seen = new Set(versions())
  for (const [name, work, moved] of steps) {
    await turn()
    const before = versions()
    await work()
    await turn()
    const after = versions()
    assert.deepEqual(['a', 'b', 'c'].filter((_, i) => after[i] !== before[i]), moved, name)
    for (const version of after.filter((one, i) => one !== before[i])) assert.ok(!seen.has(version), `${name}: a version comes once`)
    after.forEach((version) => seen.add(version))
  }
})

it('versions of models belong to the snapshot of the documents, whatever is committed meanwhile', async (t) => {
  const { store, dir } = testStore(t)
  await store.insert(topic, { id: 't', value: topicOf('t', 'old') })
  const other = openForTest(t, dir.database)
  await turn()
  const before = store.versions.of([topic])
  other.run(`UPDATE topic SET doc = json_set(doc, '$.name', 'new')`)
  assert.equal(store.versions.of([topic]), before)
  assert.match(String(store.documents.get(topic, 't')), /old/)
  await turn()
  assert.notEqual(store.versions.of([topic]), before)
  assert.match(String(store.documents.get(topic, 't')), /new/)
})

for (const [phase, later] of [['an immediate', setImmediate], ['a timer', (work: () => void) => setTimeout(work, 1)]] as const) {
  it(`a request that was sent after the commit of another process is not read from the snapshot of ${phase}`, async (t) => {
    const { store, dir } = testStore(t)
    await store.insert(topic, { id: 't', value: topicOf('t', 'old') })
    const other = openDatabase(dir.database)
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [accepted] = (await once(server, 'connection')) as [Socket]
    t.after(() => {
      other.close()
      client.destroy()
      accepted.destroy()
      server.close()
    })
    const read = () => [store.versions.of([topic]), store.documents.get(topic, 't')].map(String)
    const served = new Promise<readonly string[]>((resolve) => accepted.once('data', () => resolve(read())))
    const before = await new Promise<readonly string[]>((resolve) =>
      later(() => {
        resolve(read())
        other.run(`UPDATE topic SET doc = json_set(doc, '$.name', 'new')`)
        client.write('request')
      }),
    )
    const [version, text] = await served
    assert.notEqual(version, before[0])
    assert.match(text ?? '', /new/)
  })
}
