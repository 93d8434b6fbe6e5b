/** A node that is killed while it applies entries goes on where its database is, and comes to the same data. */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { it } from 'node:test'
import type { DataDir } from '../../../src/store/sqlite/data-dir.ts'
import type { LogEntry } from '../../../src/store/replica/commit-log.ts'
import { filePosition } from '../../../src/store/replica/position-table.ts'
import { collect } from '../../support/cluster/log-contract.ts'
import { derivedFaults, emptySite, hashesOf, inspect, openCluster } from '../../support/cluster/cluster-stores.ts'
import { randomWrite } from '../../support/cluster/random-writes.ts'
import { seededRandom, seedOfTest } from '../../support/random.ts'
import { longRun } from '../../support/long-run.ts'

const NODE = new URL('../../support/cluster/crashing-node.ts', import.meta.url)

/** Runs a node until it has the entries, or is killed at the nth statement with a text. Returns the signal that ended it. */
async function runNode(dir: DataDir, entries: readonly LogEntry[], text = '', nth = 0): Promise<string | null> {
  const site = filePosition(dir.database)?.site ?? ''
  const child = fork(NODE, [dir.path, site, text, String(nth)])
  const ended = once(child, 'exit')
  child.on('message', ({ after }: { readonly after: number }) => {
    const wanted = entries.filter(({ position }) => position > after)
    child.send({ entries: wanted.map(({ position, body }) => ({ position, body: Buffer.from(body).toString('base64') })) })
  })
  const [code, signal] = (await ended) as [number | null, string | null]
  assert.ok(code === 0 || signal === 'SIGKILL', `ended with ${code ?? signal}`)
  return signal
}

it('a node killed at any step of applying an entry goes on behind the last one that it committed', async (t) => {
  const seed = seedOfTest()
  const random = seededRandom(seed)
  const { log, nodes } = await openCluster(t, ['a'])
  const [a] = nodes
  for (let i = 0; i < longRun(60, 120); i++) await randomWrite(random).run(a.store).catch(() => {})
  const follower = collect(log.connect(), 0)
  while (follower.seen.at(-1)?.position !== a.replication.position()) await follower.raw(follower.seen.length + 1)
  const entries = follower.seen
  const dir = await emptySite(t)
  let kills = 0
  const places = [
    ['applyChangeset', 1 + random.below(10)],
    ['COMMIT', 1],
    ['UPDATE log_position', 2],
    ['BEGIN IMMEDIATE', 2],
    // Some seeds have no headline among the last entries.
    ['headline_search', 1],
  ] as const
  for (const [text, nth] of places.slice(0, longRun(2, places.length))) {
    if ((await runNode(dir, entries, text, nth)) === 'SIGKILL') kills++
    const position = filePosition(dir.database)?.position ?? 0
    assert.ok(position === 0 || entries.some((entry) => entry.position === position), `SEED=${seed}`)
    assert.deepEqual(inspect(dir, (database) => derivedFaults(database)), [], `SEED=${seed} after ${text}`)
  }
  assert.ok(kills >= longRun(2, 4), `${kills} kills with SEED=${seed}`)
  assert.equal(await runNode(dir, entries), null)
  assert.equal(filePosition(dir.database)?.position, a.replication.position())
  assert.deepEqual(hashesOf(dir), hashesOf(a.dir), `SEED=${seed}`)
})
