// gate: runs a drill in short
/** A short run of `npm run drill -- changes` in this process: restarts in place of kills. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { followChanges } from '../../scripts/changes/follow-changes.ts'
import { seededRandom, seedOfRun } from '../../scripts/tools/random.ts'
import { newCast } from '../support/cast.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { startService } from '../support/service/service.ts'

it('every copy of what a reader may see is its list, whatever is written and however often the service restarts', { skip: ONLY_HERE }, async (t) => {
  const seed = seedOfRun()
  t.diagnostic(`SEED=${seed}`)
  const settings = { hideInactive: 'on' }
  let running = Promise.resolve(await startService(t, settings))
  const first = await running
  const { admin } = await newCast(first)
  const site = {
    admin: admin.token,
    url: async () => (await running).url,
    async restart() {
      const before = await running
      running = before.stop().then(() => startService(t, settings, { directory: before.directory }))
      await running
    },
  }
  const report = await followChanges({ site, random: seededRandom(seed), writers: 3, writes: 60, restarts: 1 })
  t.diagnostic(report)
  assert.match(report, /^180 writes of 3 writers, 1 restarts; /)
})
