/**
 * Attack: a user stores preferences of two megabytes, and asks again and again with an empty body what replacing them
 * would refuse. Each time the whole document is parsed, which must not keep others waiting.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createDocuments } from '../../src/content/documents.ts'
import type { Caller } from '../../src/models/caller.ts'
import { user } from '../../src/models/user.ts'
import { userContentPreferences } from '../../src/models/user-content-preferences.ts'
import { PREFERENCES, TOPIC, USER } from '../support/service/data-bodies.ts'
import { testStore } from '../support/service/stores.ts'

const READER: Caller = { id: 'reader', appRole: 'standardUser', dashboardRole: 'none' }
const NUMBERS = 90_000
const TURNS_MIN = 20

const refuse = (): Promise<never> => Promise.reject(new Error('there are no invitations here'))

it('a check with a small body parses a long stored document in turns', async (t) => {
  const { store } = testStore(t)
  const documents = createDocuments({
    store,
    now: () => 0,
    newId: () => 'new',
    settings: { limitDefault: 20, limitMax: 100, hideInactive: false },
    invitations: { invite: refuse, check: refuse },
  })
  await store.insert(user, { id: READER.id, value: { ...USER, ...READER, email: 'reader@example.org' } })
  const topic = { ...TOPIC, numbers: Array.from({ length: NUMBERS }, () => 1) }
  await store.insert(userContentPreferences, { id: READER.id, value: { ...PREFERENCES, id: READER.id, followedTopics: [topic] } })

  let turns = 0
  let counting = setImmediate(function count() {
    turns++
    counting = setImmediate(count)
  })
  t.after(() => clearImmediate(counting))
  const sent = { body: {}, references: { bytesMax: 0 }, caller: READER }
  const problems = await documents.check(userContentPreferences, READER.id, () => Promise.resolve(sent), READER)
  assert.ok(problems.length > 0)
  assert.ok(turns >= TURNS_MIN, `${turns} turns of the event loop`)
})
