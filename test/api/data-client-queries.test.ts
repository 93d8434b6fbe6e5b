// also: cache-off
/**
 * Every query that the mobile app and the dashboard send, on the sample content, decoded as strictly as they decode.
 *
 * What must come back is said by a few lines of plain JavaScript over everything there is. Each query must find
 * something, and leave something out, or it would prove nothing.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { seedSample } from '../../src/content/seeds/seeding.ts'
import { newCast, newPerson } from '../support/cast.ts'
import { decodeEnvelope, DECODERS, pageOf, type Page } from '../support/service/client-codec.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService()
await seedSample(service.app.services.store, { flagBaseUrl: 'https://flagcdn.com/h40', now: service.now() })
const cast = await newCast(service)
for (let i = 0; i < 12; i++) await newPerson(service, i % 3 === 0 ? 'premium' : 'standard', cast.admin.token)

type ModelName = keyof typeof DECODERS
interface Query {
  readonly model: string
  readonly cursor?: string
  readonly limit?: number
  readonly filter?: JsonObject
  readonly sort?: string
}

async function page(token: string, { model, ...query }: Query, userId?: string): Promise<Page<JsonObject>> {
  // In the order in which the clients send them.
  const { cursor, limit, filter, sort } = query
  const sent = Object.entries({ model, userId, cursor, limit, filter, sort }).filter(([, value]) => value !== undefined)
  const response = await service.data('GET', '', Object.fromEntries(sent), { token })
  assert.equal(response.status, 200, response.text)
  return decodeEnvelope<unknown>(response.body, pageOf<unknown>(DECODERS[model as ModelName])).data as Page<JsonObject>
}

async function everything(model: ModelName): Promise<JsonObject[]> {
  const items: JsonObject[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const next: Page<JsonObject> = await page(cast.admin.token, { model, limit: 100, ...(cursor === '' ? {} : { cursor }) })
    items.push(...next.items)
    cursor = next.cursor
  }
  return items
}

const all = {
  headline: await everything('headline'),
  topic: await everything('topic'),
  source: await everything('source'),
  country: await everything('country'),
  language: await everything('language'),
  user: await everything('user'),
}

const at = (item: JsonObject, path: string): unknown =>
  path.split('.').reduce<unknown>((found, step) => (found as JsonObject)[step], item)
const bytes = (a: unknown, b: unknown): number => Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))

/** The ids of those that hold, in the order of a sort such as `name:asc`, then by id. */
function expected(model: keyof typeof all, sort: string | undefined, holds: (item: JsonObject) => boolean): string[] {
  const [path = 'id', direction] = (sort ?? 'id:asc').split(':')
  const sign = direction === 'desc' ? -1 : 1
  const found = all[model].filter(holds).sort((a, b) => sign * bytes(at(a, path), at(b, path)) || bytes(a['id'], b['id']))
  return found.map(({ id }) => String(id))
}

const idsOf = (model: keyof typeof all, count: number): string[] => {
  // Those that the most headlines have, so that filters by them find something.
  const key = model === 'country' ? 'eventCountry.id' : `${model}.id`
  const counts = new Map<string, number>()
  for (const item of all.headline) counts.set(String(at(item, key)), (counts.get(String(at(item, key))) ?? 0) + 1)
  return [...counts]
    .sort((a, b) => b[1] - a[1] || bytes(a[0], b[0]))
    .slice(0, count)
    .map(([id]) => id)
}

const TOPICS = idsOf('topic', 3)
const isActive = (item: JsonObject): boolean => item['status'] === 'active'
const isIn =
  (path: string, ids: readonly string[]) =>
  (item: JsonObject): boolean =>
    ids.includes(String(at(item, path)))
const has =
  (path: string, text: string) =>
  (item: JsonObject): boolean =>
    String(at(item, path)).toLowerCase().includes(text.toLowerCase())
const both =
  (...tests: readonly ((item: JsonObject) => boolean)[]) =>
  (item: JsonObject): boolean =>
    tests.every((test) => test(item))
const everyItem = (): boolean => true
const used = (model: 'headline' | 'source', path: string): ((item: JsonObject) => boolean) => {
  const ids = all[model].filter(isActive).map((item) => String(at(item, path)))
  return isIn('id', ids)
}

interface Row {
  readonly screen: string
  readonly as: 'guest' | 'standard' | 'publisher' | 'admin'
  readonly query: Query & { readonly model: keyof typeof all }
  readonly holds: (item: JsonObject) => boolean
  /** Read to the end through cursors; else the first page alone. */
  readonly paged?: true
  /** A query for all documents. */
  readonly wholeModel?: true
  /** The order that the service gives where the client names none. */
  readonly order?: string
}

const FEED = { sort: 'updatedAt:desc', limit: 10 }
const search = (text: string): JsonObject => ({ $regex: text, $options: 'i' })

const rows: readonly Row[] = [
  {
    screen: 'mobile: feed',
    as: 'guest',
    query: { model: 'headline', filter: { status: 'active' }, ...FEED },
    holds: isActive,
    paged: true,
  },
  {
    screen: 'mobile: search',
    as: 'guest',
    query: { model: 'headline', filter: { title: search('THE') }, limit: 20 },
    holds: has('title', 'the'),
  },
  {
    screen: 'mobile: suggested topics but for those followed',
    as: 'standard',
    query: { model: 'topic', filter: { _id: { $nin: TOPICS }, status: 'active' }, sort: 'name:asc', limit: 5 },
    holds: both(isActive, (item) => !isIn('id', TOPICS)(item)),
  },
  {
    screen: 'mobile: choices of sources',
    as: 'guest',
    query: { model: 'source', filter: { status: 'active' }, sort: 'name:asc' },
    holds: isActive,
  },
  {
    screen: 'mobile: countries with headlines',
    as: 'guest',
    query: { model: 'country', filter: { hasActiveHeadlines: true }, sort: 'name:asc' },
    holds: used('headline', 'eventCountry.id'),
  },
  {
    screen: 'mobile, August: search of headlines',
    as: 'guest',
    query: { model: 'headline', filter: { q: 'the' }, sort: 'updatedAt:desc', limit: 10 },
    holds: has('title', 'the'),
    paged: true,
  },
  {
    screen: 'mobile, August: search of countries',
    as: 'guest',
    query: { model: 'country', filter: { q: 'an', hasActiveHeadlines: true }, limit: 3 },
    holds: both(has('name', 'an'), used('headline', 'eventCountry.id')),
    order: 'name:asc',
    paged: true,
  },
  {
    screen: 'mobile, August: countries of events',
    as: 'guest',
    query: { model: 'country', filter: { usage: 'eventCountry' } },
    holds: used('headline', 'eventCountry.id'),
    order: 'name:asc',
  },
  {
    screen: 'dashboard: headlines',
    as: 'publisher',
    query: { model: 'headline', filter: { status: 'draft' }, ...FEED },
    holds: isIn('status', ['draft']),
    paged: true,
  },
  {
    screen: 'dashboard: sources by type',
    as: 'publisher',
    query: { model: 'source', filter: { status: 'active', sourceType: { $in: ['blog', 'newsAgency'] } }, ...FEED },
    holds: both(isActive, isIn('sourceType', ['blog', 'newsAgency'])),
    paged: true,
  },
  {
    screen: 'dashboard: sources by language',
    as: 'publisher',
    query: { model: 'source', filter: { status: 'active', 'language.code': { $in: ['en', 'de'] } }, ...FEED },
    holds: both(isActive, isIn('language.code', ['en', 'de'])),
    paged: true,
  },
  ...(['source', 'topic', 'country', 'language'] as const).flatMap((model): Row[] => [
    {
      screen: `dashboard: picker of ${model}, searched`,
      as: 'publisher',
      query: { model, filter: { name: search('S') }, sort: 'name:asc', limit: 10 },
      holds: has('name', 's'),
      paged: true,
    },
  ]),
  {
    screen: 'dashboard, November: users',
    as: 'admin',
    query: { model: 'user', sort: 'createdAt:desc', limit: 10 },
    holds: everyItem,
    paged: true,
    wholeModel: true,
  },
  {
    screen: 'dashboard, November: users by role',
    as: 'admin',
    query: {
      model: 'user',
      filter: { appRole: { $in: ['premiumUser'] }, dashboardRole: { $in: ['none', 'admin'] } },
      sort: 'createdAt:desc',
      limit: 10,
    },
    holds: both(isIn('appRole', ['premiumUser']), isIn('dashboardRole', ['none', 'admin'])),
    paged: true,
  },
]

describe('the clients request', () => {
  for (const { screen, as, query, holds, paged, wholeModel, order } of rows) {
    it(screen, async () => {
      const wanted = expected(query.model, query.sort ?? order, holds)
      assert.ok(wanted.length > 0, 'the query finds nothing in the sample')
      assert.equal(wanted.length === all[query.model].length, wholeModel === true, 'the query leaves nothing out')
      const { id, token } = cast[as]
      const ids: string[] = []
      let last: Page<JsonObject> | undefined
      do {
        last = await page(token, { ...query, ...(last?.cursor == null ? {} : { cursor: last.cursor }) }, id)
        ids.push(...last.items.map((item) => String(item['id'])))
      } while (paged === true && last.hasMore)
      const isComplete = query.model === 'country' && query.limit === undefined
      const length = paged === true || isComplete ? wanted.length : Math.min(query.limit ?? 20, wanted.length)
      assert.deepEqual(ids, wanted.slice(0, length))
      assert.equal(last.hasMore, length < wanted.length)
    })
  }

  it('mobile: suggestions of 0 items, which an administrator can set', async () => {
    const query = { model: 'topic', filter: { _id: { $nin: [] }, status: 'active' }, sort: 'name:asc', limit: 0 }
    assert.deepEqual(await page(cast.guest.token, query), { items: [], cursor: null, hasMore: false })
  })
})
