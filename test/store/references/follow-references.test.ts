/** Copies of documents follow their changes: in steps, whatever happens between two of them, and nothing else changes. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { newAccount } from '../../../src/auth/new-account.ts'
import { parseJson, type JsonObject } from '../../../src/base/json.ts'
import { country } from '../../../src/models/country.ts'
import { embeddingsOf, HOLDERS } from '../../../src/models/embedding.ts'
import { headline } from '../../../src/models/headline.ts'
import { language } from '../../../src/models/language.ts'
import type { Model } from '../../../src/models/schema.ts'
import { source } from '../../../src/models/source.ts'
import { topic } from '../../../src/models/topic.ts'
import { userAppSettings } from '../../../src/models/user-app-settings.ts'
import { userContentPreferences } from '../../../src/models/user-content-preferences.ts'
import { copiesBehind } from '../../../src/store/references/reference-progress.ts'
import { changeFaults } from '../../support/cluster/change-faults.ts'
import { STORED_MODELS } from '../../../src/models/registry.ts'
import { bodyOf } from '../../../scripts/tools/data-bodies.ts'
import { openForTest, testStore, type SystemStore } from '../../../scripts/tools/stores.ts'

const DATES = { createdAt: '1970-01-01T00:00:00.000Z', updatedAt: '1970-01-01T00:00:00.000Z' }

const valueOf = (store: SystemStore, model: Model, id: string): JsonObject => parseJson(store.documents.get(model, id) ?? 'null') as JsonObject
const add = (store: SystemStore, model: Model, value: JsonObject): Promise<unknown> =>
  store.insert(model, { id: String(value['id']), value })
const change = (store: SystemStore, model: Model, id: string, members: JsonObject): Promise<unknown> =>
  store.update(model, id, (stored) => ({ ...stored, ...members }))

/** Steps until nothing is left to do; returns how many documents were changed. `between` runs between two steps. */
async function follow(store: SystemStore, between: (step: number) => Promise<unknown> = async () => {}): Promise<number> {
  let [upTo, changed] = [0, 0]
  for (let step = 0; ; step++) {
    await turn()
    const look = store.references.lookForWork(upTo)
    upTo = look.upTo
    if (look.found) changed += (await store.followReferences(upTo)).changed
    else if (!look.hasMore) return changed
    await between(step)
  }
}

/** A topic, a source with a language and a country, headlines, and a reader who follows and saved all of them. */
async function filled(store: SystemStore, headlines = 3) {
  const members = (model: string, id: string): JsonObject => ({ ...(bodyOf(model) as JsonObject), ...DATES, id })
  const [one, other] = [members('topic', 't1'), { ...members('topic', 't2'), name: 'Tides' }]
  const [iceland, icelandic] = [members('country', 'c1'), members('language', 'l1')]
  const post: JsonObject = { ...members('source', 's1'), language: icelandic, headquarters: iceland }
  const news = Array.from({ length: headlines }, (_, i): JsonObject => ({ ...members('headline', `h${i}`), source: post, topic: one, eventCountry: iceland }))
  for (const value of [one, other]) await add(store, topic, value)
  await add(store, country, iceland)
  await add(store, language, icelandic)
  await add(store, source, post)
  await Promise.all(news.map((value) => add(store, headline, value)))
  const reader = { id: 'reader', email: 'a@example.org', appRole: 'standardUser', dashboardRole: 'none', now: 0 } as const
  await store.createAccount(newAccount({ ...reader, language: icelandic }))
  const saved = { id: 'f', name: 'Sea', topics: [one, other], sources: [post], countries: [iceland] }
  const [first] = news as [JsonObject]
  await change(store, userContentPreferences, 'reader', {
    ...{ followedTopics: [one], followedSources: [post], followedCountries: [iceland], savedHeadlines: [first], savedFilters: [saved] },
  })
  return { one, other, iceland, icelandic, post, news }
}

it('every copy is found by an index, or by the table of copies in lists', () => {
  const found = HOLDERS.flatMap((model) => embeddingsOf(model).map(({ path, lists, target }) => `${model.name} ${[...lists, path].join(' ')}: ${target.name}`))
  assert.deepEqual(found.sort(), [
    ...['feed country: country', 'feed language: language', 'feed rules country: country', 'feed rules topic: topic'],
    ...['feed source: source', 'feed topic: topic', 'feed_rules rules country: country', 'feed_rules rules topic: topic'],
    ...['headline eventCountry: country', 'headline source: source', 'headline topic: topic'],
    ...['source headquarters: country', 'source language: language', 'user_app_settings language: language'],
    ...['user_content_preferences followedCountries : country', 'user_content_preferences followedSources : source'],
    ...['user_content_preferences followedTopics : topic', 'user_content_preferences savedFilters countries : country'],
    ...['user_content_preferences savedFilters sources : source', 'user_content_preferences savedFilters topics : topic'],
    'user_content_preferences savedHeadlines : headline',
  ])
  for (const model of HOLDERS) {
    for (const { path, lists } of embeddingsOf(model)) {
      if (lists.length === 0) assert.ok(model.indexes.some(([column]) => column === `${path}.id`), `${model.name} ${path}`)
    }
  }
})

it('copies follow through all that embeds them, to any depth, and nothing else of the documents changes', async (t) => {
  const { store, dir } = testStore(t)
  const { one, news } = await filled(store)
  assert.equal(await follow(store), 0, 'nothing is behind')
  await change(store, topic, 't1', { name: 'Ports' })
  await change(store, language, 'l1', { name: 'Islandic' })
  assert.ok((await follow(store)) >= 7)
  const [ports, post, islandic] = [valueOf(store, topic, 't1'), valueOf(store, source, 's1'), valueOf(store, language, 'l1')]
  assert.deepEqual(post['language'], islandic)
  for (const before of news) assert.deepEqual(valueOf(store, headline, String(before['id'])), { ...before, topic: ports, source: post })
  const preferences = valueOf(store, userContentPreferences, 'reader')
  assert.deepEqual(preferences['followedTopics'], [ports])
  assert.deepEqual(preferences['savedHeadlines'], [valueOf(store, headline, 'h0')])
  assert.deepEqual(preferences['followedSources'], [post])
  assert.deepEqual((preferences['savedFilters'] as JsonObject[])[0]?.['topics'], [ports, valueOf(store, topic, 't2')])
  assert.deepEqual(valueOf(store, userAppSettings, 'reader')['language'], islandic)
  const database = openForTest(t, dir.database, { readOnly: true })
  assert.deepEqual(changeFaults(database, STORED_MODELS), [])
  assert.deepEqual([...copiesBehind(database)], [])
  assert.notDeepEqual(ports, one)
})

it('a step goes on where the last one was committed, with the document as it is then', async (t) => {
  const { store } = testStore(t)
  await filled(store, 40)
  await change(store, topic, 't1', { name: 'First' })
  let done = 0
  await follow(store, async (step) => {
    const { work } = store.references.progress()
    if (step > 0 && work?.kind === 'document') done = Math.max(done, work.done)
    if (step === 1) await change(store, topic, 't1', { name: 'Second' })
    // Saved meanwhile by a person who had read it before.
    if (step === 2) await change(store, headline, 'h0', { title: 'Edited', topic: { ...(valueOf(store, topic, 't1')), name: 'First' } })
    if (step === 3) assert.equal(valueOf(store, headline, 'h39')['updatedAt'], DATES.updatedAt)
  })
  assert.ok(done > 20, `${done} documents`)
  for (let i = 0; i < 40; i++) assert.equal((valueOf(store, headline, `h${i}`)['topic'] as JsonObject)['name'], 'Second', `h${i}`)
  assert.equal(valueOf(store, headline, 'h0')['title'], 'Edited')
})

// As after an import, behind which a topic is renamed.
it('a step changes several documents with copies of earlier versions, and no more than a few', async (t) => {
  const { store } = testStore(t)
  await filled(store, 20)
  await change(store, topic, 't1', { name: 'Ports' })
  const changed: number[] = []
  for (let upTo = 0; ; ) {
    const look = store.references.lookForWork(upTo)
    upTo = look.upTo
    if (look.found) changed.push((await store.followReferences(upTo)).changed)
    else if (!look.hasMore) break
  }
  assert.equal(changed.filter((count) => count === 4).length >= 5, true, changed.join())
  assert.equal(Math.max(...changed), 4)
  for (let i = 0; i < 20; i++) assert.equal((valueOf(store, headline, `h${i}`)['topic'] as JsonObject)['name'], 'Ports')
})

it('a copy with values of its own stays as it was sent, one of an earlier version follows', async (t) => {
  const { store } = testStore(t)
  const { one, news } = await filled(store)
  await change(store, topic, 't1', { name: 'Ports', createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-03-01T00:00:00.000Z' })
  await follow(store)
  const [sent] = news as [JsonObject]
  const own = { ...sent, id: 'own', topic: { ...one, name: 'My own', updatedAt: '2025-10-02T09:30:00.000Z' } }
  const late = { ...sent, id: 'late', topic: { ...one, updatedAt: '2026-02-01T00:00:00.000Z' } }
  const again = { ...sent, id: 'again', topic: one }
  for (const value of [own, late, again]) await add(store, headline, value)
  assert.equal(await follow(store), 2)
  const names = ['own', 'late', 'again'].map((id) => (valueOf(store, headline, id)['topic'] as JsonObject)['name'])
  assert.deepEqual(names, ['My own', 'Ports', 'Ports'])
})

it('copies of a draft stay as they were until it is published', async (t) => {
  const { store } = testStore(t)
  await filled(store)
  await change(store, topic, 't1', { status: 'draft', name: 'Not yet' })
  assert.equal(await follow(store), 0)
  await change(store, topic, 't1', { status: 'archived', name: 'Once' })
  await follow(store)
  assert.deepEqual((valueOf(store, headline, 'h0')['topic'] as JsonObject)['name'], 'Once')
})

it('copies of a deleted document are kept, or become copies of the one that replaces it', async (t) => {
  const { store } = testStore(t)
  const { one, other } = await filled(store, 20)
  await store.remove(country, 'c1')
  await store.remove(topic, 't1', undefined, () => 't2')
  await follow(store)
  const replaced = valueOf(store, headline, 'h7')
  assert.deepEqual([replaced['topic'], (replaced['eventCountry'] as JsonObject)['id']], [other, 'c1'])
  const preferences = valueOf(store, userContentPreferences, 'reader')
  assert.deepEqual(preferences['followedTopics'], [other])
  assert.deepEqual((preferences['savedFilters'] as JsonObject[])[0]?.['topics'], [other], 'no topic stands twice in a list')
  // A person who had read it before saves it.
  await change(store, headline, 'h7', { topic: one })
  assert.equal(await follow(store), 1)
  assert.deepEqual(valueOf(store, headline, 'h7')['topic'], other)
  // There again: nothing takes its place any more.
  await add(store, topic, one)
  await change(store, headline, 'h7', { topic: one })
  await follow(store)
  await store.remove(topic, 't1')
  await follow(store)
  assert.deepEqual(valueOf(store, headline, 'h7')['topic'], one)
})

it('a repair compares all copies, also those with values of their own', async (t) => {
  const { store, dir } = testStore(t)
  const { one, news } = await filled(store, 30)
  await follow(store)
  await change(store, headline, 'h3', { topic: { ...one, name: 'My own' } })
  await follow(store)
  const database = openForTest(t, dir.database, { readOnly: true })
  assert.deepEqual([...copiesBehind(database)], [['headline', 1]])
  await store.beginReferenceRepair()
  assert.equal(await follow(store), 1)
  assert.deepEqual([...copiesBehind(database)], [])
  assert.deepEqual(valueOf(store, headline, 'h3'), news[3])
  assert.equal(store.references.progress().work, undefined)
})
