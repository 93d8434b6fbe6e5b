/** A client of openapi-generator, typescript-fetch. */
import { Configuration, DataApi } from './generated/typescript-fetch'
import { followed, given, same } from './given'

const { url: basePath, token: accessToken, title, corrected, body } = given
const api = new DataApi(new Configuration({ basePath, accessToken }))
const start = await api.changes({ models: 'headline', since: 'now' })
const { data: made } = await api.createHeadline({ model: 'headline', headlineBody: body })
const { data: page } = await api.listHeadlines({ model: 'headline', filter: JSON.stringify({ title }), limit: 5 })
same(page.items.map(({ id, source }) => [id, source.name]), [[made.id, made.source.name]])
const { data: read } = await api.readHeadline({ id: made.id, model: 'headline' })
same([read.title, read.type, read.updatedAt], [title, 'headline', made.updatedAt])
await api.patchHeadline({ id: made.id, model: 'headline', requestBody: { title: corrected } })
const { data: changes } = await api.changes({ models: 'headline', since: start.data.next })
followed(made.id, changes.items.map(({ id, document }) => [id, document?.title, document?.topic.id]))
