/** Pages of changes below HTTP: what matching may cost, and what a view keeps. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createChangePages, requestCounter } from '../../../src/content/changes/change-pages.ts'
import { topic } from '../../../src/models/topic.ts'
import { testStore } from '../../../scripts/tools/stores.ts'

const READER = { id: 'reader', appRole: 'standardUser', dashboardRole: 'none' } as const
const TURNS = { id: 'reader', class: 'user' } as const
/** The pattern takes about a step for each character. */
const FILTER = { description: { $regex: '(a|b)+c$' } }
const QUERY = { models: [topic], filter: FILTER, filterText: JSON.stringify(FILTER) }

it('a page ends before the document for which its steps do not last, and goes on with it', async (t) => {
  const { store } = testStore(t)
  const pages = createChangePages({ store, settings: { limitDefault: 20, limitMax: 100, hideInactive: false } })
  for (let n = 0; n < 8; n++) {
    await store.insert(topic, { id: `t${n}`, value: { id: `t${n}`, status: 'active', description: `${'ab'.repeat(60_000)}c` } })
  }
  const view = pages.view(QUERY, READER)
  const found: string[] = []
  let [after, count, hasMore] = [0, 0, true]
  while (hasMore) {
    const page = await pages.read(view, after, 100, TURNS)
    assert.ok(page.next > after)
    found.push(...page.items.map(({ record, document }) => `${document === undefined ? '-' : '+'}${record.id}`))
    ;[after, count, hasMore] = [page.next, count + 1, page.hasMore]
  }
  assert.ok(count > 1, 'the steps lasted for all')
  assert.deepEqual(found, Array.from({ length: 8 }, (_, n) => `+t${n}`))
  await store.insert(topic, { id: 'long', value: { id: 'long', status: 'active', description: `${'ab'.repeat(600_000)}c` } })
  await assert.rejects(async () => pages.read(view, after, 100, TURNS), /at most 1000000 steps for a document, found more/)
})

it('a long page leaves turns to other requests, and counts as several', async (t) => {
  const { store } = testStore(t)
  const pages = createChangePages({ store, settings: { limitDefault: 20, limitMax: 100, hideInactive: false } })
  for (let n = 0; n < 300; n++) await store.insert(topic, { id: `t${n}`, value: { id: `t${n}`, status: 'active', description: 'ab'.repeat(1_000) } })
  const view = pages.view({ ...QUERY, filter: { description: 'other' } }, READER)
  let turns = 0
  const reading = Promise.resolve(pages.read(view, 0, 1_000, TURNS))
  let isRead = false
  void reading.then(() => (isRead = true))
  for (; !isRead; turns++) await nextTurn()
  const page = await reading
  assert.deepEqual([page.items.length, page.next, page.hasMore], [0, 300, false])
  assert.ok(turns >= 5, `${turns} turns`)
  const counted: number[] = []
  const count = requestCounter((requests) => void counted.push(requests))
  count(page.steps)
  count(page.steps)
  assert.ok(counted.length === 2 && counted.every((requests) => requests >= 2), counted.join())
})
