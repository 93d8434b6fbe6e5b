/** Which jobs become an entry together, where the log is slow or another node comes first. */
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { country } from '../../../src/models/country.ts'
import { topic } from '../../../src/models/topic.ts'
import { NO_ENTRY } from '../../../src/store/cluster/commit-log.ts'
import { SCHEMA } from '../../../src/store/schema/migrate.ts'
import { openNode } from '../../support/cluster/cluster-stores.ts'
import { createMemoryLog, type MemoryLogNode } from '../../support/cluster/memory-log.ts'
import { createPlainSealer } from '../../support/cluster/plain-sealer.ts'
import type { Document } from '../../../src/store/documents/document-tables.ts'

/** A node on a log in which a rival comes ahead of the first append, and which calls `ahead` before each append. */
async function rivaledNode(t: TestContext, ahead: { append?: () => void }) {
  const shared = createMemoryLog()
  const connection = shared.connect()
  const appends: string[] = []
  const rivaled: MemoryLogNode = {
    ...connection,
    async append(after, body) {
      ahead.append?.()
      if (appends.length === 0) {
        const record = { schema: SCHEMA, node: 'rival', id: '1', previous: NO_ENTRY, changeset: new Uint8Array() }
        await shared.connect().append(0, createPlainSealer().seal(record))
      }
      const answer = await connection.append(after, body)
      appends.push(answer.kind)
      return answer
    },
  }
  // Its clock stands still: no write is given up, however slow the machine is.
  const node = await openNode(t, rivaled, { ticks: () => 0 })
  return { ...node, appends }
}

function documentOf(number: number, name: string): Document {
  const id = number.toString(16).padStart(24, '0')
  return { id, value: { id, name, status: 'active' } }
}

it('jobs that come while others run again join their entry', async (t) => {
  const later: Promise<unknown>[] = []
  const insert = (number: number) => store.insert(topic, documentOf(number, `topic ${number}`))
  const { store, appends } = await rivaledNode(t, {
    append() {
      if (appends.length === 0) later.push(insert(2))
    },
  })
  await insert(1)
  await Promise.all(later)
  assert.equal(later.length, 1)
  assert.deepEqual(appends, ['lost', 'appended'])
})

it('jobs that are too large together run once each, also where another node came first', async (t) => {
  // Those that were divided off waited twice, and ran twice, where the entry of the others was lost.
  const { store, appends } = await rivaledNode(t, {})
  const { id } = documentOf(1, '')
  const large = (number: number) => store.insert(country, documentOf(number, 'x'.repeat(4_500_000)))
  const mark = (text: string) =>
    store.update(topic, id, (stored) => ({ ...stored, name: `${String(stored['name'])}${text}` }))
  const writes = [store.insert(topic, documentOf(1, '')), large(2), large(3), mark('a'), mark('b')]
  assert.equal((await Promise.all(writes)).length, 5)
  assert.ok(appends.filter((kind) => kind === 'lost').length > 0)
  assert.match(store.documents.get(topic, id) ?? '', /"name":"ab"/)
})
