/** Items of feeds become headlines, each story once: whatever a feed does, and whatever people have done to its headlines. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { newAccount } from '../../../src/auth/new-account.ts'
import { DAY_MS } from '../../../src/base/duration.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { archiveOld, ingestItems, type IngestCounts } from '../../../src/content/feeds/ingest.ts'
import { keyOf, type TakenItem } from '../../../src/content/feeds/item-job.ts'
import type { IngestPace } from '../../../src/content/feeds/ingest-pace.ts'
import { readReasons, reasonText } from '../../../src/content/feeds/item-reasons.ts'
import type { FeedItem } from '../../../src/feeds/feed.ts'
import { audit } from '../../../src/models/audit.ts'
import { feed, feedRules } from '../../../src/models/feed-model.ts'
import { headline } from '../../../src/models/headline.ts'
import { incompleteOf } from '../../../src/models/incomplete.ts'
import type { Model } from '../../../src/models/schema.ts'
import { matchAll } from '../../../src/query/ast.ts'
import { OPERATOR, SYSTEM, type Actor } from '../../../src/store/actor.ts'
import { COUNTRY, FEED, HEADLINE, TOPIC } from '../../../scripts/tools/data-bodies.ts'
import { UNPACED } from '../../support/feeds/unpaced.ts'
import { testStore, type SystemStore, writerWith } from '../../../scripts/tools/stores.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const DRAFTS = incompleteOf(headline) as Model
const OTHER_FEED = { ...FEED, id: '66f000000000000000000777', address: 'https://other.example.org/feed', rules: [] }
/** One that stands in the store until a person has written it. */
const PERSON: Actor = OPERATOR

const item = (n: number | string, more: Partial<FeedItem> = {}): FeedItem => ({
  id: `tag:${n}`,
  title: `Story ${n}`,
  link: `https://harbour.example.org/a/${n}`,
  excerpt: `About ${n}.`,
  published: '2026-03-01T09:00:00.000Z',
  picture: `https://harbour.example.org/${n}.jpg`,
  categories: [],
  ...more,
})
const items = (...numbers: readonly (number | string)[]): FeedItem[] => numbers.map((n) => item(n))

async function openFeeds(t: TestContext, more: JsonObject = {}) {
  const { store } = testStore(t)
  await store.insert(feed, { id: FEED.id, value: { ...FEED, ...more } as unknown as JsonObject })
  await store.insert(feed, { id: OTHER_FEED.id, value: OTHER_FEED as unknown as JsonObject })
  let made = 0
  const read = async (read: readonly FeedItem[], { now = NOW, of = FEED as { id: string; address: string }, from = store as Pick<SystemStore, 'as'> } = {}) => {
    const counts = await ingestItems(
      { store: from, newId: () => `made-${++made}`, pace: UNPACED },
      { feedId: of.id, address: of.address, items: read, now, state: () => ({ nextAt: now + DAY_MS, state: { etag: String(read.length), lastReadMs: now } }) },
    )
    assert.notEqual(counts, 'gone')
    return counts as IngestCounts
  }
  return { store, read }
}

const query = { filter: matchAll, sort: [], limit: 1_000, after: undefined }
const CALLER = { key: 'test', class: 'dashboard' } as never
async function all(store: SystemStore, model: Model = headline): Promise<JsonObject[]> {
  const { items: texts } = await store.documents.find(model, query, CALLER)
  return texts.map((text) => JSON.parse(text) as JsonObject)
}
const titles = async (store: SystemStore, model?: Model): Promise<unknown[]> => (await all(store, model)).map(({ title }) => title).sort()

describe('ingestItems()', () => {
  it('makes a headline of each item, the oldest first, with the members of the feed', async (t) => {
    const { store, read } = await openFeeds(t)
    assert.deepEqual(await read(items(2, 1)), { created: 2, changed: 0, archived: 0, known: 0, dropped: 0, rejected: 0 })
    const [first, second] = await all(store)
    assert.deepEqual([first?.['title'], second?.['title']], ['Story 1', 'Story 2'])
    const { id, ...rest } = first as JsonObject
    assert.equal(id, 'made-1')
    assert.deepEqual(rest, {
      ...{ title: 'Story 1', excerpt: 'About 1.', url: 'https://harbour.example.org/a/1', imageUrl: 'https://harbour.example.org/1.jpg' },
      ...{ source: FEED.source, eventCountry: COUNTRY, topic: TOPIC, createdAt: '2026-03-01T12:00:00.000Z', updatedAt: '2026-03-01T12:00:00.000Z' },
      ...{ status: 'active', type: 'headline', publishedAt: '2026-03-01T09:00:00.000Z' },
    })
  })

  it('syncs once for all pieces of a feed, and never for a feed that has nothing new', async (t) => {
    const { store, read } = await openFeeds(t)
    let synced: boolean[] = []
    const recorded = (actor: Actor) => {
      const writer = store.as(actor)
      const together: typeof writer.together = (work, isSynced = true) => {
        synced.push(isSynced)
        return writer.together(work, isSynced)
      }
      return writerWith(writer, { together })
    }
    const from = { as: recorded as SystemStore['as'] }
    const many = items(...Array.from({ length: 70 }, (_, n) => n))
    await read(many, { from })
    assert.deepEqual(synced, [false, false, true])
    synced = []
    await read(many, { from })
    assert.deepEqual(synced, [false])
    synced = []
    // The last transaction could not know before that it would change something.
    await read(items(100, ...Array.from({ length: 69 }, (_, n) => n)), { from })
    assert.deepEqual(synced, [false, true])
  })

  it('takes nothing twice, and keeps what fetching has found out with it', async (t) => {
    const { store, read } = await openFeeds(t)
    await read(items(1, 2))
    assert.deepEqual(store.feeds.feedState(FEED.id), { feed: FEED.id, nextAt: NOW + DAY_MS, state: { etag: '2', lastReadMs: NOW } })
    assert.deepEqual(await read(items(3, 1, 2)), { created: 1, changed: 0, archived: 0, known: 2, dropped: 0, rejected: 0 })
    assert.deepEqual(await titles(store), ['Story 1', 'Story 2', 'Story 3'])
  })

  it('makes no second headline where the process ends behind any transaction', async (t) => {
    const many = Array.from({ length: 70 }, (_, n) => item(n))
    for (const left of [1, 2]) {
      const { store, read } = await openFeeds(t)
      let writes = 0
      const dying = {
        as: (actor: Actor) =>
          writerWith(store.as(actor), {
            together: async (work: never) => {
              if (++writes > left) throw new Error('killed')
              return store.as(actor).together(work)
            },
          }),
      } as unknown as Pick<SystemStore, 'as'>
      await assert.rejects(read(many, { from: dying }), /killed/)
      assert.equal(store.feeds.feedState(FEED.id), undefined)
      assert.equal((await all(store)).length, left * 25)
      await read(many)
      assert.equal((await all(store)).length, 70)
    }
  })

  it('says that a feed is gone that was deleted or has another address, and writes nothing', async (t) => {
    const { store, read } = await openFeeds(t)
    await assert.rejects(read(items(1), { of: { ...FEED, address: 'https://elsewhere.example/feed' } }))
    await store.remove(feed, FEED.id)
    await assert.rejects(read(items(1)))
    assert.deepEqual(await all(store), [])
  })

  it('tells what became of each item, behind each transaction, and why', async (t) => {
    const { store } = await openFeeds(t, { rules: [{ filter: '{"title":"Story 3"}', topic: null, country: null, arrival: null, drop: true }] as never })
    const told: unknown[][] = []
    const read = (read: readonly FeedItem[]) => {
      const onTaken = (taken: readonly TakenItem[]): void => void told.push(taken.map(({ item: { title }, outcome, headline: id, reasons }) => [title, outcome, id, reasonText(reasons)]))
      return ingestItems({ store, newId: () => `made-${told.length}`, pace: UNPACED }, { feedId: FEED.id, address: FEED.address, items: read, now: NOW, state: undefined, onTaken })
    }
    await read([{ title: '', categories: [] }, item(4, { link: item(1).link as string }), item(3), item(1)])
    await read([item(1, { title: 'Renamed' }), item(3)])
    const many = Array.from({ length: 105 }, (_, n) => item(n + 10))
    await read(many.slice(0, 21))
    await read(many)
    await read(many)
    assert.deepEqual(told.slice(0, 2), [
      [
        ['Story 1', 'created', 'made-0', undefined],
        ['Story 3', 'dropped', undefined, 'A rule drops it'],
        ['Story 4', 'known', 'made-0', 'Another item led to this page'],
        ['', 'rejected', undefined, 'It has neither id, link nor title'],
      ],
      [
        ['Story 3', 'unchanged', undefined, 'A rule drops it'],
        ['Renamed', 'changed', 'made-0', undefined],
      ],
    ])
    // 25 that are new, or a hundred that are not; those of the feed that are older come first.
    assert.deepEqual(told.slice(2).map((one) => one.length), [21, 25, 25, 25, 30, 100, 5])
  })

  it('adds one audit record for all transactions of a fetch, its retention included', async (t) => {
    const { store, read } = await openFeeds(t, { retentionItems: 30 })
    const recorded = async (): Promise<unknown[]> => (await all(store, audit)).map(({ event, details }) => [event, ...(details as { name: string; value: string }[]).map(({ name, value }) => `${name} ${value}`)])
    await read(Array.from({ length: 75 }, (_, n) => item(n)))
    assert.deepEqual(await recorded(), [['feed.read', 'created 75', 'archived 45']])
    // Only the retention has changed anything.
    await store.update(feed, FEED.id, (stored) => ({ ...stored, retentionItems: 5 }))
    await archiveOld({ store, pace: UNPACED }, { feedId: FEED.id, now: NOW })
    assert.deepEqual((await recorded()).filter((one) => String(one).startsWith('feed.read')), [['feed.read', 'created 75', 'archived 45'], ['feed.read', 'archived 25']])
  })

  it('adds it also where the feed is gone before the last transaction, or one fails', async (t) => {
    const many = Array.from({ length: 45 }, (_, n) => item(n))
    for (const end of ['gone', 'failed']) {
      const { store } = await openFeeds(t)
      let [runs, made] = [0, 0]
      const pace: IngestPace = {
        async run(transaction) {
          if (++runs === 2 && end === 'failed') throw new Error('no disk')
          if (runs === 2) await store.update(feed, FEED.id, (stored) => ({ ...stored, address: 'https://elsewhere.example/feed' }))
          return transaction(() => {})
        },
      }
      const reading = ingestItems({ store, newId: () => `made-${++made}`, pace }, { feedId: FEED.id, address: FEED.address, items: many, now: NOW, state: undefined })
      if (end === 'failed') await assert.rejects(reading, /no disk/)
      else assert.equal(await reading, 'gone')
      const records = (await all(store, audit)).filter(({ event }) => event === 'feed.read')
      assert.deepEqual(records.map(({ details }) => details), [[{ name: 'created', value: '25' }]])
    }
  })

  it('names the feed as the actor of the change and of one audit record', async (t) => {
    const { store, read } = await openFeeds(t)
    await read(items(1, 2))
    const [newest] = store.history.historyOf(headline, 'made-1', { limit: 1, before: undefined }).items
    assert.equal(newest?.actor, 'feed')
    const records = (await all(store, audit)).map(({ event, actor, role, documentId, details }) => ({ event, actor, role, documentId, details }))
    const details = [{ name: 'created', value: '2' }]
    assert.deepEqual(records, [{ event: 'feed.read', actor: FEED.id, role: 'feed', documentId: FEED.id, details }])
    await read(items(1, 2))
    assert.equal((await all(store, audit)).length, 1, 'nothing has changed')
  })
})

describe('one story', () => {
  const PAGE = 'https://harbour.example.org/a/1'
  const typed = { ...HEADLINE, id: 'typed', url: `http://harbour.example.org/a/1/?utm_source=mail#top` }

  it('comes once of two feeds, in whatever form its address is', async (t) => {
    const { store, read } = await openFeeds(t)
    await read(items(1))
    const other = item('x', { link: `${PAGE}/?utm_medium=rss&fbclid=7` })
    assert.equal((await read([other], { of: OTHER_FEED })).known, 1)
    assert.equal((await all(store)).length, 1)
    const [mine, theirs] = store.feeds.itemsOfHeadline('made-1')
    assert.deepEqual([mine?.feed, mine?.outcome, theirs?.feed, theirs?.outcome], [FEED.id, 'created', OTHER_FEED.id, 'known'])
  })

  it('does not come where its headline was typed by hand, also as an incomplete draft', async (t) => {
    for (const [model, value] of [[headline, typed], [DRAFTS, { id: 'typed', url: typed.url, status: 'draft' }]] as const) {
      const { store, read } = await openFeeds(t)
      await store.as(PERSON).insert(model, { id: 'typed', value: value as unknown as JsonObject })
      assert.equal((await read(items(1))).known, 1)
      assert.equal((await all(store)).length + (await all(store, DRAFTS)).length, 1)
    }
  })

  it('does not come back where its headline is in the trash, or was deleted for good, of a feed or of a person', async (t) => {
    const { store, read } = await openFeeds(t)
    await store.as(PERSON).insert(headline, { id: 'typed', value: typed as unknown as JsonObject })
    await store.as(PERSON).remove(headline, 'typed')
    await read([item(2)])
    await store.as(PERSON).remove(headline, 'made-1')
    const again = async (): Promise<void> => {
      assert.equal((await read([item(1), item(2), item('new', { link: item(2).link as string })], { now: NOW + DAY_MS })).created, 0)
      assert.equal((await read(items(1, 2), { of: OTHER_FEED })).created, 0)
      assert.deepEqual(await all(store), [])
    }
    await again()
    await store.as(PERSON).together((_, steps) => [steps.eraseTrashed(headline, 'typed'), steps.eraseTrashed(headline, 'made-1')])
    await again()
  })

  it('that a person takes out of the trash is that of the person', async (t) => {
    const { store, read } = await openFeeds(t)
    await read(items(1))
    await store.as(PERSON).remove(headline, 'made-1')
    await store.as(PERSON).together((_, steps) => steps.restore(headline, 'made-1', () => {}))
    assert.equal((await read([item(1, { title: 'Changed' })])).changed, 0)
    assert.deepEqual(await titles(store), ['Story 1'])
  })

  it('does not come again of a feed that changes all its ids, and follows the new ones', async (t) => {
    const { store, read } = await openFeeds(t)
    await read(items(1, 2))
    const renamed = items(1, 2).map((one) => ({ ...one, id: `https://new.example/${one.id}` }))
    assert.equal((await read(renamed)).created, 0)
    assert.equal((await read(renamed.map((one) => ({ ...one, title: `${one.title}!` })))).changed, 2)
    assert.deepEqual(await titles(store), ['Story 1!', 'Story 2!'])
  })

  it('of two items with one page is that of the first, and the second changes nothing', async (t) => {
    const { store, read } = await openFeeds(t)
    const [one, two] = [item('a', { link: `${PAGE}#1` }), item('b', { link: `${PAGE}#2` })]
    for (let round = 0; round < 3; round++) await read([two, one])
    assert.deepEqual(await titles(store), ['Story a'])
  })

  it('comes once of two items with one id, as the newer says it', async (t) => {
    const { store, read } = await openFeeds(t)
    assert.deepEqual(await read([item(1, { title: 'Newer', link: `${PAGE}/newer` }), item(1)]), { created: 1, changed: 1, archived: 0, known: 0, dropped: 0, rejected: 0 })
    assert.deepEqual(await titles(store), ['Newer'])
  })

  it('comes once of a feed without ids, and of one without links', async (t) => {
    const { store, read } = await openFeeds(t)
    const noId = item(1)
    const { id: _, ...withoutId } = noId
    const { id: _i, link: _l, ...bare } = item(2)
    for (let round = 0; round < 2; round++) await read([withoutId, bare])
    assert.deepEqual([await titles(store), await titles(store, DRAFTS)], [['Story 1'], ['Story 2']])
    assert.equal(keyOf({ categories: [] }), undefined)
    assert.equal((await read([{ categories: [], excerpt: 'Nothing to know it by' }])).rejected, 1)
  })

  it('comes back where no feed had it for half a year, but not where its feed has not changed since', async (t) => {
    const { store, read } = await openFeeds(t)
    await read(items(1, 2))
    await read(items(9), { of: OTHER_FEED })
    for (const id of ['made-1', 'made-2', 'made-3']) await store.as(PERSON).remove(headline, id)
    const later = NOW + 100 * DAY_MS
    await read(items(2), { now: later })
    while (await store.forgetUnseenItems(later - DAY_MS, later)) { /* in steps */ }
    assert.equal((await read(items(1, 2), { now: later })).created, 1)
    assert.equal((await read(items(9), { of: OTHER_FEED, now: later })).created, 0)
    assert.deepEqual(await titles(store), ['Story 1'])
  })
})

describe('a change of an item', () => {
  const changed = item(1, { title: 'New title', excerpt: 'New text.', picture: 'https://harbour.example.org/new.jpg', link: 'https://harbour.example.org/moved' })

  it('changes title, excerpt and picture, and nothing else', async (t) => {
    const { store, read } = await openFeeds(t)
    await read(items(1))
    const [before] = await all(store)
    assert.equal((await read([changed], { now: NOW + DAY_MS })).changed, 1)
    const [after] = await all(store)
    const texts = { title: 'New title', excerpt: 'New text.', imageUrl: 'https://harbour.example.org/new.jpg', updatedAt: '2026-03-02T12:00:00.000Z' }
    assert.deepEqual(after, { ...before, ...texts })
    assert.equal((await read([changed])).changed, 0)
  })

  for (const [what, model] of [['an administrator', headline], ['a person by an import', headline]] as const) {
    it(`changes nothing of a headline that ${what} has changed since`, async (t) => {
      const { store, read } = await openFeeds(t)
      await read(items(1))
      await store.as(PERSON).update(model, 'made-1', (stored) => ({ ...stored, topic: { ...TOPIC, id: 'another' } }))
      assert.equal((await read([changed])).changed, 0)
      assert.deepEqual(await titles(store), ['Story 1'])
    })
  }

  it('still reaches a headline whose copies have followed a topic', async (t) => {
    const { store, read } = await openFeeds(t)
    await read(items(1))
    await store.as(SYSTEM).update(headline, 'made-1', (stored) => ({ ...stored, topic: { ...TOPIC, name: 'Renamed' } }))
    assert.equal((await read([changed])).changed, 1)
  })

  it('gives a draft what it lacked, which makes it whole and no more', async (t) => {
    const { store, read } = await openFeeds(t)
    const { picture: _, ...bare } = item(1)
    await read([bare])
    assert.deepEqual([await titles(store), await titles(store, DRAFTS)], [[], ['Story 1']])
    assert.equal((await read(items(1))).changed, 1)
    assert.deepEqual([(await all(store))[0]?.['status'], await all(store, DRAFTS)], ['draft', []])
  })

  it('with a picture that is no link changes the rest', async (t) => {
    const { store, read } = await openFeeds(t)
    await read(items(1))
    assert.equal((await read([{ ...changed, picture: 'javascript:alert(1)' }])).changed, 1)
    const [after] = await all(store)
    assert.deepEqual([after?.['title'], after?.['imageUrl']], ['New title', 'https://harbour.example.org/1.jpg'])
  })
})

describe('an item that lacks something', () => {
  const LACKING: readonly [string, Partial<FeedItem>, JsonObject, RegExp][] = [
    ['a title', { title: '' }, {}, /^It lacks a title$/],
    ['a link', { link: undefined as never }, {}, /^It lacks a link$/],
    ['a picture, where the source has no logo', { picture: undefined as never }, {}, /^It lacks a picture: give the source a logo/],
    ['a topic', {}, { topic: null }, /^It lacks a topic: give the feed one/],
    ['a country', {}, { country: null }, /^It lacks a country/],
    ['a link of the web', { link: 'javascript:alert(1)' }, {}, /^It lacks a link\. url: expected an address/],
  ]
  for (const [what, lack, more, reason] of LACKING) {
    it(`becomes a draft without ${what}`, async (t) => {
      const { store, read } = await openFeeds(t, more)
      const given = Object.fromEntries(Object.entries({ ...item(1), ...lack }).filter(([, value]) => value !== undefined)) as unknown as FeedItem
      assert.equal((await read([given])).created, 1)
      const [draft] = await all(store, DRAFTS)
      assert.equal(draft?.['status'], 'draft')
      assert.match(reasonText(readReasons(store.feeds.keptItems(FEED.id)[0]?.reason)) ?? '', reason)
      assert.deepEqual(await all(store), [])
    })
  }

  it('of a picture has the logo of the source', async (t) => {
    const logoUrl = 'https://harbour.example.org/logo.png'
    const { store, read } = await openFeeds(t, { source: { ...FEED.source, logoUrl } })
    const { picture: _, ...bare } = item(1)
    await read([bare])
    assert.equal((await all(store))[0]?.['imageUrl'], logoUrl)
  })
})

describe('how items arrive', () => {
  it('is what the feed says: published, as drafts, or handed in', async (t) => {
    for (const [arrival, expected] of [['published', ['active', undefined]], ['draft', ['draft', undefined]], ['review', ['draft', '2026-03-01T12:00:00.000Z']]] as const) {
      const { store, read } = await openFeeds(t, { arrival })
      await read(items(1))
      const [{ status, handedInAt } = {} as JsonObject] = await all(store)
      assert.deepEqual([status, handedInAt], expected)
    }
  })

  it('is what the first rule that finds an item says, of the feed or of all', async (t) => {
    const rule = { filter: '{}', topic: null, country: null, arrival: null, drop: false }
    const sport = { ...TOPIC, id: 'sport', name: 'Sport' }
    const rules = [{ ...rule, filter: '{"categories":"Sport"}', topic: sport, arrival: 'draft' }, { ...rule, filter: '{"title":{"$regex":"advert","$options":"i"}}', drop: true }]
    const { store, read } = await openFeeds(t, { rules })
    const [shared, island] = [feedRules.singleton ?? '', { ...COUNTRY, id: 'island' }]
    const ofAll = [{ ...rule, topic: { ...TOPIC, id: 'never' }, country: island, filter: '{"categories":"Sport"}' }]
    await store.insert(feedRules, { id: shared, value: { id: shared, rules: ofAll } })
    const counts = await read([item(1, { categories: ['News', 'Sport'] }), item(2), item(3, { title: 'ADVERTISEMENT' })])
    assert.deepEqual([counts.created, counts.dropped], [2, 1])
    const found = (await all(store)).map(({ title, status, topic, eventCountry }) => [title, status, (topic as JsonObject)['id'], (eventCountry as JsonObject)['id']])
    assert.deepEqual(found, [['Story 2', 'active', TOPIC.id, COUNTRY.id], ['Story 1', 'draft', 'sport', 'island']])
    assert.equal((await read([item(3, { title: 'ADVERTISEMENT' })])).created, 0)
  })
})

describe('retention', () => {
  const statuses = async (store: SystemStore): Promise<Record<string, unknown>> =>
    Object.fromEntries((await all(store)).map(({ title, status }) => [String(title), status]))

  it('archives what is older than its days', async (t) => {
    const { store, read } = await openFeeds(t, { retentionDays: 7 })
    await read(items(1))
    await read(items(2), { now: NOW + 6 * DAY_MS })
    assert.equal((await read([], { now: NOW + 7 * DAY_MS })).archived, 0)
    assert.equal((await read([], { now: NOW + 7 * DAY_MS + 1 })).archived, 1)
    assert.deepEqual(await statuses(store), { 'Story 1': 'archived', 'Story 2': 'active' })
    assert.equal((await read(items(1), { now: NOW + 8 * DAY_MS })).created, 0)
  })

  it('archives what is beyond its number, but not what a person has changed or a reader has saved', async (t) => {
    const { store, read } = await openFeeds(t, { retentionItems: 2 })
    await read(items(2, 1))
    await store.as(PERSON).update(headline, 'made-1', (stored) => ({ ...stored, title: 'Edited' }))
    const user = { id: 'reader', email: 'reader@example.org', appRole: 'standardUser', dashboardRole: 'none' } as const
    const account = newAccount({ ...user, now: NOW, language: {} })
    await store.createAccount({ ...account, preferences: { ...account.preferences, savedHeadlines: [{ id: 'made-2' }] } })
    await read(Array.from({ length: 45 }, (_, n) => item(`n${n}`)), { now: NOW + 1 })
    const after = await statuses(store)
    const active = Object.entries(after).flatMap(([title, status]) => (status === 'active' ? [title] : [])).sort()
    assert.deepEqual(active, ['Edited', 'Story 2', 'Story n0', 'Story n1'])
  })
})

describe('what a feed sends against us', () => {
  it('markup in its texts is text', async (t) => {
    const { store, read } = await openFeeds(t)
    const title = '<script>alert(1)</script><img src=x onerror=alert(1)>'
    await read([item(1, { title, excerpt: title })])
    const [found] = await all(store)
    assert.deepEqual([found?.['title'], found?.['excerpt']], [title, title])
  })

  it('its own publication, with the addresses of stored headlines, brings nothing', async (t) => {
    const { store, read } = await openFeeds(t)
    await read(items(1, 2, 3))
    const loop = (await all(store)).map(({ title, url }, n): FeedItem => ({ id: `loop ${n}`, title: String(title), link: String(url), categories: [] }))
    assert.equal((await read(loop, { of: OTHER_FEED })).created, 0)
  })

  it('texts that no document may have, and ten megabytes of a title, are cut to what it may', async (t) => {
    const { store, read } = await openFeeds(t)
    const texts = { id: `\ud800${'k'.repeat(10_000)}`, title: `\u0000a\ud800 ${'t'.repeat(10_000_000)}`, excerpt: 'x\u0007y', categories: Array.from({ length: 5_000 }, () => 'c'.repeat(5_000)) }
    assert.equal((await read([item(1, texts)])).created, 1)
    const [found] = await all(store)
    assert.equal(String(found?.['title']).length, 500)
    assert.equal(found?.['excerpt'], 'x y')
    assert.ok((store.feeds.keptItems(FEED.id)[0]?.item ?? '').length < 20_000)
    assert.equal((await read([item(1, texts)])).created, 0)
  })

  it('keeps what the newest hundred items say, and the keys of all', async (t) => {
    const { store, read } = await openFeeds(t)
    await read(Array.from({ length: 150 }, (_, n) => item(n)))
    assert.equal(store.feeds.keptItems(FEED.id).length, 100)
    assert.equal((await read(Array.from({ length: 150 }, (_, n) => item(n)))).created, 0)
  })
})
