/** Searches for words over the index, compared with a look at each document; what check finds wrong; and erasure. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { searchedPaths } from '../../src/models/text-paths.ts'
import { and, eq, hasWords } from '../../src/query/ast.ts'
import { matches } from '../../src/query/match.ts'
import { soughtWords } from '../../src/query/words.ts'
import { execute, noEffort } from '../../src/store/query/executor.ts'
import { countQuery } from '../../src/store/query/find-query.ts'
import { planQuery, possiblePlans } from '../../src/store/query/planner.ts'
import { wordFaults } from '../../src/store/search/word-index.ts'
import { derivedFaults, hashesOf, inspect, openCluster } from '../support/cluster/cluster-stores.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'
import { openForTest, testStore, type SystemStore } from '../../scripts/tools/stores.ts'
import { longRun } from '../../scripts/tools/long-run.ts'

const DOCUMENTS = 300
const INDEXED = 240
const SEARCHES = longRun(25, 60)
const TEXTS = ['Ferry', 'ferries', 'Fährhafen', 'Ålegræsset', 'new', 'News', 'EU', 'Europe', '5', '50', "don't", 'مدرسة', 'Œuvre', 'line-up']

it('a search for words finds what a look at each document finds, by each plan, in pages and in counts', async (t) => {
  const random = seededRandom(seedOfTest())
  t.diagnostic(`SEED=${random.seed}`)
  const { store, dir } = testStore(t)
  const some = (max: number): string => random.list(max, () => random.pick(TEXTS)).join(' ')
  const documents = Array.from({ length: DOCUMENTS }, (_, i): { id: string; value: JsonObject } => {
    const [id, day] = [`h${i}`, String(random.below(28) + 1).padStart(2, '0')]
    const date = `2026-03-${day}T12:00:00.000Z`
    const [source, topic] = [{ id: 's', name: some(2) }, { id: 't', name: some(2) }]
    const texts = { title: `T ${some(3)}`, excerpt: `${some(6)} unique${i}` }
    const dates = { createdAt: date, updatedAt: date }
    return { id, value: { id, ...texts, source, topic, eventCountry: { id: 'c' }, ...dates, status: random.pick(['active', 'draft']) } }
  })
  // What came last and what was changed is pending, and the indexes have another text of some of it.
  const earlier = documents.slice(0, INDEXED).map((one, i) => (i % 9 === 0 ? { ...one, value: { ...one.value, title: some(3) } } : one))
  await store.insertMissing(headline, earlier)
  await store.insertMissing(headline, documents.slice(INDEXED))
  for (const [i, { id, value }] of earlier.entries()) if (i % 9 === 0) await store.update(headline, id, () => documents[i]?.value ?? value)
  const database = openForTest(t, dir.database)
  const pending = Number(database.get('SELECT count(*) AS n FROM headline_search_pending')?.['n'])
  assert.ok(pending > DOCUMENTS - INDEXED && pending < DOCUMENTS, `${pending} documents are pending`)
  let found = 0
  for (let i = 0; i < SEARCHES; i++) {
    const word = (): string => (random.oneIn(9) ? `unique${random.below(DOCUMENTS)}` : random.pick(TEXTS).slice(random.below(3)))
    const search = random.list(3, word).join(' ')
    const sought = soughtWords(search)
    if (sought.length === 0) continue
    const words = hasWords(searchedPaths(headline), sought)
    const filter = random.oneIn(2) ? words : and(eq(['status'], 'draft'), words)
    const wanted = documents
      .filter(({ value }) => matches(filter, value))
      .sort((a, b) => String(b.value['createdAt']).localeCompare(String(a.value['createdAt'])) || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id)
    found += wanted.length
    const about = `SEED=${random.seed}, ${search}`
    const query = { filter, sort: [{ path: ['createdAt'], descending: true }], limit: undefined, after: undefined }
    for (const mayTakeLong of [false, true]) {
      for (const { plan } of possiblePlans(database, headline, query, mayTakeLong)) {
        const page = execute(database, headline, { plan, query, effort: noEffort(), mayGoOn: () => true })
        assert.deepEqual(page?.items.map((text) => (JSON.parse(text) as { id: string }).id), wanted, `${about}, ${plan.access}`)
      }
      const counting = countQuery(filter, 10_000)
      const plan = planQuery(database, headline, counting, { mayTakeLong })
      const count = execute(database, headline, { plan, query: counting, effort: noEffort(), mayGoOn: () => true })
      assert.deepEqual(count, { total: wanted.length, isFloor: false }, about)
    }
    const first = await store.documents.find(headline, { ...query, limit: 5 }, { id: 'one', class: 'user' })
    const second = first.next && (await store.documents.find(headline, { ...query, limit: 100, after: first.next }, { id: 'one', class: 'user' }))
    const both = [...first.items, ...(second?.items ?? [])].map((text) => (JSON.parse(text) as { id: string }).id)
    assert.deepEqual(both, wanted.slice(0, 105), about)
  }
  assert.ok(found > SEARCHES, `${found} documents were found`)
  assert.deepEqual(wordFaults(database, [headline]), [])
  await Promise.all(documents.slice(100).map(({ id }) => store.remove(headline, id)))
  assert.deepEqual(wordFaults(database, [headline]), [])
  database.run("INSERT OR REPLACE INTO headline_search_words (rowid, words) VALUES (7, '')")
  assert.deepEqual(wordFaults(database, [headline]), ['the search index of headline differs from its documents'])
})

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
const GONE_EVERY = 3
/** An index keeps a term without what it shares with the one before, which is less than this of random words. */
const SHARED_CHARS_MAX = 5

/** Headlines with a word of their own in the title, and another in the excerpt. */
function ownWords(random: ReturnType<typeof seededRandom>, count: number) {
  const word = (): string => Array.from({ length: 14 }, () => random.pick(LETTERS)).join('')
  return Array.from({ length: count }, (_, i) => {
    const [id, title, excerpt] = [`h${i}`, word(), word()]
    const dates = { createdAt: '2026-03-01T12:00:00.000Z', updatedAt: '2026-03-01T12:00:00.000Z' }
    const value: JsonObject = { id, title: `Ferry ${title}`, excerpt: `News of ${excerpt}`, source: { id: 's', name: 'One' }, topic: { id: 't', name: 'Two' }, eventCountry: { id: 'c' }, ...dates, status: 'active' }
    return { id, value, words: [title, excerpt] }
  })
}

/** The words of which more than the beginning is in a file of a directory. */
function wordsIn(directory: string, words: readonly string[]): readonly string[] {
  const files = readdirSync(directory).filter((name) => name.startsWith('dateline.db'))
  const text = files.map((name) => readFileSync(join(directory, name), 'latin1')).join('\n').toLowerCase()
  return words.filter((word) => text.includes(word.slice(SHARED_CHARS_MAX)))
}

async function foundBy(store: SystemStore, word: string): Promise<number> {
  const filter = hasWords(searchedPaths(headline), soughtWords(word))
  return (await store.documents.find(headline, { filter, sort: [], limit: 2, after: undefined }, { id: 'one', class: 'user' })).items.length
}

it('words that only documents had which are gone for good are in no file', async (t) => {
  const random = seededRandom(seedOfTest())
  t.diagnostic(`SEED=${random.seed}`)
  const { store, dir } = testStore(t)
  const documents = ownWords(random, 220)
  await store.insertMissing(headline, documents.slice(0, 200))
  for (const one of documents.slice(200)) await store.insert(headline, one)
  const [gone, left] = [documents.filter((_, i) => i % GONE_EVERY === 0), documents.filter((_, i) => i % GONE_EVERY !== 0)]
  const goneWords = gone.flatMap(({ words }) => words)
  const replaced = left.slice(0, 20).flatMap(({ words: [title = ''] }) => [title])
  for (const { id } of left.slice(0, 20)) await store.update(headline, id, (stored) => ({ ...stored, title: 'Ferry' }))
  for (const { id } of gone) await store.remove(headline, id)
  const database = openForTest(t, dir.database, { readOnly: true })
  let steps = 0
  const erase = (): Promise<void> => store.eraseWords(async () => (steps++, true))
  await erase()
  assert.equal(wordsIn(dir.path, goneWords).length, goneWords.length, 'they are in the trash')
  while (await store.removeOldChanges(1, 1));
  assert.ok(steps > 0)
  await erase()
  assert.deepEqual(wordsIn(dir.path, [...goneWords, ...replaced]), [])
  assert.deepEqual(wordFaults(database, [headline]), [])
  assert.deepEqual(await Promise.all(gone.map(({ words: [word = ''] }) => foundBy(store, word))), gone.map(() => 0))
  assert.deepEqual(await Promise.all(left.map(({ words: [, word = ''] }) => foundBy(store, word.slice(2)))), left.map(() => 1))
  // The words come back with a document, and are found by their parts.
  const back = documents[0] as (typeof documents)[number]
  await store.insert(headline, back)
  assert.equal(await foundBy(store, back.words[0]?.slice(3) ?? ''), 1)
  assert.deepEqual(wordFaults(database, [headline]), [])
})

it('each node of a cluster erases words from its own indexes, and none of another', async (t) => {
  const random = seededRandom(seedOfTest())
  t.diagnostic(`SEED=${random.seed}`)
  const { nodes } = await openCluster(t, ['a', 'b'])
  const [a, b] = nodes
  const documents = ownWords(random, 40)
  await a.store.insertMissing(headline, documents)
  for (const { id } of documents.slice(20)) await b.store.remove(headline, id)
  await b.store.removeOldChanges(1, 1)
  await a.replication.newest()
  const goneWords = documents.slice(20).flatMap(({ words }) => words)
  const back = documents[30] as (typeof documents)[number]
  const before = a.replication.position()
  await a.store.eraseWords(async () => true)
  assert.equal(a.replication.position(), before, 'no entry tells of it')
  assert.deepEqual(wordsIn(a.dir.path, goneWords), [])
  assert.ok(wordsIn(b.dir.path, goneWords).length > 0)
  await Promise.all([b.store.eraseWords(async () => true), b.store.insert(headline, back)])
  assert.deepEqual(wordsIn(b.dir.path, goneWords.filter((word) => !back.words.includes(word))), [])
  for (const { replication } of nodes) await replication.newest()
  assert.deepEqual(hashesOf(a.dir), hashesOf(b.dir))
  for (const { dir, store } of nodes) {
    assert.deepEqual(inspect(dir, (database) => derivedFaults(database)), [])
    assert.equal(await foundBy(store, back.words[0] ?? ''), 1)
  }
})
