/** Random writes on three nodes with failing connections: nothing is lost, nothing is there twice, all nodes are alike. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runSchedule } from '../../support/cluster/write-schedule.ts'
import { seedOfTest } from '../../../scripts/tools/random.ts'
import { fuzzRun } from '../../../scripts/tools/long-run.ts'

const OPERATIONS = 15

it('nothing acknowledged is lost, nothing happens twice, and the nodes are alike', async (t) => {
  const seed = seedOfTest()
  for (let i = 0; i < fuzzRun(1, 6); i++) {
    const { faults, counts } = await runSchedule(t, { seed: seed + i, operations: OPERATIONS })
    assert.deepEqual(faults, [], `SEED=${seed}`)
    assert.ok(counts.made > 5 && counts.reads > 5 && counts.cuts > 0, `SEED=${seed} ${JSON.stringify(counts)}`)
  }
})
