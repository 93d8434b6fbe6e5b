/**
 * A service that remembers pages, beside the same reads computed without any memory: random writes of all kinds, and after
 * each the responses of a few random reads, which must hold what is stored at that moment, byte for byte.
 */
import assert from 'node:assert/strict'
import { Failure } from '../../../src/base/failure.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { content } from '../../../src/base/text-parts.ts'
import { createDocuments } from '../../../src/content/documents.ts'
import { createRepeats } from '../../../src/content/repeatable.ts'
import type { Caller } from '../../../src/models/caller.ts'
import { headline } from '../../../src/models/headline.ts'
import { modelNamed } from '../../../src/models/registry.ts'
import { topic } from '../../../src/models/topic.ts'
import { openBulkWriter } from '../../../src/store/writes/bulk-writer.ts'
import { openDatabase } from '../../../src/store/db/database.ts'
import { searchRow } from '../../../src/store/search/pending-rows.ts'
import type { Random } from '../../../scripts/tools/random.ts'
import { HEADLINE, REMOTE_CONFIG_ID, SOURCE, SUMMARY_ID, TOPIC } from '../../../scripts/tools/data-bodies.ts'
import { databaseOf, type ApiResponse, type Signed, type TestService } from './service.ts'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'

export interface Read {
  readonly model: string
  /** A document of the model; without one, a list. */
  readonly id?: string
  readonly filter?: JsonObject
  readonly sort?: string
  readonly limit?: number
  /** Sent as a body. */
  readonly isPosted?: true
}

export interface ReadDifference {
  /** Writes something, in one of the ways there are. Returns which. */
  write(): Promise<string>
  /** Reads something; undefined where the response holds what is stored, else what was found. */
  read(): Promise<string | undefined>
  /** How many responses came as 304, and in each coding. */
  readonly seen: Map<string, number>
}

const STATUSES = ['active', 'draft', 'archived'] as const
const ROLES = ['none', 'none', 'publisher', 'admin'] as const
const LISTS: readonly Read[] = [
  { model: 'headline' },
  { model: 'headline', limit: 3, sort: 'title:asc' },
  { model: 'headline', filter: { status: 'active' }, sort: 'updatedAt:desc' },
  { model: 'headline', filter: { status: 'active' }, sort: 'updatedAt:desc', isPosted: true },
  { model: 'headline', filter: { q: 'ferry' } },
  { model: 'headline', filter: { title: { $regex: 'T1?$' } } },
  { model: 'topic' },
  { model: 'topic', filter: { name: { $gte: 'T' } }, sort: 'name:desc' },
  { model: 'source', limit: 0 },
  { model: 'source' },
  { model: 'country', filter: { usage: 'eventCountry' } },
  { model: 'country', filter: { hasActiveSources: true }, sort: 'name:asc' },
  { model: 'country', limit: 5 },
  { model: 'language' },
  { model: 'user', filter: { dashboardRole: { $ne: 'none' } } },
  { model: 'user' },
  { model: 'dashboard_summary' },
  { model: 'dashboard_summary', id: SUMMARY_ID },
  { model: 'remote_config' },
  { model: 'remote_config', id: REMOTE_CONFIG_ID },
]

/** The service must hide what is not active from readers, and give all callers the same settings as these. */
export const SETTINGS_COMPARED = { hideInactive: 'on', tokenHours: '720' } as const

export async function readDifference(t: Cleanup, service: TestService, random: Random): Promise<ReadDifference> {
  const { store } = service.app.services
  const refuse = (): never => assert.fail('no user is invited here')
  const documents = createDocuments({
    ...{ store, now: service.now, newId: () => '' },
    settings: { limitDefault: 20, limitMax: 100, hideInactive: true },
    invitations: { invite: refuse, check: refuse },
    trashMs: () => 0,
    live: () => ({ review: false }),
    repeats: createRepeats({ store, now: service.now }),
  })
  const admin = await service.admin()
  const other = await service.userWith('other@example.org', { dashboardRole: 'publisher' })
  const reader = await service.signIn('reader@example.org')
  const [ids, tags, seen] = [new Map<string, string[]>(), new Map<string, Map<string, string>>(), new Map<string, number>()]
  const countries = (await service.data('GET', '', { model: 'country', limit: 4 }, { token: admin.token })).at(
    'data.items',
  ) as JsonObject[]
  const file = databaseOf(service)
  const bulk = openBulkWriter({ file, isAlone: false, accountOf: refuse, now: () => 0 })
  const sql = openDatabase(file)
  t.after(() => bulk.close())
  t.after(() => sql.close())
  let number = 0

  const bodies: Readonly<Record<string, () => JsonObject>> = {
    topic: () => ({ ...TOPIC, name: `T${number++ % 7}`, status: random.pick(STATUSES) }),
    source: () => ({ ...SOURCE, headquarters: random.pick(countries), status: random.pick(STATUSES) }),
    headline: () => ({
      ...{ ...HEADLINE, title: `${random.pick(['Ferry', 'Train'])} T${number++ % 7}`, status: random.pick(STATUSES) },
      eventCountry: random.pick(countries),
    }),
  }
  const asAdmin = async (method: string, path: string, model: string, body?: JsonObject): Promise<ApiResponse> =>
    service.data(method, path, { model }, { token: admin.token, ...(body === undefined ? {} : { body }) })
  const idsOf = (model: string): string[] => ids.get(model) ?? (ids.set(model, []), ids.get(model) ?? [])
  const someId = (model: string): string | undefined => {
    const known = idsOf(model)
    return known.length === 0 ? undefined : random.pick(known)
  }

  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    async create() {
      const model = random.pick(Object.keys(bodies))
      const made = await asAdmin('POST', '', model, bodies[model]?.())
      assert.equal(made.status, 201, made.text)
      idsOf(model).push(String(made.at('data.id')))
    },
    async replace() {
      const model = random.pick(Object.keys(bodies))
      const id = someId(model)
      if (id !== undefined) await asAdmin('PUT', `/${id}`, model, { ...bodies[model]?.(), id })
    },
    async remove() {
      const model = random.pick(Object.keys(bodies))
      const known = idsOf(model)
      if (known.length > 4) await asAdmin('DELETE', `/${known.shift() ?? ''}`, model)
    },
    async configuration() {
      const stored = await asAdmin('GET', `/${REMOTE_CONFIG_ID}`, 'remote_config')
      const config = stored.at('data') as JsonObject
      const appStatus = { ...(config['appStatus'] as JsonObject), latestAppVersion: `1.${number++}.0` }
      assert.equal((await asAdmin('PUT', `/${REMOTE_CONFIG_ID}`, 'remote_config', { ...config, appStatus })).status, 200)
    },
    async roles() {
      const user = (await asAdmin('GET', `/${other.id}`, 'user')).at('data') as JsonObject
      const dashboardRole = random.pick(ROLES)
      assert.equal((await asAdmin('PUT', `/${other.id}`, 'user', { ...user, dashboardRole })).status, 200)
    },
    async account() {
      const guest = await service.guest()
      if (!random.oneIn(3)) await service.call('DELETE', '/api/v1/auth/delete-account', { token: guest.token })
    },
    async import() {
      const id = random.oneIn(2) ? (someId('headline') ?? 'imported-1') : `imported-${random.below(9)}`
      if (!idsOf('headline').includes(id)) idsOf('headline').push(id)
      const value: JsonObject = { ...bodies['headline']?.(), id }
      await bulk.transact((tables) => {
        const basis = tables.textOf(headline, id)
        return tables.write(headline, { id, doc: JSON.stringify(value), search: searchRow(headline, value), basis })
      }, !random.oneIn(4))
    },
    sql: async () =>
      void sql.run(`UPDATE ${topic.name} SET doc = json_set(doc, '$.description', ?) WHERE seq % 2 = 0`, `D${number++}`),
  }

  const callers: readonly Signed[] = [admin, other, reader]
  const roleOf = async ({ id }: Signed): Promise<Caller> => {
    const { appRole, dashboardRole } = JSON.parse(store.documents.get(modelOf('user'), id) ?? '{}') as Caller
    return { id, appRole, dashboardRole }
  }

  /** What the store says, without anything that was kept. */
  const computed = async (read: Read, caller: Caller): Promise<string | number> => {
    const [model, { id }] = [modelOf(read.model), read]
    const params = { filter: read.filter, sort: read.sort, limit: read.limit?.toString(), cursor: undefined }
    try {
      if (id !== undefined) return await documents.read(model, id, caller)
      const { signal } = new AbortController()
      const parts = await documents.list(model, { params, caller }, { signal, clientAddress: '192.0.2.1' })
      return parts.map((part) => Buffer.from(content(part) as Uint8Array).toString()).join('')
    } catch (error) {
      if (error instanceof Failure) return error.status
      throw error
    }
  }

  const send = async (read: Read, { token }: Signed, headers: Record<string, string>): Promise<ApiResponse> => {
    const { model, id, isPosted, ...query } = read
    if (isPosted === true) {
      return service.call('POST', `/api/v1/data/query?model=${model}`, { token, headers, body: query })
    }
    return service.data('GET', id === undefined ? '' : `/${id}`, { model, ...query }, { token, headers })
  }

  return {
    seen,
    async write() {
      const way = random.pick(Object.keys(ways))
      await ways[way]?.()
      return way
    },
    async read() {
      const model = random.pick(['headline', 'topic', 'source'])
      const id = someId(model)
      const read = random.oneIn(3) && id !== undefined ? { model, id } : random.pick(LISTS)
      const signed = random.pick(callers)
      const caller = await roleOf(signed)
      // As in the cache of a browser, in which one user follows another.
      const key = JSON.stringify(read)
      const known = tags.get(key) ?? new Map<string, string>()
      tags.set(key, known)
      const tag = random.oneIn(2) && known.size > 0 ? random.pick([...known.keys()]) : undefined
      const coding = random.pick(['identity', 'gzip', 'gzip, deflate, br, zstd', 'gzip;q=0.5, *;q=0'])
      const response = await send(read, signed, {
        'accept-encoding': coding,
        ...(tag === undefined || read.isPosted === true ? {} : { 'if-none-match': tag }),
      })
      const how = response.status === 304 ? '304' : (response.headers.get('content-encoding') ?? 'identity')
      seen.set(how, (seen.get(how) ?? 0) + 1)
      const wanted = await computed(read, caller)
      const found = response.status === 304 ? known.get(tag ?? '') : dataOf(response)
      const etag = response.headers.get('etag')
      if (response.status === 200 && etag !== null) known.set(etag, dataOf(response) as string)
      if (found === wanted) return undefined
      return `${JSON.stringify(read)} as ${caller.dashboardRole}, ${how}: expected ${wanted}, found ${found}`
    },
  }
}

function modelOf(name: string) {
  const model = modelNamed(name)
  assert.ok(model)
  return model
}

/** The text of `data`, or the status of a failure. */
function dataOf({ status, text }: ApiResponse): string | number {
  return status === 200 ? (/^\{"data":(.*),"metadata":\{[^{}]*\}\}$/s.exec(text)?.[1] ?? 'no envelope') : status
}
