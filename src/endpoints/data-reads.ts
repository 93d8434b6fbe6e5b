/** Lists and documents as they are read: remembered pages first. Every thread serves these endpoints. */
import type { Session } from '../auth/sessions.ts'
import { withValue, type Awaitable } from '../base/awaitable.ts'
import type { Clock } from '../base/clock.ts'
import { orNull } from '../base/json-schema.ts'
import { requireDrafts, requireEditor, requireRole } from '../content/rules/access.ts'
import type { ListRequest } from '../content/reads/document-reads.ts'
import { listKey, readShape, visibilityOf, type ListParams, type PageShape } from '../content/reads/list-query.ts'
import type { PageFacts } from '../content/reads/page-cache.ts'
import { projectText, readProjection } from '../content/reads/projection.ts'
import { documentDependencies, listDependencies, mayBeKept } from '../content/reads/read-dependencies.ts'
import type { ReadResult } from '../content/reads/reads.ts'
import { knownTags, NOTHING_KNOWN } from '../http/entity-tag.ts'
import type { BodyLimit, Exchange, HttpResponse } from '../http/exchange.ts'
import type { KeptEnvelope } from '../http/representation.ts'
import type { Caller } from '../models/caller.ts'
import { remoteConfig } from '../models/remote-config.ts'
import { placesOf } from '../models/incomplete.ts'
import type { Model } from '../models/schema.ts'
import { includesDrafts, itemId, readModel } from './data-requests.ts'
import { endpointOn, type NamedSchema, type TextResponse } from './endpoint.ts'
import type { ReadService } from './service-parts.ts'
import { paramsOfBody, paramsOfUrl, weightOf } from './list-params.ts'
import { CHANGED_BY, COUNT, CURSOR, FIELDS, INCOMPLETE, LIMIT, SEARCH, SORT } from './parameters.ts'

/** The body of a query: a filter of 64 KiB in which each character is escaped, a cursor and a sort. */
export const QUERY_LIMIT: BodyLimit = { bytesMax: 512 * 1024 }

export const QUERY: NamedSchema = {
  kind: 'schema',
  name: 'Query',
  schema: {
    type: 'object',
    description: 'The parameters of a list as a body; null is as good as nothing',
    properties: {
      filter: orNull({ $ref: '#/components/schemas/Filter' }),
      search: { ...orNull(SEARCH), examples: [null] },
      changedBy: { ...orNull(CHANGED_BY), examples: [null] },
      sort: orNull(SORT),
      limit: orNull(LIMIT),
      cursor: { ...orNull(CURSOR), examples: [null] },
      fields: { ...orNull(FIELDS), examples: [null] },
      count: orNull(COUNT),
      incomplete: orNull(INCOMPLETE),
    },
  },
}

export const DOCUMENT: TextResponse = { kind: 'text', schema: 'Document', tagged: true }
const PAGE: TextResponse = { kind: 'text', schema: 'Page' }

const reading = endpointOn<ReadService>('Data')

export const LIST = reading({
  route: 'GET /api/v1/data',
  id: 'list',
  reach: 'documents',
  access: 'limitedUser',
  operation: 'list',
  summary: 'List documents of a model',
  description:
    'The `ETag` names the page until a document of the model changes: with `If-None-Match`, 304 without a body where the ' +
    'client has the current page.',
  parameters: ['model', 'filter', 'search', 'changedBy', 'sort', 'limit', 'cursor', 'fields', 'count', 'incomplete', 'ifNoneMatch'],
  response: { ...PAGE, tagged: true },
  others: [{ status: 304, description: 'The client has the current page' }],
  errors: ['badRequest', 'methodNotAllowed'],
  client: 'data.list',
}).handle((service, exchange, { caller }) => list(service, exchange, caller))

export const QUERY_BY_BODY = reading({
  route: 'POST /api/v1/data/query',
  id: 'query',
  reach: 'documents',
  access: 'limitedUser',
  operation: 'list',
  summary: 'List documents of a model, with a filter that is too long for a URL',
  parameters: ['model'],
  body: QUERY,
  bodyLimit: QUERY_LIMIT,
  response: PAGE,
  errors: ['badRequest', 'invalidInput', 'methodNotAllowed'],
  client: 'data.list',
}).handle(async ({ content, now }, exchange, session) => {
  const { documents, reads } = content
  const model = readModel(exchange)
  requireRole(model, 'list', session.caller)
  const { params, caller } = await readListBody(exchange, session, now)
  requireRole(model, 'list', caller)
  const shape = readShape(model, params)
  if (shape.includes) requireDrafts(model, caller)
  const result = await reads.read({
    ...listFacts(model, params, caller, shape),
    text: undefined,
    knownAs: NOTHING_KNOWN,
    namedBy: 'models',
    compute: () => documents.list(model, { params, caller }, exchange, shape),
  })
  return respond({ content }, exchange, model, result)
})

export const READ = reading({
  route: 'GET /api/v1/data/:id',
  id: 'read',
  reach: 'documents',
  access: 'limitedUser',
  operation: 'read',
  summary: 'Read a document',
  description:
    'With `If-None-Match`, 304 without a body where the client has the current version. With the setting ' +
    '`--public-remote-config`, `remote_config` is read without a token.',
  parameters: ['model', 'fields', 'incomplete', 'ifMatch', 'ifNoneMatch'],
  response: DOCUMENT,
  others: [{ status: 304, description: 'The client has the current version' }],
  errors: ['badRequest', 'notFound', 'methodNotAllowed', 'preconditionFailed'],
  client: 'data.get',
  forVisitors: {
    applies: ({ content: { publicRemoteConfig } }, exchange) =>
      publicRemoteConfig &&
      itemId(exchange) === remoteConfig.singleton &&
      exchange.query.get('model') === remoteConfig.name,
    serve: (service, exchange) => read(service, exchange, undefined),
  },
}).handle((service, exchange, { caller }) => read(service, exchange, caller))

/** Those that only read: every thread serves them. */
export const DATA_READS = [LIST, QUERY_BY_BODY, READ]

export async function readListBody(exchange: Exchange, session: Session, now: Clock): Promise<ListRequest> {
  const body = await exchange.readJson({ isDoneWhenRead: true })
  return { params: paramsOfBody(exchange, body), caller: session.current(now()) }
}

/** A page of a list, or 304 to a client that has it. */
function list(service: ReadService, exchange: Exchange, caller: Caller): Awaitable<HttpResponse> {
  const { documents, reads } = service.content
  // A page is not changed, so no request can mean the version of one that it changes.
  const noneMatch = exchange.headers['if-none-match']
  const knownAs = knownTags({ 'if-none-match': noneMatch })
  const text = textOf(exchange, caller)
  const page = reads.remembered(text)
  if (page !== undefined) {
    requireRole(page.model, 'list', caller)
    if (page.weight > 0) exchange.weigh(page.weight)
    const result = reads.fromPage(page, knownAs)
    if (result !== undefined) return respond(service, exchange, page.model, result)
  }
  const model = readModel(exchange)
  requireRole(model, 'list', caller)
  const params = paramsOfUrl(exchange)
  const shape = readShape(model, params)
  if (shape.includes) requireDrafts(model, caller)
  const reading = reads.read({
    ...listFacts(model, params, caller, shape),
    // A page with incomplete drafts is not found by its text, which does not say who may see them.
    ...{ text: shape.includes ? undefined : text, knownAs, isAnyKnown: noneMatch?.trim() === '*' },
    namedBy: 'models',
    compute: () => documents.list(model, { params, caller }, exchange, shape),
  })
  return withValue(reading, (result) => respond(service, exchange, model, result))
}

function listFacts(model: Model, params: ListParams, caller: Caller, shape: PageShape): PageFacts {
  if (params.changedBy !== undefined) requireEditor(caller)
  const key = listKey(model, params, caller, shape)
  const rests = [...listDependencies(model, params.filter, params.changedBy), ...placesOf(model, shape.includes).slice(1)]
  return { key, model, rests, weight: weightOf(params) }
}

/**
 * A document, or 304 to a client that has it. Whether it may be read at all is found out before its conditions. The
 * remote configuration may be read without a caller, where the operator has made it public.
 */
function read(service: ReadService, exchange: Exchange, caller: Caller | undefined): Awaitable<HttpResponse> {
  const { documents, reads } = service.content
  const knownAs = knownTags(exchange.headers)
  const text = textOf(exchange, caller)
  const page = reads.remembered(text)
  if (page !== undefined) {
    if (caller !== undefined) requireRole(page.model, 'read', caller)
    const result = reads.fromPage(page, knownAs)
    if (result !== undefined) return respond(service, exchange, page.model, result)
  }
  const [model, id] = [caller === undefined ? remoteConfig : readModel(exchange), itemId(exchange)]
  // A remembered page is served without another look at the caller.
  if (caller !== undefined) requireRole(model, 'read', caller)
  const projection = readProjection(model, exchange.query.get('fields'))
  // No path of a projection has a slash, and an id may have any sign.
  const key = projection === undefined ? `${model.name}/${id}` : `${model.name} ${projection.key}/${id}`
  const includes = caller !== undefined && includesDrafts(exchange)
  if (includes) requireDrafts(model, caller)
  const rests = [...documentDependencies(model), ...placesOf(model, includes).slice(1)]
  const reading = reads.read({
    ...{ key: includes ? `+incomplete ${key}` : key, model, rests, weight: 0 },
    document: rests.includes(model) ? id : undefined,
    ...{ text: includes ? undefined : text, knownAs },
    namedBy: 'content',
    compute: () => {
      const whole = caller === undefined ? documents.readPublic(model, id) : documents.read(model, id, caller, includes)
      return projection === undefined ? whole : withValue(whole, (document) => projectText(document, projection))
    },
  })
  return withValue(reading, (result) => respond(service, exchange, model, result))
}

/**
 * The response to a read. A cache may keep what everybody signed in may read, and has to ask each time whether it is still right
 * (`no-cache`); a document that only its owner may read is not stored. A tag in the response to a POST would name what another
 * request brings.
 */
function respond({ content }: Pick<ReadService, 'content'>, exchange: Exchange, model: Model, result: ReadResult<KeptEnvelope>): Awaitable<HttpResponse> {
  const isPosted = exchange.method === 'POST'
  const caching = mayBeKept(model) && !isPosted ? ASKED_AGAIN : NOT_STORED
  return content.represent(exchange, result, { tag: isPosted ? undefined : result.version, caching })
}

/**
 * The text under which a page is found again: the target says all of a read but what its caller may see. For readers it
 * is the target itself, which begins with a slash: putting a text together and hashing it would cost each of them more.
 */
function textOf({ target }: Exchange, caller: Caller | undefined): string {
  const visibility = visibilityOf(caller)
  return visibility === 'reader' ? target : `${visibility} ${target}`
}

const ASKED_AGAIN = 'private, no-cache'
const NOT_STORED = 'no-store'
