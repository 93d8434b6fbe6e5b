/** Clients of openapi-fetch, with the types of openapi-typescript: for one model, and for the whole API. */
import createClient from 'openapi-fetch'
import type { paths } from './generated/openapi-typescript'
import type { components, paths as WholePaths } from './generated/whole'
import { followed, given, same } from './given'

const { url: baseUrl, token, title, corrected, body } = given
const headers = { Authorization: `Bearer ${token}` }
const client = createClient<paths>({ baseUrl, headers })
const model = 'headline'

/** The data of a response. Throws the failure. */
function dataOf<T>({ data, error }: { data?: { data: T }; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data.data
}

const start = dataOf(await client.GET('/api/v1/changes', { params: { query: { models: model, since: 'now' } } }))
const made = dataOf(await client.POST('/api/v1/data', { params: { query: { model } }, body }))
const filter = JSON.stringify({ title })
const page = dataOf(await client.GET('/api/v1/data', { params: { query: { model, filter, limit: 5 } } }))
same(page.items.map(({ id, source }) => [id, source.name]), [[made.id, made.source.name]])
const one = { path: { id: made.id }, query: { model } } as const
const read = dataOf(await client.GET('/api/v1/data/{id}', { params: one }))
same([read.title, read.type, read.updatedAt], [title, 'headline', made.updatedAt])
const type = { 'Content-Type': 'application/merge-patch+json' }
dataOf(await client.PATCH('/api/v1/data/{id}', { params: one, body: { title: corrected }, headers: type }))
const changes = dataOf(await client.GET('/api/v1/changes', { params: { query: { models: model, since: start.next } } }))
followed(made.id, changes.items.map(({ id, document }) => [id, document?.title, document?.topic.id]))

// Of the whole API, a document is of any model.
const whole = createClient<WholePaths>({ baseUrl, headers })
const all = dataOf(await whole.GET('/api/v1/changes', { params: { query: { models: model, since: start.next } } }))
const headlines = all.items.map(({ document }) => document as components['schemas']['Headline'])
same(headlines.map(({ title, source }) => [title, source.name]), [[corrected, made.source.name]])
