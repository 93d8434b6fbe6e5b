/**
 * The service for all tests of a file, with a person of every role and the data endpoint by name. Requests are those of the
 * administrator where a test names no other caller.
 */
import assert from 'node:assert/strict'
import type { JsonObject } from '../../../src/base/json.ts'
import { bodyOf } from '../../../scripts/tools/data-bodies.ts'
import { newCast, type Cast } from '../cast.ts'
import type { ApiResponse, TestService, TestSettings } from './service.ts'
import { startSuiteService } from './suite-service.ts'

export interface By {
  readonly token: string | undefined
}
type Query = Readonly<Record<string, unknown>>

export interface Site extends Cast {
  readonly service: TestService
  readonly cast: Cast
  list(query: Query, by?: By): Promise<ApiResponse>
  read(model: string, id: unknown, by?: By): Promise<ApiResponse>
  create(model: string, body: unknown, by?: By): Promise<ApiResponse>
  replace(model: string, id: unknown, body: unknown, by?: By): Promise<ApiResponse>
  patch(model: string, id: unknown, body: unknown, by?: By): Promise<ApiResponse>
  remove(model: string, id: unknown, by?: By): Promise<ApiResponse>
  /** A new document of the model, whose body has these members. */
  made(model: string, members?: object, by?: By): Promise<JsonObject>
  /** Its id alone. */
  madeId(model: string, members?: object, by?: By): Promise<string>
  /** The document as an administrator reads it. */
  stored(model: string, id: unknown): Promise<JsonObject>
  /** A token of the API with these limits. */
  apiToken(limits: object): Promise<string>
  /** The records of the audit trail that match, newest first. */
  records(filter: object): Promise<readonly Record<string, unknown>[]>
}

export interface Page {
  readonly items: readonly JsonObject[]
  readonly cursor: string | null
  readonly hasMore: boolean
}

/** The page of a response, which has a cursor exactly where more follows. */
export function pageOf(response: ApiResponse): Page {
  assert.equal(response.status, 200, response.text)
  const page = response.at('data') as Page
  assert.equal(typeof page.cursor === 'string' && page.cursor !== '', page.hasMore, `hasMore is ${page.hasMore}, cursor ${page.cursor}`)
  return page
}

export async function startSite(settings: TestSettings = {}): Promise<Site> {
  const service = await startSuiteService(settings)
  const cast = await newCast(service)
  const { admin } = cast
  const send = (method: string, model: string, id: unknown, { token }: By, body?: unknown): Promise<ApiResponse> =>
    service.data(method, id === undefined ? '' : `/${String(id)}`, { model }, { token, ...(body === undefined ? {} : { body }) })
  const site: Site = {
    ...cast,
    service,
    cast,
    list: (query, { token } = admin) => service.data('GET', '', query, { token }),
    read: (model, id, by = admin) => send('GET', model, id, by),
    create: (model, body, by = admin) => send('POST', model, undefined, by, body),
    replace: (model, id, body, by = admin) => send('PUT', model, id, by, body),
    patch: (model, id, body, by = admin) => send('PATCH', model, id, by, body),
    remove: (model, id, by = admin) => send('DELETE', model, id, by),
    async made(model, members = {}, by) {
      const response = await site.create(model, { ...bodyOf(model), ...members }, by)
      assert.equal(response.status, 201, response.text.slice(0, 300))
      return response.at('data') as JsonObject
    },
    madeId: async (model, members, by) => String((await site.made(model, members, by))['id']),
    async stored(model, id) {
      const response = await site.read(model, id)
      assert.equal(response.status, 200, response.text)
      return response.at('data') as JsonObject
    },
    async apiToken(limits) {
      const body = { name: 'a test', ...limits }
      const response = await service.call('POST', '/api/v1/admin/tokens', { token: admin.token, body })
      assert.equal(response.status, 201, response.text)
      return String(response.at('data.token'))
    },
    async records(filter) {
      const path = `/api/v1/admin/audit?filter=${encodeURIComponent(JSON.stringify(filter))}`
      const response = await service.call('GET', path, { token: admin.token })
      assert.equal(response.status, 200, response.text)
      return response.at('data.items') as Record<string, unknown>[]
    },
  }
  return site
}
