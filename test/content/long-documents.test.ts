/**
 * Attacks: a user stores preferences of two megabytes, and asks again and again with an empty body what replacing them
 * would refuse; or asks for one member of each of a page of long documents. Each time all of it is parsed, which must not
 * keep others waiting.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createDocuments } from '../../src/content/documents.ts'
import { createRepeats } from '../../src/content/repeatable.ts'
import { readShape } from '../../src/content/reads/list-query.ts'
import type { Caller } from '../../src/models/caller.ts'
import { topic } from '../../src/models/topic.ts'
import { user } from '../../src/models/user.ts'
import { userContentPreferences } from '../../src/models/user-content-preferences.ts'
import { PREFERENCES, TOPIC, USER } from '../support/service/data-bodies.ts'
import { testStore } from '../support/service/stores.ts'
import type { Cleanup } from '../support/service/temporary-directory.ts'

const READER: Caller = { id: 'reader', appRole: 'standardUser', dashboardRole: 'none' }
const NUMBERS = 90_000
const TURNS_MIN = 20

const refuse = (): Promise<never> => Promise.reject(new Error('there are no invitations here'))

function testDocuments(t: Cleanup) {
  const { store } = testStore(t)
  const documents = createDocuments({
    store,
    now: () => 0,
    newId: () => 'new',
    settings: { limitDefault: 20, limitMax: 100, hideInactive: false },
    invitations: { invite: refuse, check: refuse },
    trashMs: () => 0,
    isReviewOn: () => false,
    repeats: createRepeats({ store, now: () => 0 }),
  })
  return { store, documents }
}

/** Counts the turns of the event loop from now on. */
function countTurns(t: Cleanup): () => number {
  let turns = 0
  let counting = setImmediate(function count() {
    turns++
    counting = setImmediate(count)
  })
  t.after(() => clearImmediate(counting))
  return () => turns
}

it('a check with a small body parses a long stored document in turns', async (t) => {
  const { store, documents } = testDocuments(t)
  await store.insert(user, { id: READER.id, value: { ...USER, ...READER, email: 'reader@example.org' } })
  const followed = { ...TOPIC, numbers: Array.from({ length: NUMBERS }, () => 1) }
  await store.insert(userContentPreferences, { id: READER.id, value: { ...PREFERENCES, id: READER.id, followedTopics: [followed] } })

  const turns = countTurns(t)
  const sent = { body: {}, references: { bytesMax: 0 }, caller: READER }
  const problems = await documents.check(userContentPreferences, READER.id, () => Promise.resolve(sent), READER)
  assert.ok(problems.length > 0)
  assert.ok(turns() >= TURNS_MIN, `${turns()} turns of the event loop`)
})

it('a list with fields parses a page of documents of 60 KB in turns', async (t) => {
  const { store, documents } = testDocuments(t)
  const ids = Array.from({ length: 60 }, (_, i) => `topic-${i}`)
  await store.insertMissing(topic, ids.map((id) => ({ id, value: { ...TOPIC, id, numbers: Array(30_000).fill(1) } })))
  const params = { filter: undefined, sort: undefined, limit: '60', cursor: undefined, fields: 'name' }
  const turns = countTurns(t)
  const request = { params, caller: READER }
  const connection = { signal: new AbortController().signal }
  const page = await documents.list(topic, () => request, READER, connection, readShape(topic, params))
  assert.equal(page.length > 0, true)
  assert.ok(turns() >= ids.length / 3, `${turns()} turns of the event loop`)
})
