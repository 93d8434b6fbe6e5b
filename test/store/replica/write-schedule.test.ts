/** Random writes on three nodes with failing connections: nothing is lost, nothing is there twice, all nodes are alike. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { BUGS, type BugHunt } from '../../support/cluster/planted-bug.ts'
import { runSchedule } from '../../support/cluster/write-schedule.ts'
import { seedOfRun } from '../../support/random.ts'

const OPERATIONS = 15
/** With each bug, most of these find a fault. */
const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1)

it('nothing acknowledged is lost, nothing happens twice, and the nodes are alike', async (t) => {
  const seed = seedOfRun()
  for (let i = 0; i < 2; i++) {
    const { faults, counts } = await runSchedule(t, { seed: seed + i, operations: OPERATIONS })
    assert.deepEqual(faults, [], `SEED=${seed}`)
    assert.ok(counts.made > 5 && counts.reads > 5 && counts.cuts > 0, `SEED=${seed} ${JSON.stringify(counts)}`)
  }
})

for (const [bug, wanted] of [
  ['acknowledges before the log has answered', /is made, and there 0 times|was acknowledged before/],
  ['forgets the id of its entry where the response was lost', /and there [2-9] times/],
  ['does not ask for the newest state where nothing changes', /which was acknowledged before/],
] as const satisfies readonly (readonly [keyof typeof BUGS, RegExp])[]) {
  it(`finds out a node that ${bug}`, async () => {
    const workerData: BugHunt = { bug, seeds: SEEDS, operations: OPERATIONS }
    const worker = new Worker(new URL('../../support/cluster/planted-bug.ts', import.meta.url), { workerData })
    const [{ planted, faults }] = (await once(worker, 'message')) as [{ planted: number; faults: readonly string[] }]
    await worker.terminate()
    assert.equal(planted, 1)
    assert.ok(faults.some((fault) => wanted.test(fault)), faults.join('\n'))
  })
}
