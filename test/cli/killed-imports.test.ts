// gate: kills imports again and again
/** A short form of `npm run drill -- import`. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { drillImport } from '../../scripts/killed/killed-imports.ts'
import { seededRandom, seedOfRun } from '../../scripts/tools/random.ts'

it('an import that is killed leaves whole batches, and --resume brings every row once', async (t) => {
  const seed = seedOfRun()
  const told = await drillImport({ cleanup: t, random: seededRandom(seed) }, 2, 1_200)
  assert.match(told, /^import: killed 2 times/, `SEED=${seed}`)
})
