/**
 * Remembered reads are never old: whatever is written, by whichever path, every later response holds it.
 *
 * Planted bugs show that the comparison finds what it is for: a trigger that is missing stands for a write that forgot to
 * move the version of its model.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { seededRandom, seedOfRun } from '../support/random.ts'
import { readDifference, SETTINGS_COMPARED } from '../support/service/read-difference.ts'
import { databaseOf, startService, type Cleanup } from '../support/service/service.ts'

const ROUNDS = 250
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
  it('holds what is stored at that moment, in every coding and as a 304', async (t) => {
    const { difference, seen } = await compare(t)
    assert.equal(difference, undefined)
    for (const how of ['identity', 'gzip', 'br', 'zstd', '304']) {
      assert.ok((seen.get(how) ?? 0) > 0, `some response came as ${how}: ${JSON.stringify([...seen])}`)
    }
  })

  for (const forgets of ['headline', 'topic', 'source', 'remote_config', 'user']) {
    it(`is found to be old where writes forget the version of ${forgets}`, async (t) => {
      const { difference } = await compare(t, { forgets, rounds: 4 * ROUNDS })
      assert.ok(difference !== undefined, 'a planted bug must be found')
    })
  }
})
