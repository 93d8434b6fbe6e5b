/** Publications beside their documents, which the data endpoint has: their addresses, new secrets, and a look ahead. */
import { describe, fail } from '../base/failure.ts'
import { isObject, parseJson } from '../base/json.ts'
import { addressOfPublication, publicationAddresses } from '../content/publications/publication-addresses.ts'
import { readPaper } from '../content/publications/publication-reads.ts'
import { newPublicationSecret } from '../content/publications/publication-secrets.ts'
import { queryCallerOf } from '../content/reads/query-caller.ts'
import { requireAdministrator } from '../content/rules/access.ts'
import { checkPublication } from '../content/rules/publication-rules.ts'
import { validateDocument } from '../content/rules/validate.ts'
import type { BodyLimit } from '../http/exchange.ts'
import { publication, type PublicationDocument } from '../models/publication-model.ts'
import { publicationPreview, publicationSecret, publicationStates, type PublicationPreview } from '../models/responses.ts'
import type { Story } from '../publications/paper.ts'
import { endpointOn, type NamedSchema } from './endpoint.ts'
import type { Service } from './service-parts.ts'

/** Of a publication whose filter is as long as one in a URL. */
const DRAFT_LIMIT: BodyLimit = { bytesMax: 256 * 1024, isShort: true }

const PREVIEW_BODY: NamedSchema = {
  kind: 'schema',
  name: 'PreviewPublication',
  schema: {
    type: 'object',
    properties: {
      publication: { type: 'object', description: 'As the body of a new `publication`', additionalProperties: true, examples: [{ name: 'harbour-news', title: 'Harbour News', language: 'en', filter: '{}', pageSize: 30, members: ['source'], isPaused: false }] },
    },
    required: ['publication'],
  },
}

const endpoint = endpointOn<Service>('Administration')

export const PUBLICATIONS = [
  endpoint({
    route: 'GET /api/v1/publications',
    id: 'publications',
    access: 'editor',
    whoMay: 'publishers and administrators',
    summary: 'See the addresses of all publications',
    description: 'Publications are documents of the model `publication`, which administrators write; hide one with `isPaused`. At most 500.',
    response: publicationStates,
    errors: ['tooManyRequests'],
    client: 'admin.publications',
  }).handle(async ({ store, publicUrl }, exchange, { caller }) => ({ items: [...(await publicationAddresses(store, publicUrl(), queryCallerOf(caller, exchange)))] })),
  endpoint({
    route: 'POST /api/v1/admin/publications/preview',
    id: 'previewPublication',
    access: 'administrator',
    summary: 'See what readers of a publication would get, without storing it',
    body: PREVIEW_BODY,
    bodyLimit: DRAFT_LIMIT,
    response: publicationPreview,
    errors: ['badRequest', 'invalidInput', 'tooManyRequests'],
    client: 'admin.previewPublication',
  }).handle(async ({ store }, exchange, { caller }) => {
    const { publication: sent } = await exchange.readJson()
    if (!isObject(sent)) throw fail('invalidInput', `publication: expected an object, found ${describe(sent)}`)
    const generated = { id: 'preview', createdAt: '', updatedAt: '' }
    const valid = validateDocument(publication, sent, { generated })
    checkPublication(valid)
    const request = { choice: {}, cursor: undefined, limit: undefined, site: '', base: '', hub: undefined }
    const { stories, next } = await readPaper(store, valid as unknown as PublicationDocument, request, queryCallerOf(caller, exchange))
    return { stories: stories.map(previewOf), hasMore: next !== undefined }
  }),
  endpoint({
    route: 'POST /api/v1/admin/publications/:publication/secret',
    id: 'makePublicationSecret',
    access: 'administrator',
    summary: 'Make a new secret address of a publication, which only this response has',
    description: 'The former one ends immediately. It leads to the publication while `visibility` is `secret`.',
    status: 201,
    response: publicationSecret,
    errors: ['notFound'],
    client: 'admin.makePublicationSecret',
  }).handle(async ({ store, publicUrl }, { params }, { acting }) => {
    const id = params['publication'] ?? ''
    const secret = await newPublicationSecret(store, id, acting(requireAdministrator))
    const text = store.documents.get(publication, id)
    if (secret === undefined || text === undefined) throw fail('notFound', `No publication has the id ${describe(id)}`)
    const { name } = parseJson(text) as unknown as PublicationDocument
    return { secret, address: addressOfPublication(publicUrl(), name, secret) }
  }),
]

function previewOf({ title, url, publishedAt, updatedAt, excerpt, imageUrl, source, topic, eventCountry }: Story): PublicationPreview['stories'][number] {
  const names = { source: source?.name ?? null, topic: topic?.name ?? null, eventCountry: eventCountry?.name ?? null }
  return { title, url: url ?? '', publishedAt, updatedAt, excerpt: excerpt ?? null, imageUrl: imageUrl ?? null, ...names }
}
