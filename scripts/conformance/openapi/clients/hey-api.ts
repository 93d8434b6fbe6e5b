/** A client of @hey-api/openapi-ts. */
import { client } from './generated/hey-api/client.gen'
import * as api from './generated/hey-api'
import { followed, given, same } from './given'

const { url: baseUrl, token, title, corrected, body } = given
client.setConfig({ baseUrl, auth: token, throwOnError: true })
const model = 'headline'
const start = await api.changes<true>({ query: { models: model, since: 'now' } })
const made = (await api.createHeadline<true>({ query: { model }, body })).data.data
const page = (await api.listHeadlines<true>({ query: { model, filter: JSON.stringify({ title }), limit: 5 } })).data.data
same(page.items.map(({ id, source }) => [id, source.name]), [[made.id, made.source.name]])
const read = (await api.readHeadline<true>({ path: { id: made.id }, query: { model } })).data.data
same([read.title, read.type, read.updatedAt], [title, 'headline', made.updatedAt])
await api.patchHeadline<true>({ path: { id: made.id }, query: { model }, body: { title: corrected } })
const changes = (await api.changes<true>({ query: { models: model, since: start.data.data.next } })).data.data
followed(made.id, changes.items.map(({ id, document }) => [id, document?.title, document?.topic.id]))
