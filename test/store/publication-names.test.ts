/** What the database does for a stranger who tries names of publications. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { publication } from '../../src/models/publication-model.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import type { Database } from '../../src/store/db/database.ts'
import { publicationNamed } from '../../src/store/publications/publication-rows.ts'
import { PUBLICATION } from '../../scripts/tools/data-bodies.ts'
import { openForTest, testStore } from '../../scripts/tools/stores.ts'

it('attack: the same statements run for an unknown name as for one with a secret, and for one without', async (t) => {
  const { store, dir } = testStore(t)
  for (const name of ['hidden', 'bare']) await store.insert(publication, { id: name, value: { ...PUBLICATION, id: name, name, visibility: 'secret' } as unknown as JsonObject })
  await store.as(SYSTEM).putPublicationSecret('hidden', new Uint8Array(32).fill(7))
  const database = openForTest(t, dir.database)
  const statementsFor = (name: string, hasSecret: boolean | undefined): string[] => {
    const ran: string[] = []
    const counted = Object.fromEntries(
      Object.entries(database).map(([key, member]) => [key, typeof member === 'function' ? (...parts: unknown[]) => {
        ran.push(`${key} ${String(parts[0])}`)
        return Reflect.apply(member, database, parts) as unknown
      } : member]),
    ) as unknown as Database
    const found = publicationNamed(counted, name)
    assert.equal(found && found.secretHash !== undefined, hasSecret)
    return ran
  }
  const unknown = statementsFor('unknown', undefined)
  assert.equal(unknown.length, 2)
  assert.deepEqual(statementsFor('hidden', true), unknown)
  assert.deepEqual(statementsFor('bare', false), unknown)
})
