/** Changes that are recorded with their commits, and replayed onto an earlier copy: the same rows, at each point in time. */
import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { derivedFaults } from '../../support/cluster/cluster-stores.ts'
import { longRun } from '../../../scripts/tools/long-run.ts'
import { seededRandom, seedOfTest } from '../../../scripts/tools/random.ts'
import { randomWrite } from '../../support/cluster/random-writes.ts'
import { systemStore, takeAll, testStore, type TestStore } from '../../../scripts/tools/stores.ts'
import { temporaryDirectory, type Cleanup } from '../../../scripts/tools/temporary-directory.ts'
import { topic } from '../../../src/models/topic.ts'
import { STORED_MODELS } from '../../../src/models/registry.ts'
import { baseTables } from '../../../src/store/cluster/replicated-tables.ts'
import { foldWal, lookInto } from '../../../src/store/db/database.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { newChainId, pendingBehind, PENDING_BYTES_MAX, readChain, type PendingChange } from '../../../src/store/pending/pending-changes.ts'
import { openReplay } from '../../../src/store/pending/replay.ts'
import { openBulkWriter } from '../../../src/store/writes/bulk-writer.ts'
import { writeBackup } from '../../../src/store/backup/backup.ts'

const models = STORED_MODELS

/** The rows of all tables that a write decides about, but for what the places have. */
function rowsOf(file: string): Readonly<Record<string, readonly string[]>> {
  return lookInto(file, (database) =>
    Object.fromEntries(
      baseTables(models)
        .filter((table) => table !== 'backup_place')
        .map((table) => [table, database.all(`SELECT * FROM "${table}"`).map((row) => JSON.stringify(Object.values(row))).sort()]),
    ),
  )
}

const chainOf = (file: string) => lookInto(file, readChain)
const pendingOf = (file: string): readonly PendingChange[] => lookInto(file, (database) => pendingBehind(database, 0, Infinity))

async function copyOf(t: Cleanup, { dir }: Pick<TestStore, 'dir'>): Promise<string> {
  const target = join(temporaryDirectory(t), 'copy.db')
  await writeBackup({ database: dir.database, target, makesDirectory: false, models, now: () => 0 })
  return target
}

/** Returns the number of the last change that the copy then has. */
function replayOnto(copy: string, changes: readonly PendingChange[]): number {
  const replay = openReplay(copy, models)
  try {
    for (const change of changes) replay.apply(change)
    replay.commit()
    return replay.reached()
  } finally {
    replay.close()
  }
}

const aTopic = (id: string, name = id) => ({ id, value: { id, name, status: 'active' as const, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' } })

describe('recorded changes', () => {
  const rounds = longRun(4, 30)
  it('lead from each copy to each later state, row by row, whatever was written', async (t) => {
    const random = seededRandom(seedOfTest())
    const { store, dir } = testStore(t)
    await store.continueChain(newChainId())
    const states: { readonly file: string; readonly seq: number }[] = []
    for (let round = 0; round < rounds; round++) {
      for (let n = random.below(12); n >= 0; n--) {
        const writes = random.list(1 + random.below(6), () => randomWrite(random))
        await Promise.all(writes.map((write) => write.run(store).catch(() => {})))
      }
      states.push({ file: await copyOf(t, { dir }), seq: chainOf(dir.database)?.seq ?? 0 })
    }
    const changes = pendingOf(dir.database)
    assert.ok(changes.length > rounds && changes.every(({ seq }, i) => seq === i + 1))
    for (const [i, from] of states.entries()) {
      const replayed = join(temporaryDirectory(t), 'replayed.db')
      copyFileSync(from.file, replayed)
      for (const to of states.slice(i)) {
        assert.equal(replayOnto(replayed, changes.filter(({ seq }) => seq <= to.seq)), to.seq)
        assert.deepEqual(rowsOf(replayed), rowsOf(to.file))
        assert.deepEqual(lookInto(replayed, (database) => derivedFaults(database)), [])
      }
    }
  })

  it('are part of their transaction: what is rolled back is in none, and a copy has its number', async (t) => {
    const { store, dir } = testStore(t)
    await store.insert(topic, aTopic('before'))
    assert.equal(chainOf(dir.database), undefined)
    await store.continueChain(newChainId())
    const outcomes = await Promise.allSettled([
      store.insert(topic, aTopic('a')),
      store.update(topic, 'before', () => {
        throw new Error('changed my mind')
      }),
      store.insert(topic, aTopic('b')),
    ])
    assert.deepEqual(outcomes.map(({ status }) => status), ['fulfilled', 'rejected', 'fulfilled'])
    assert.equal(pendingOf(dir.database).length, 1)
    const copy = await copyOf(t, { dir })
    assert.equal(chainOf(copy)?.seq, 1)
    await store.insert(topic, aTopic('c'))
    replayOnto(copy, pendingOf(dir.database))
    assert.deepEqual(lookInto(copy, (database) => database.all('SELECT id FROM topic ORDER BY id').map(({ id }) => id)), ['a', 'b', 'before', 'c'])
  })

  it('hold what a start writes, and go on over it', async (t) => {
    const { store, dir } = testStore(t)
    await store.continueChain(newChainId())
    const copy = await copyOf(t, { dir })
    await store.issueCode({ email: 'a@example.org', mac: Buffer.alloc(32), now: 0, expiresAt: 1e6, message: { id: 'one', sealed: Buffer.alloc(5) } })
    assert.equal((await takeAll(store, 1)).length, 1)
    await store.close()
    const again = systemStore(openStore({ dir, models, version: '1.2.3', now: () => 5, owner: { pid: 1, startedAt: 'now' } }))
    await again.insert(topic, aTopic('later'))
    await again.close()
    foldWal(dir.database)
    replayOnto(copy, pendingOf(dir.database))
    assert.deepEqual(rowsOf(copy), rowsOf(dir.database))
  })

  it('hold what a bulk load beside the store writes, in the order of all commits', async (t) => {
    const { store, dir } = testStore(t)
    await store.continueChain(newChainId())
    const copy = await copyOf(t, { dir })
    await store.insert(topic, aTopic('a'))
    const bulk = openBulkWriter({ file: dir.database, isAlone: false, accountOf: () => assert.fail(), now: () => 7 })
    const row = (id: string) => ({ id, doc: JSON.stringify(aTopic(id).value), search: undefined, basis: undefined })
    await bulk.transact((tables) => tables.write(topic, row('b')), true)
    await bulk.transact((tables) => tables.write(topic, row('not kept')), false)
    await store.update(topic, 'b', (stored) => ({ ...stored, name: 'renamed' }))
    await bulk.close()
    assert.deepEqual(pendingOf(dir.database).map(({ seq, at }) => [seq, at]), [[1, 0], [2, 7], [3, 0]])
    replayOnto(copy, pendingOf(dir.database))
    assert.deepEqual(rowsOf(copy), rowsOf(dir.database))
  })

  it('do not fit a copy that was changed by others, or where one is missing', async (t) => {
    const { store, dir } = testStore(t)
    await store.insert(topic, aTopic('a', 'first'))
    await store.continueChain(newChainId())
    const copy = await copyOf(t, { dir })
    await store.update(topic, 'a', (stored) => ({ ...stored, name: 'second' }))
    await store.update(topic, 'a', (stored) => ({ ...stored, name: 'third' }))
    const [first, second] = pendingOf(dir.database)
    assert.ok(first !== undefined && second !== undefined)
    const replay = openReplay(copy, models)
    assert.throws(() => replay.apply(second), /change 2 does not follow change 0/)
    assert.throws(() => replay.apply({ ...second, seq: 1 }), /does not fit the data of this node: a row has other values/)
    replay.close()
  })

  it('wait in bounds: past them the chain ends, no write fails, and the next snapshot begins another', async (t) => {
    const { store, dir } = testStore(t)
    const { id } = await store.continueChain(newChainId())
    const text = 'x'.repeat(PENDING_BYTES_MAX / 4)
    for (let n = 0; n < 6; n++) await store.writeMeta('long', `${n}${text}`)
    const chain = chainOf(dir.database)
    assert.match(chain?.broken ?? '', /more than 64 MiB of changes waited/)
    assert.ok((chain?.bytes ?? Infinity) <= PENDING_BYTES_MAX)
    assert.equal(chain?.seq, pendingOf(dir.database).length)
    const next = await store.continueChain(newChainId())
    assert.notEqual(next.id, id)
    assert.deepEqual(pendingOf(dir.database), [])
    await store.insert(topic, aTopic('a'))
    assert.deepEqual(pendingOf(dir.database).map(({ seq }) => seq), [1])
  })

  it('are removed in steps once all places have them', async (t) => {
    const { store, dir } = testStore(t)
    await store.continueChain(newChainId())
    for (let n = 0; n < 7; n++) await store.writeMeta('n', n)
    assert.equal(await store.prunePending(5), false)
    assert.deepEqual(pendingOf(dir.database).map(({ seq }) => seq), [6, 7])
    await store.prunePending(7)
    assert.equal(chainOf(dir.database)?.bytes, 0)
    assert.equal(chainOf(dir.database)?.seq, 7)
  })

  it('count no bytes of those that were removed in the transaction of other writes', async (t) => {
    const { store, dir } = testStore(t)
    await store.continueChain(newChainId())
    await store.writeMeta('long', 'x'.repeat(10_000))
    await Promise.all([store.prunePending(1), store.writeMeta('short', 'x')])
    const left = pendingOf(dir.database)
    assert.deepEqual(left.map(({ seq }) => seq), [2])
    assert.equal(chainOf(dir.database)?.bytes, left[0]?.changeset.length)
  })

  it('do not outlive a chain that ends in their transaction: they would keep the e-mail address of a code for ever', async (t) => {
    const { store, dir } = testStore(t)
    await store.issueCode({ email: 'a@example.org', mac: Buffer.alloc(32), now: 0, expiresAt: 1e6, message: { id: 'one', sealed: Buffer.alloc(5) } })
    await store.continueChain(newChainId())
    await Promise.all([store.endChain(), store.removeExpired(2e6)])
    assert.equal(chainOf(dir.database), undefined)
    assert.deepEqual(pendingOf(dir.database), [])
  })
})
