/** Writes that share a transaction, and the rows of which are gathered, leave what they leave one after the other. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newAccount } from '../../src/auth/new-account.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { incompleteOf } from '../../src/models/incomplete.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import type { Model } from '../../src/models/schema.ts'
import { topic } from '../../src/models/topic.ts'
import { anyCaller, OPERATOR, SYSTEM, type Actor } from '../../src/store/actor.ts'
import type { Database } from '../../src/store/db/database.ts'
import { isIndexedText } from '../../src/store/search/pending-rows.ts'
import { wordFaults } from '../../src/store/search/word-index.ts'
import { changeFaults } from '../support/cluster/change-faults.ts'
import { seededRandom, seedOfTest, type Random } from '../../scripts/tools/random.ts'
import { openForTest, testStore } from '../../scripts/tools/stores.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { longRun } from '../../scripts/tools/long-run.ts'

const DATE = '2026-03-01T08:00:00.000Z'
const [BATCHES, IDS, JOBS_MAX] = [longRun(6, 12), longRun(120, 400), longRun(60, 90)]
const INCOMPLETE = incompleteOf(headline) ?? headline
const PLACES = [headline, topic, INCOMPLETE]
const USERS = ['ann', 'bob']

function actorOf(userId: string): Actor {
  const claim = { userId, jti: `session of ${userId}`, iat: 0, expiresAt: 60_000 }
  return { kind: 'caller', claim, authorize: anyCaller, origin: { clientAddress: '192.0.2.1', requestId: 'a request' } }
}

const ACTORS: readonly Actor[] = [SYSTEM, OPERATOR, ...USERS.map(actorOf)]

function documentOf(id: string, model: Model, title: string): { readonly id: string; readonly value: JsonObject } {
  const copies = { topic: { id: 't' }, source: { id: 's', name: 'Harbour News' }, eventCountry: { id: 'c' } }
  const status = model === INCOMPLETE ? 'draft' : 'active'
  const value = { id, title, excerpt: `of ${title}`, name: title, ...copies, status, createdAt: DATE, updatedAt: DATE }
  return { id, value: model === topic ? { id, name: title, status, createdAt: DATE, updatedAt: DATE } : value }
}

async function openSide(t: Cleanup) {
  const { store, dir } = testStore(t)
  for (const id of USERS) {
    const account = { id, email: `${id}@example.org`, appRole: 'standardUser', dashboardRole: 'publisher', now: 0 } as const
    await store.createAccount(newAccount({ ...account, language: {} }))
  }
  const reader = openForTest(t, dir.database)
  return { store, reader }
}

type Side = Awaited<ReturnType<typeof openSide>>
/** Returns what the write results in. */
type Operation = (side: Side) => Promise<unknown>

class OnPurpose extends Error {}

function randomOperation(random: Random, n: number): Operation {
  const [actor, model, id] = [random.pick(ACTORS), random.pick(PLACES), `d${random.below(IDS)}`]
  const document = documentOf(id, model, `ferry ${n}`)
  const change = (stored: JsonObject): JsonObject => ({ ...stored, title: `changed ${n}`, name: `changed ${n}` })
  const fail = (): never => {
    throw new OnPurpose()
  }
  const kinds: readonly Operation[] = [
    ({ store }) => store.as(actor).insert(model, document),
    ({ store }) => store.as(actor).insert(model, document),
    ({ store }) => store.as(actor).insert(model, document),
    ({ store }) => store.as(actor).update(model, id, change),
    ({ store }) => store.as(actor).remove(model, id, undefined),
    ({ store }) => store.as(actor).together((moment) => moment.textOf(model, id)),
    ({ store }) => store.as(actor).together((_, steps) => [steps.insert(model, document), steps.update(model, id, change)]),
    ({ store }) => store.as(actor).together((_, steps) => steps.revert(model, id, change)),
    ({ store }) => store.as(actor).together((_, steps) => steps.restore(model, id, () => {}).kind),
    ({ store }) => store.as(actor).together((_, steps) => steps.eraseTrashed(model, id)),
    ({ store }) => store.as(actor).insertMissing(model, [document, documentOf(`m${n}`, model, `missing ${n}`)]),
    ({ store }) => store.as(actor).together(fail),
    ({ store }) => store.as(actor).together((moment) => (moment.textOf(model, id) === undefined ? fail() : 'there')),
    ({ store }) => store.as(actor).together((_, steps) => (steps.insert(model, document) === 'inserted' && n % 4 === 0 ? fail() : 'kept')),
  ]
  return random.pick(kinds)
}

const outcomeOf = (side: Side, operation: Operation): Promise<unknown> =>
  operation(side).catch((error: unknown) => (error instanceof OnPurpose ? 'failed' : assert.fail(String(error))))

const TABLES = ['headline', 'headline_incomplete', 'topic', 'status_count', 'key_count', 'hour_count', 'model_version', 'trash']

/** All that follows from the order of the writes, but for what is drawn by lot. */
function contents(database: Database): unknown {
  const changes = database.all('SELECT seq, model, id, kind, at, actor, before, after, status_before FROM change ORDER BY seq')
  const records = database.all("SELECT json_remove(doc, '$.id') AS record FROM audit ORDER BY seq")
  const texts = database.all(`SELECT rowid AS seq, text FROM headline_search WHERE ${isIndexedText(headline)}
    UNION ALL SELECT seq, text FROM headline_search_pending ORDER BY seq`)
  const searched = texts.map(({ seq, text }) => `${String(seq)} ${String(text)}`)
  return [...TABLES.map((name) => database.all(`SELECT * FROM ${name} ORDER BY 1, 2`)), changes, records, searched]
}

it('writes of one turn result in, and store, what they do one after the other', async (t) => {
  const random = seededRandom(seedOfTest())
  t.diagnostic(`SEED=${random.seed}`)
  const [together, single] = [await openSide(t), await openSide(t)]
  const seen = new Set<unknown>()
  for (let batch = 0, n = 0; batch < BATCHES; batch++) {
    const operations = Array.from({ length: random.below(JOBS_MAX) }, () => randomOperation(random, n++))
    const outcomes = await Promise.all(operations.map((operation) => outcomeOf(together, operation)))
    for (const [i, operation] of operations.entries()) assert.deepEqual(outcomes[i], await outcomeOf(single, operation), `${batch}.${i}`)
    assert.deepEqual(contents(together.reader), contents(single.reader), `batch ${batch}`)
    for (const outcome of outcomes) if (typeof outcome === 'string') seen.add(outcome.slice(0, 8))
  }
  for (const wanted of ['inserted', 'exists', 'failed', 'kept']) assert.ok(seen.has(wanted), wanted)
  const faults = [together, single].flatMap(({ reader }) => [...changeFaults(reader, STORED_MODELS), ...wordFaults(reader, STORED_MODELS)])
  assert.deepEqual(faults, [])
})

it('a row that cannot be inserted takes no other job with it, whichever statement comes behind it', async (t) => {
  const side = await openSide(t)
  const { store, reader } = side
  reader.exec(`CREATE TRIGGER refuse BEFORE INSERT ON headline WHEN new.id = 'bad' BEGIN SELECT RAISE(ABORT, 'refused'); END`)
  const insert = (id: string): Promise<unknown> => store.as(actorOf('ann')).insert(headline, documentOf(id, headline, `ferry ${id}`))
  for (const behind of [() => insert('last'), () => store.together((moment) => moment.textOf(headline, 'first'))]) {
    const outcomes = await Promise.allSettled([insert('first'), insert('bad'), behind(), insert('more')])
    assert.deepEqual(outcomes.map(({ status }) => status), ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    assert.match(String((outcomes[1] as PromiseRejectedResult).reason), /refused/)
  }
  const ids = reader.all('SELECT id FROM headline ORDER BY seq').map(({ id }) => id)
  assert.deepEqual(ids, ['first', 'last', 'more'])
  assert.deepEqual(changeFaults(reader, STORED_MODELS), [])
  assert.equal(reader.get("SELECT count(*) AS n FROM audit WHERE doc ->> '$.event' = 'document.created'")?.['n'], ids.length)
})

it('a document is found by the writes behind it in the same transaction, and by none before its commit', async (t) => {
  const { store, reader } = await openSide(t)
  const [, found, other] = await Promise.all([
    store.insert(headline, documentOf('h', headline, 'ferry')),
    store.together((moment) => moment.textOf(headline, 'h')),
    store.together(() => reader.get("SELECT 1 FROM headline WHERE id = 'h'")),
  ])
  assert.match(String(found), /"title":"ferry"/)
  assert.equal(other, undefined)
  assert.match(String(store.documents.get(headline, 'h')), /"title":"ferry"/)
})
