// also: cache-off threads
/**
 * Remembered reads are never old: whatever is written, by whichever path, every later response holds it.
 *
 * Planted bugs show that the comparison finds what it is for: a trigger that is missing stands for a write that forgot to
 * move the version of its model.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openDatabase } from '../../src/store/db/database.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import { seededRandom, seedOfRun } from '../../scripts/tools/random.ts'
import { readDifference, SETTINGS_COMPARED } from '../support/service/read-difference.ts'
import { databaseOf, startService } from '../support/service/service.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'

const ROUNDS = longRun(50, 250)
const READS_AFTER_WRITE = 4

/** Random writes and reads. Returns the first difference, and how responses came. */
async function compare(
  t: Cleanup,
  { forgets, rounds = ROUNDS }: { readonly forgets?: string; readonly rounds?: number } = {},
): Promise<{ difference: string | undefined; seen: ReadonlyMap<string, number> }> {
  const service = await startService(t, SETTINGS_COMPARED)
  const random = seededRandom(seedOfRun())
  const { write, read, seen } = await readDifference(t, service, random)
  if (forgets !== undefined) {
    const database = openDatabase(databaseOf(service))
    for (const event of ['INSERT', 'UPDATE', 'DELETE']) database.exec(`DROP TRIGGER "${forgets}/version ${event}"`)
    database.close()
  }
  for (let round = 0; round < rounds; round++) {
    const way = await write()
    for (let i = 0; i < READS_AFTER_WRITE; i++) {
      const difference = await read()
      if (difference !== undefined) return { difference: `SEED=${random.seed}, after ${way}: ${difference}`, seen }
    }
  }
  return { difference: undefined, seen }
}

describe('a read after any write', () => {
  it('holds what is stored at that moment, compressed and not, and as a 304', async (t) => {
    const { difference, seen } = await compare(t)
    assert.equal(difference, undefined)
    // What is not kept is compressed only while the machine has time.
    const kept = process.env['DATELINE_CACHE_MB'] === '0' ? [] : ['gzip']
    for (const how of ['identity', '304', ...kept]) {
      assert.ok((seen.get(how) ?? 0) > 0, `some response came as ${how}: ${JSON.stringify([...seen])}`)
    }
  })

  for (const forgets of ['topic', 'headline', 'source', 'remote_config', 'user'].slice(0, longRun(1, 5))) {
    it(`is found to be old where writes forget the version of ${forgets}`, async (t) => {
      const { difference } = await compare(t, { forgets, rounds: 1_000 })
      assert.ok(difference !== undefined, 'a planted bug must be found')
    })
  }
})

