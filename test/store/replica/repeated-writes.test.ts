/**
 * Every writing method does the same where it runs twice: rolled back because another node was faster, then again.
 *
 * One store writes by itself. The other writes over a log in which a rival appends an empty entry ahead of each first
 * attempt, so that all of its jobs run at least twice.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AuditRecord } from '../../../src/models/audit.ts'
import { historyFaults } from '../../../src/store/history/history-check.ts'
import { type CommitLog, NO_ENTRY } from '../../../src/store/cluster/commit-log.ts'
import { SCHEMA } from '../../../src/store/schema/migrate.ts'
import { baseHashes, derivedFaults, inspect, openNode } from '../../support/cluster/cluster-stores.ts'
import { collect } from '../../support/cluster/log-contract.ts'
import { createMemoryLog, type MemoryLogNode } from '../../support/cluster/memory-log.ts'
import { createPlainSealer } from '../../support/cluster/plain-sealer.ts'
import { isOfEveryNode, randomWrite, readsOf } from '../../support/cluster/random-writes.ts'
import { seededRandom, seedOfTest } from '../../../scripts/tools/random.ts'
import { testStore, VISITOR, type SystemStore, writeNames } from '../../../scripts/tools/stores.ts'
import { longRun } from '../../../scripts/tools/long-run.ts'

const WRITES = longRun(340, 400)
const AT_ONCE = 4

/** A connection that always comes second at first. */
function alwaysBeaten(node: MemoryLogNode, rival: CommitLog) {
  const sealer = createPlainSealer()
  const { seen, raw } = collect(rival, 0)
  const idOfLast = async (position: number): Promise<string> => {
    while ((seen.at(-1)?.position ?? 0) < position) await raw(seen.length + 1)
    const last = seen.find((entry) => entry.position === position)
    return last === undefined ? NO_ENTRY : sealer.open(last.body).id
  }
  const beaten = new Set<string>()
  let [id, count] = [0, 0]
  const beat = async (call: string): Promise<void> => {
    const last = await rival.last()
    if (beaten.has(`${call} ${last}`)) return
    const record = { schema: SCHEMA, node: 'rival', id: String(++id), previous: await idOfLast(last), changeset: new Uint8Array() }
    const answer = await rival.append(last, sealer.seal(record))
    if (answer.kind === 'appended') beaten.add(`${call} ${answer.position}`)
    count++
  }
  const log: MemoryLogNode = {
    ...node,
    async append(after, body) {
      await beat('append')
      return node.append(after, body)
    },
    async last() {
      await beat('last')
      return node.last()
    },
  }
  return { log, beats: () => count }
}

/** Audit records have random ids, and pseudonyms of deleted accounts. */
function auditOf(dir: { readonly database: string }): unknown[] {
  return inspect(dir as Parameters<typeof inspect>[0], (database) =>
    database.all('SELECT seq, doc FROM audit ORDER BY seq').map(({ seq, doc }) => {
      const { id: _, ...record } = JSON.parse(String(doc)) as AuditRecord
      return [seq, JSON.stringify(record).replaceAll(/deleted-[0-9a-f]{24}/g, 'deleted')]
    }),
  )
}

async function outcomeOf(store: SystemStore, write: ReturnType<typeof randomWrite>): Promise<string> {
  const outcome = await write.run(store).catch((error: unknown) => String(error))
  return `${write.method} ${JSON.stringify(outcome, (_, value: unknown) => (value instanceof Uint8Array ? String(value) : value))}`
}

/** All but the bytes of the earlier texts. */
const CHANGES = `SELECT seq, model, id, kind, at, actor, before, after, status_before, replaced IS NULL AS is_gone
  FROM change ORDER BY seq`

it('a store whose jobs all run again gives the same answers and the same data as one by itself', async (t) => {
  const seed = seedOfTest()
  const random = seededRandom(seed)
  const alone = testStore(t)
  const shared = createMemoryLog()
  const { log, beats } = alwaysBeaten(shared.connect(), shared.connect())
  const node = await openNode(t, log)
  const methods = new Set<string>()
  for (let i = 0; i < WRITES; i += AT_ONCE) {
    const writes = Array.from({ length: AT_ONCE }, () => randomWrite(random))
    const wanted = await Promise.all(writes.map((write) => outcomeOf(alone.store, write)))
    assert.deepEqual(await Promise.all(writes.map((write) => outcomeOf(node.store, write))), wanted, `SEED=${seed}`)
    for (const { method } of writes) methods.add(method)
  }
  const called = writeNames(node.store.as({ kind: 'system' })).filter(isOfEveryNode)
  assert.equal(methods.size, called.length, 'every method was called')
  assert.ok(beats() > WRITES / AT_ONCE / 2, `the rival came first ${beats()} times`)
  assert.deepEqual(await readsOf(node.store), await readsOf(alone.store))
  // Audit records have random ids, each change log has an identity, and a lot decides which earlier texts are kept whole.
  const apart = { audit: '', change_log: '', change: '' }
  const [ours, theirs] = [node.dir, alone.dir].map((dir) => inspect(dir, (database) => baseHashes(database)))
  assert.deepEqual({ ...ours, ...apart }, { ...theirs, ...apart }, `SEED=${seed}`)
  const [own, wanted] = [node.dir, alone.dir].map((dir) => inspect(dir, (database) => database.all(CHANGES)))
  assert.deepEqual(own, wanted, `SEED=${seed}`)
  assert.deepEqual(auditOf(node.dir), auditOf(alone.dir), `SEED=${seed}`)
  for (const { dir } of [node, alone]) {
    assert.deepEqual(inspect(dir, (database) => derivedFaults(database)), [])
    assert.deepEqual(inspect(dir, (database) => historyFaults(database)), [], `SEED=${seed}`)
  }
})

it('records of a visitor count once within their bounds, however often the job runs', async (t) => {
  const alone = testStore(t)
  const shared = createMemoryLog()
  const node = await openNode(t, alwaysBeaten(shared.connect(), shared.connect()).log)
  const counts = []
  for (const { store, dir } of [alone, node]) {
    for (let i = 0; i < 25; i++) await store.as(VISITOR).record({ event: 'code.requested' })
    await store.recordSuppressed()
    counts.push(inspect(dir, (database) => database.all("SELECT doc ->> '$.event' AS event, doc ->> '$.details' AS details FROM audit")))
  }
  assert.equal(counts[0]?.length, 21)
  assert.deepEqual(counts[1], counts[0])
})
