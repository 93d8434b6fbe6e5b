/** A store over a log: what its callers see when another node is faster, and when the log answers late or not at all. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { newAccount } from '../../../src/auth/new-account.ts'
import { country } from '../../../src/models/country.ts'
import { incompleteOf } from '../../../src/models/incomplete.ts'
import { topic } from '../../../src/models/topic.ts'
import { STORED_MODELS } from '../../../src/models/registry.ts'
import { filePosition, forgetPosition } from '../../../src/store/cluster/position-table.ts'
import { copyDatabase } from '../../../src/store/backup/database-copy.ts'
import { prepareDataDir } from '../../../src/store/db/data-dir.ts'
import { openDatabase } from '../../../src/store/db/database.ts'
import { MIGRATIONS, SCHEMA, schemaOf, type Migration } from '../../../src/store/schema/migrate.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { modelTable } from '../../../src/store/schema/tables.ts'
import { searchParts } from '../../../src/store/schema/search-tables.ts'
import { openBulkWriter } from '../../../src/store/writes/bulk-writer.ts'
import { NO_ENTRY, RecordUnreadable, type Sealer } from '../../../src/store/cluster/commit-log.ts'
import {
  derivedFaults,
  emptySite,
  hashesOf,
  inspect,
  openCluster,
  openNode,
  type ClusterNode,
} from '../../support/cluster/cluster-stores.ts'
import { createMemoryLog } from '../../support/cluster/memory-log.ts'
import { createPlainSealer } from '../../support/cluster/plain-sealer.ts'
import { temporaryDirectory } from '../../../scripts/tools/temporary-directory.ts'
import { signInWith, systemStore, takeAll } from '../../../scripts/tools/stores.ts'
import type { CodeClaim } from '../../../src/store/accounts/code-table.ts'
import type { Document } from '../../../src/store/documents/document-tables.ts'
import { until } from '../../support/until.ts'

const DATES = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' }

function topicOf(number: number, name = `topic ${number}`): Document {
  const id = number.toString(16).padStart(24, '0')
  return { id, value: { id, name, description: '', iconUrl: '', ...DATES, status: 'active' } }
}

/** Gives each node the entries of all. */
async function settle(nodes: readonly ClusterNode[]): Promise<void> {
  for (const { replication } of nodes) await replication.newest()
}

function assertAlike(nodes: readonly ClusterNode[]): void {
  const [first, ...others] = nodes.map(({ dir }) => hashesOf(dir))
  for (const other of others) assert.deepEqual(other, first)
  for (const { dir } of nodes) assert.deepEqual(inspect(dir, (database) => derivedFaults(database)), [])
}

it('what one node writes is there on all, with counts and search rows, once its position is reached', async (t) => {
  const { nodes } = await openCluster(t, ['a', 'b', 'c'])
  const [a, b, c] = nodes
  assert.equal(await a.store.insert(topic, topicOf(1)), 'inserted')
  await Promise.all([b, c].map(({ replication }) => replication.reached(a.replication.position())))
  for (const { store, replication } of nodes) {
    assert.match(store.documents.get(topic, topicOf(1).id) ?? '', /topic 1/)
    assert.equal(store.documents.countActive(topic), 1)
    assert.deepEqual(replication.state(), { kind: 'in-step' })
  }
  assertAlike(nodes)
})

it('a write whose response was lost, behind an entry that another node appended meanwhile, happens once', async (t) => {
  const { nodes } = await openCluster(t, ['a', 'b'])
  const [a, b] = nodes
  await a.store.insert(topic, topicOf(1, ''))
  await settle(nodes)
  a.log.hold()
  a.log.loseResponse()
  const append = (name: string) => (stored: object) => ({ ...DATES, ...stored, name: `${String(Object(stored).name)}${name}` })
  const first = a.store.update(topic, topicOf(1).id, append('a'))
  await b.replication.reached(a.replication.position() + 1)
  await b.store.update(topic, topicOf(1).id, append('b'))
  a.log.release()
  await first
  await settle(nodes)
  for (const { store } of nodes) assert.match(store.documents.get(topic, topicOf(1).id) ?? '', /"name":"ab"/)
})

it('newest() waits for what was committed before it, and reads of other nodes may be older', async (t) => {
  const { nodes } = await openCluster(t, ['a', 'b'])
  const [a, b] = nodes
  b.log.hold()
  await a.store.insert(topic, topicOf(1))
  const newest = b.replication.newest()
  await assert.rejects(b.replication.reached(a.replication.position(), AbortSignal.abort(new Error('late'))), /late/)
  assert.equal(b.store.documents.get(topic, topicOf(1).id), undefined)
  b.log.release()
  assert.equal(await newest, a.replication.position())
  assert.match(b.store.documents.get(topic, topicOf(1).id) ?? '', /topic 1/)
})

/** A clock of which each reading comes some time after the one before, once it runs. */
function testTicks() {
  let [now, step] = [0, 0]
  return { ticks: () => (now += step), run: () => void (step = 500), stop: () => void (step = 0) }
}

it('without the log, reads go on and writes say that nothing was done, until it is back', async (t) => {
  const clock = testTicks()
  const { nodes } = await openCluster(t, ['a', 'b'], { ticks: clock.ticks })
  const [a] = nodes
  await a.store.insert(topic, topicOf(1))
  a.log.cut()
  clock.run()
  await assert.rejects(a.store.insert(topic, topicOf(2)), /The change was not made/)
  await assert.rejects(a.store.update(topic, topicOf(9).id, (stored) => stored), /The change was not made/)
  assert.deepEqual(a.replication.state(), { kind: 'no-quorum' })
  await assert.rejects(a.replication.newest(), /Cannot read the newest state/)
  assert.match(a.store.documents.get(topic, topicOf(1).id) ?? '', /topic 1/)
  a.log.restore()
  clock.stop()
  await a.replication.newest()
  assert.equal(await a.store.insert(topic, topicOf(2)), 'inserted')
  assert.deepEqual(a.replication.state(), { kind: 'in-step' })
  await settle(nodes)
  assertAlike(nodes)
})

it('a write that was sent and not answered says that it may have happened', async (t) => {
  const clock = testTicks()
  const { nodes } = await openCluster(t, ['a', 'b'], { ticks: clock.ticks })
  const [a] = nodes
  await a.store.insert(topic, topicOf(1))
  a.log.hold()
  a.log.loseResponse()
  const write = a.store.insert(topic, topicOf(2))
  await nodes[1].replication.reached(a.replication.position() + 1)
  a.log.cut()
  clock.run()
  await assert.rejects(write, /The change may have happened/)
  a.log.restore()
  a.log.release()
  clock.stop()
  await settle(nodes)
  assert.match(a.store.documents.get(topic, topicOf(2).id) ?? '', /topic 2/)
  assertAlike(nodes)
})

it('a node that the log was trimmed ahead of leaves service', async (t) => {
  const { nodes } = await openCluster(t, ['a', 'b'])
  const [a, b] = nodes
  b.log.hold()
  await a.store.insert(topic, topicOf(1))
  await a.store.insert(topic, topicOf(2))
  await a.log.trim(a.replication.position())
  const waits = assert.rejects(b.replication.reached(a.replication.position()), /left service/)
  b.log.release()
  await waits
  assertDiverged(b, /does not go back to position 0 any more/)
  await assert.rejects(b.store.insert(topic, topicOf(3)), /left service/)
})

it('a node whose row differs leaves service, and applies nothing of the entry', async (t) => {
  const { nodes } = await openCluster(t, ['a', 'b'])
  const [a, b] = nodes
  await a.store.insert(topic, topicOf(1))
  await settle(nodes)
  const other = openDatabase(b.dir.database)
  other.run(`UPDATE topic SET doc = '{"status":"active","name":"other"}'`)
  other.close()
  await a.store.update(topic, topicOf(1).id, (stored) => ({ ...stored, name: 'new' }))
  await assert.rejects(b.replication.newest(), /left service/)
  assertDiverged(b, /does not fit the data of this node: a row has other values/)
  assert.match(b.store.documents.get(topic, topicOf(1).id) ?? '', /other/)
})

function assertDiverged({ replication }: ClusterNode, reason: RegExp): void {
  const state = replication.state()
  assert.match(state.kind === 'diverged' ? state.reason : state.kind, reason)
}

for (const [name, change, reason] of [
  ['of a newer schema, without the entry that raises it', { schema: SCHEMA + 1 }, /to which no entry raised/],
  ['of an older schema', { schema: SCHEMA - 1 }, new RegExp(`an entry has schema ${SCHEMA - 1}, this node ${SCHEMA}`)],
  ['that cannot be read', { changeset: Buffer.from('nonsense') }, /Cannot read a changeset at byte 0/],
  ['for an unknown table', { changeset: Buffer.from('T\x01\x01later\0\x12\0\x05', 'latin1') }, /"later" of an entry is not known/],
  ['for a table with other columns', { changeset: Buffer.from('T\x01\x01topic\0\x12\0\x05', 'latin1') }, /other columns/],
] as const) {
  it(`an entry ${name} is not applied`, async (t) => {
    const { log, nodes } = await openCluster(t, ['a'])
    const [a] = nodes
    const changeset = Buffer.from('T\x03\x01\0\0topic\0\x12\0\x05\x05\x05', 'latin1')
    const record = { schema: SCHEMA, node: '', id: 'b'.repeat(32), previous: NO_ENTRY, changeset, ...change }
    await log.connect().append(0, createPlainSealer().seal(record))
    await assert.rejects(a.replication.newest(), /left service/)
    assertDiverged(a, reason)
    assert.equal(a.replication.position(), 0)
  })
}

it('writes that are too large for one entry together are divided; one that is too large is rejected', async (t) => {
  const { nodes } = await openCluster(t, ['a', 'b'])
  const [a] = nodes
  const large = (number: number, bytes: number) => topicOf(number, 'x'.repeat(bytes))
  const outcomes = await Promise.all([1, 2, 3].map((number) => a.store.insert(country, large(number, 3_000_000))))
  assert.deepEqual(outcomes, ['inserted', 'inserted', 'inserted'])
  await assert.rejects(a.store.insert(country, large(4, 9_000_000)), /a cluster takes at most/)
  await settle(nodes)
  assertAlike(nodes)
})

/** The invented next program has a column and a model more. */
const tide = { ...topic, name: 'tide' }
const ADDED = [tide, ...[incompleteOf(tide)].filter((one) => one !== undefined)]
const TABLES = ADDED.flatMap((one) => [modelTable(one), ...searchParts(one)]).map(({ sql }) => sql).join('; ')
const NEWER = [
  ...MIGRATIONS,
  { from: '', raise: `ALTER TABLE session ADD COLUMN place TEXT NOT NULL DEFAULT 'unknown'; ${TABLES}` },
]

/** Two nodes on the data of the older program. */
async function upgraded(t: TestContext, programs: readonly (readonly Migration[])[]) {
  const log = createMemoryLog()
  const dirs = await Promise.all(programs.map(() => emptySite(t)))
  return Promise.all(
    programs.map((migrations, i) => {
      const dir = dirs[i]
      const models = migrations === NEWER ? [...STORED_MODELS, ...ADDED] : STORED_MODELS
      return openNode(t, log.connect(), { migrations, models, name: 'ab'[i] ?? '', ...(dir && { dir }) })
    }),
  )
}

it('raiseSchema() brings all nodes to the schema of their programs at the same position', async (t) => {
  const nodes = await upgraded(t, [NEWER, NEWER])
  const [a] = nodes
  await Promise.all([...nodes.map(({ replication }) => replication.raiseSchema()), a?.store.insert(topic, topicOf(1))])
  await settle(nodes)
  for (const { replication, dir } of nodes) {
    assert.deepEqual(replication.schema(), { present: schemaOf(NEWER), known: schemaOf(NEWER) })
    inspect(dir, (database) => assert.equal(database.all('SELECT place FROM session').length, 0))
  }
  for (const [i, { store }] of nodes.entries()) assert.equal(await store.insert(topic, topicOf(5 + i)), 'inserted')
  await settle(nodes)
  assertAlike(nodes)
  assert.equal(await a?.store.insert(tide, topicOf(7)), 'inserted')
  await settle(nodes)
  for (const { store } of nodes) assert.equal(JSON.parse(store.documents.get(tide, topicOf(7).id) ?? '{}').name, 'topic 7')
})

it('a node with an older program leaves service where the schema is raised', async (t) => {
  const [older, newer] = (await upgraded(t, [MIGRATIONS, NEWER])) as [ClusterNode, ClusterNode]
  await newer.replication.raiseSchema()
  await assert.rejects(older.replication.newest(), /left service/)
  assertDiverged(older, new RegExp(`has schema ${SCHEMA + 1} now, this program knows ${SCHEMA}: install the newer one`))
  assert.equal(await newer.store.insert(topic, topicOf(1)), 'inserted')
})

it('a log that delivers nothing any more, without a word, is followed again', async (t) => {
  let time = 0
  const { nodes } = await openCluster(t, ['a', 'b'], { ticks: () => time })
  const [a, b] = nodes
  b.log.stall()
  await a.store.insert(topic, topicOf(1))
  const signal = AbortSignal.abort()
  for (time of [0, 9_999]) await assert.rejects(b.replication.newest(signal), { name: 'AbortError' })
  assert.equal(b.replication.position(), 0)
  time = 10_000
  await b.replication.newest()
  assertAlike(nodes)
})

it('a node that has entries which the log has lost leaves service, and no copy takes the place of its data', async (t) => {
  const { log, nodes } = await openCluster(t, ['a'])
  const [a] = nodes
  for (const number of [1, 2]) await a.store.insert(topic, topicOf(number))
  log.setBack()
  await assert.rejects(a.replication.newest(), /left service/)
  assertDiverged(a, /^the log was set back: it ends at position 3, and this node has entries up to 6: stop all nodes/)
  const state = a.replication.state()
  assert.ok(state.kind === 'diverged' && state.isAhead)
  await assert.rejects(a.store.insert(topic, topicOf(3)), /left service/)
})

it('a node that misses an entry, without a word of the log, leaves service to fetch a copy', async (t) => {
  const { nodes } = await openCluster(t, ['a', 'b'])
  const [a, b] = nodes
  await a.store.insert(topic, topicOf(1))
  await settle(nodes)
  b.log.leaveOut()
  for (const number of [2, 3]) await a.store.insert(topic, topicOf(number))
  await assert.rejects(b.replication.newest(), /left service/)
  assertDiverged(b, /^the entry at position 9 follows entry [0-9a-f]{32}, and the last one here is [0-9a-f]{32} at position 3/)
  assert.equal(b.store.documents.get(topic, topicOf(3).id), undefined)
  await until(() => !isAhead(b))
})

function isAhead({ replication }: ClusterNode): boolean {
  const state = replication.state()
  return state.kind === 'diverged' && state.isAhead
}

it('what a deleted account held is gone from the files of all nodes', async (t) => {
  const { nodes } = await openCluster(t, ['a', 'b'])
  const [a, b] = nodes
  const email = 'zyxwv-marker@example.org'
  await a.store.createAccount(
    newAccount({ id: 'user-1', email, appRole: 'standardUser', dashboardRole: 'none', now: 0, language: {} }),
  )
  await settle(nodes)
  const isInFiles = ({ dir }: ClusterNode): boolean =>
    ['', '-wal'].some((suffix) => readFileSync(`${dir.database}${suffix}`).includes(email))
  assert.deepEqual(nodes.map(isInFiles), [true, true])
  assert.equal(await a.store.deleteAccount({ id: 'user-1', now: 1, keepLastAdmin: false }), 'deleted')
  await settle([b])
  assert.deepEqual(nodes.map(isInFiles), [false, false])
})

it('a copy of a running node has the position up to which it contains the log, and goes on from there', async (t) => {
  const { log, nodes } = await openCluster(t, ['a'])
  const [a] = nodes
  const writes = Array.from({ length: 40 }, (_, i) => a.store.insert(topic, topicOf(i)))
  await writes[0]
  const dir = prepareDataDir(join(temporaryDirectory(t), 'data'))
  rmSync(dir.database)
  await copyDatabase({
    ...{ from: a.dir.database, to: dir.database, models: STORED_MODELS, now: () => 0 },
    ...{ action: 'Cannot copy', ifDamaged: '' },
  })
  await Promise.all(writes)
  const position = filePosition(dir.database)?.position ?? 0
  assert.ok(position > 0 && position <= a.replication.position())
  const b = await openNode(t, log.connect(), { dir, name: 'b' })
  await settle([b])
  assertAlike([a, b])
})

it('a data directory of a cluster is used with its own log only', async (t) => {
  const dir = await emptySite(t)
  const options = { dir, models: STORED_MODELS, version: '1.2.3', now: () => 0 }
  const owner = { pid: process.pid, startedAt: 'now' }
  const cluster = { log: createMemoryLog().connect(), sealer: createPlainSealer(), node: 'a'.repeat(16), site: 'another site' }
  assert.throws(() => openStore({ ...options, owner }), /without its cluster: start the service with --cluster/)
  assert.throws(() => openStore({ ...options, owner, cluster }), /it belongs to another one/)
  const command = openStore(options)
  t.after(() => command.close())
  assert.equal(command.documents.get(topic, topicOf(1).id), undefined)
  await assert.rejects(systemStore(command).insert(topic, topicOf(1)), /Cannot change data that belongs to a cluster/)
  assert.deepEqual(filePosition(dir.database), { site: 'a site of a test', position: 0, entry: NO_ENTRY })
  forgetPosition(dir.database)
  assert.throws(() => openStore({ ...options, owner, cluster }), /it belongs to none: run dateline cluster init/)
  const alone = openStore({ ...options, owner })
  t.after(() => alone.close())
  assert.equal(await systemStore(alone).insert(topic, topicOf(1)), 'inserted')
  assert.equal(alone.replication, undefined)
})

it('a code works once in the cluster, and a message is taken by one sender', async (t) => {
  const { nodes } = await openCluster(t, ['a', 'b', 'c'])
  const email = 'reader@example.org'
  for (let i = 0; i < 5; i++) {
    const message = { id: `message-${i}`, sealed: Buffer.from('sealed') }
    await nodes[0].store.issueCode({ email, mac: Buffer.from('right'), now: i, expiresAt: 1000, message })
    const taken = await Promise.all(nodes.map(({ store }) => takeAll(store, i)))
    assert.deepEqual(taken.flat().map(({ id }) => id), [message.id])
    const outcomes = await Promise.all(nodes.map(({ store }) => signInWith(store, rightCode(email, i))))
    assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['rejected', 'rejected', 'signed-in'])
    await nodes[0].store.deleteAccount({ id: `user of ${email}`, now: i, keepLastAdmin: false })
  }
  await settle(nodes)
  assertAlike(nodes)
})

function rightCode(email: string, now: number): CodeClaim {
  const attempts = { perClient: 50, inAll: 100 }
  return { email, mac: Buffer.from('right'), client: Buffer.alloc(16), now, attempts, rates: { perClient: undefined, perEmail: undefined } }
}

it('events of a rate count in the whole cluster', async (t) => {
  const { nodes } = await openCluster(t, ['a', 'b', 'c'])
  const rate = { key: Buffer.from('a client'), max: 4, windowMs: 1000 }
  const waits = await Promise.all([...nodes, ...nodes].map(({ store }) => store.countRates([rate], 0)))
  assert.deepEqual(waits.filter((wait) => wait === undefined).length, 4)
})

it('settings that one node stores are told at another before a read sees their entry, and nothing else is', async (t) => {
  const { nodes } = await openCluster(t, ['a', 'b'])
  const [a, b] = nodes
  const told: string[] = []
  b.store.settings.onSettings((stored) => void told.push(stored.map(({ name, value }) => `${name} ${value}`).join()))
  for (const [i, value] of ['on', 'off', undefined].entries()) {
    await a.store.changeSettings({ changes: [{ name: 'review', value, isSecret: false }], now: i, check: () => {} })
    await a.store.insert(topic, topicOf(i))
    await b.replication.reached(a.replication.position())
  }
  assert.deepEqual(told, ['review on', 'review off', ''])
})

it('a bulk load does not write past the log', async (t) => {
  const { nodes } = await openCluster(t, ['a'])
  const accountOf = (): never => assert.fail()
  assert.throws(
    () => openBulkWriter({ file: nodes[0].dir.database, isAlone: false, accountOf, now: () => 0 }),
    /past the log of its cluster: write through the API/,
  )
})

it('an entry sealed with a key that does not come makes the node leave service, after it was waited for', async (t) => {
  const clock = testTicks()
  const log = createMemoryLog()
  let hasKey = false
  const plain = createPlainSealer()
  const open: Sealer['open'] = (body) => {
    if (hasKey) return plain.open(body)
    throw new RecordUnreadable('unknown-key', 'Cannot open the entry: its key is not here')
  }
  const writer = await openNode(t, log.connect())
  const node = await openNode(t, log.connect(), { name: 'b', ticks: clock.ticks, sealer: { ...plain, open } })
  await writer.store.insert(topic, topicOf(1))
  const reached = node.replication.reached(writer.replication.position())
  hasKey = true
  await reached
  hasKey = false
  clock.run()
  await writer.store.insert(topic, topicOf(2))
  await assert.rejects(node.replication.reached(writer.replication.position()), /left service/)
  assertDiverged(node, /its key is not here/)
})
