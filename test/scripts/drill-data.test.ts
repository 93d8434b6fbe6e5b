/** A short run of `npm run drill -- data`: real processes, killed while they copy, replace and migrate. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { drillData } from '../../scripts/drill-data.ts'
import { seedOfRun } from '../support/random.ts'

it('backup, restore and migration leave the old state or the new one, and a full disk loses nothing', async (t) => {
  const seed = seedOfRun()
  t.diagnostic(`SEED=${seed}`)
  const lines = await drillData({ seconds: 10, runsMax: 5, seed })
  for (const line of lines) t.diagnostic(line)
  assert.equal(lines.length, 4)
})
