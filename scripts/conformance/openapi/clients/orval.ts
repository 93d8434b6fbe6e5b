/** A client of orval, which calls fetch() with a path. */
import * as api from './generated/orval'
import { followed, given, same } from './given'

const { url, token, title, corrected, body } = given
const send = globalThis.fetch
globalThis.fetch = (path, init) => {
  const headers = new Headers(init?.headers)
  headers.set('Authorization', `Bearer ${token}`)
  return send(new URL(String(path), url), { ...init, headers })
}

const model = 'headline'
const start = await api.changes({ models: model, since: 'now' })
const created = await api.createHeadline(body, { model })
if (start.status !== 200 || created.status !== 201) throw new Error(JSON.stringify([start, created]))
const made = created.data.data
const page = await api.listHeadlines({ model, filter: JSON.stringify({ title }), limit: 5 })
if (page.status !== 200) throw new Error(JSON.stringify(page))
same(page.data.data.items.map(({ id, source }) => [id, source.name]), [[made.id, made.source.name]])
const read = await api.readHeadline(made.id, { model })
if (read.status !== 200) throw new Error(JSON.stringify(read))
same([read.data.data.title, read.data.data.type, read.data.data.updatedAt], [title, 'headline', made.updatedAt])
const patched = await api.patchHeadline(made.id, { title: corrected }, { model })
const changes = await api.changes({ models: model, since: start.data.data.next })
if (patched.status !== 200 || changes.status !== 200) throw new Error(JSON.stringify([patched, changes]))
followed(made.id, changes.data.data.items.map(({ id, document }) => [id, document?.title, document?.topic.id]))
