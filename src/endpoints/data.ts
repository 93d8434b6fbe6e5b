/**
 * The generic data endpoints. Every single document comes with its ETag, which names the document and not the bytes of
 * the response: each envelope has an id and a time of its own. It is strong, as the text of the document is the same.
 */
import type { Session } from '../auth/sessions.ts'
import { withValue, type Awaitable } from '../base/awaitable.ts'
import type { Clock } from '../base/clock.ts'
import { describe, fail } from '../base/failure.ts'
import { orNull } from '../base/json-schema.ts'
import { BYTES_PER_REQUEST } from '../auth/limits.ts'
import { requireDrafts, requireEditor, requireRole, writtenText } from '../content/rules/access.ts'
import { BATCH_OPERATIONS, BATCH_OPERATIONS_MAX } from '../content/batch.ts'
import type { ListRequest } from '../content/reads/document-reads.ts'
import type { SentBody } from '../content/documents.ts'
import { listKey, readFlag, readShape, visibilityOf, type ListParams, type PageShape } from '../content/reads/list-query.ts'
import type { PageFacts } from '../content/reads/page-cache.ts'
import { projectText, readProjection } from '../content/reads/projection.ts'
import { documentDependencies, listDependencies, mayBeKept } from '../content/reads/read-dependencies.ts'
import type { ReadResult } from '../content/reads/reads.ts'
import { readIdempotencyKey, type RepeatKey } from '../content/repeatable.ts'
import { entityTag, knownTags, NOTHING_KNOWN, readPreconditions, requirePreconditions } from '../http/entity-tag.ts'
import { created, ok, type BodyLimit, type Exchange, type HttpResponse, type JsonBodyOptions } from '../http/exchange.ts'
import type { KeptEnvelope } from '../http/representation.ts'
import type { Caller } from '../models/caller.ts'
import { MODELS, modelNamed } from '../models/registry.ts'
import { remoteConfig } from '../models/remote-config.ts'
import { documentCounts, documentProblems, queryPlan } from '../models/responses.ts'
import { placesOf } from '../models/incomplete.ts'
import { user } from '../models/user.ts'
import type { Model } from '../models/schema.ts'
import { endpointOn, type NamedSchema, type TextResponse } from './endpoint.ts'
import type { ReadService, Service } from './service-parts.ts'
import { paramsOfBody, paramsOfUrl, weightOf } from './list-params.ts'
import { wantedMailOf } from './invitation-sender.ts'
import { CHANGED_BY, COUNT, CURSOR, ETAG_EXAMPLE, FIELDS, INCOMPLETE, LIMIT, SEARCH, SORT, WRITABLE_MODELS } from './parameters.ts'
import type { Condition } from '../store/documents/transaction-view.ts'

/** The body of a query: a filter of 64 KiB in which each character is escaped, a cursor and a sort. */
const QUERY_LIMIT: BodyLimit = { bytesMax: 512 * 1024 }

const QUERY: NamedSchema = {
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

const BATCH: NamedSchema = {
  kind: 'schema',
  name: 'Batch',
  schema: {
    type: 'object',
    properties: {
      operations: {
        type: 'array',
        minItems: 1,
        maxItems: BATCH_OPERATIONS_MAX,
        items: {
          type: 'object',
          properties: {
            operation: { type: 'string', enum: [...BATCH_OPERATIONS], description: 'What to do' },
            model: { type: 'string', enum: WRITABLE_MODELS, description: 'Which kind of document' },
            id: { type: 'string', description: 'The document; none to create one' },
            body: { type: 'object', description: 'The document, or the merge patch; none to delete one' },
            ifMatch: { type: 'string', description: 'The ETag that the document must have' },
            replaceBy: { type: 'string', description: 'The document that takes the place of a deleted one in all copies' },
            seq: { type: 'integer', minimum: 1, description: 'The version that `restore` puts back; without it, out of the trash' },
          },
          required: ['operation', 'model'],
          additionalProperties: false,
        },
        examples: [
          [
            { operation: 'patch', model: 'topic', id: '66f000000000000000000301', body: { status: 'archived' } },
            { operation: 'delete', model: 'headline', id: '66f000000000000000000501', ifMatch: ETAG_EXAMPLE },
          ],
        ],
      },
    },
    required: ['operations'],
  },
}

const DOCUMENT: TextResponse = { kind: 'text', schema: 'Document', tagged: true }
const PAGE: TextResponse = { kind: 'text', schema: 'Page' }

/** For documents that are not users. */
export const NO_MAIL = { byMail: undefined, language: undefined, languages: [] }

const endpoint = endpointOn<Service>('Data')
const reading = endpointOn<ReadService>('Data')

const LIST = reading({
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

const QUERY_BY_BODY = reading({
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

const READ = reading({
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

export const DATA = [
  LIST,
  endpoint({
    route: 'POST /api/v1/data',
    id: 'create',
    byKeeper: true,
    reach: 'documents',
    access: 'limitedUser',
    operation: 'create',
    summary: 'Create a document',
    description:
      'A body of status `draft` may lack required members: it makes an incomplete draft, which only requests with ' +
      '`incomplete=true` find. With `Idempotency-Key`, the same request of the same caller within 24 hours gets the first ' +
      'response again. A user with a role in the dashboard is invited by mail where `--invitation-url` is set.',
    parameters: ['writableModel', 'invitation', 'language', 'idempotencyKey'],
    body: 'document',
    status: 201,
    response: DOCUMENT,
    errors: ['badRequest', 'invalidInput', 'methodNotAllowed', 'conflict', 'idempotencyKeyReused', 'networkError'],
    client: 'data.create',
  }).handle(async ({ content: { documents } }, exchange, session) => {
    const model = readModel(exchange)
    const wanted = { repeat: repeatKeyOf(exchange), mail: model === user ? wantedMailOf(exchange) : NO_MAIL }
    const text = await documents.create(model, () => readBody(exchange), session, wanted)
    return created(writtenText(model, text, session.caller), { ETag: entityTag(text) })
  }),
  QUERY_BY_BODY,
  endpoint({
    route: 'GET /api/v1/data/counts',
    id: 'counts',
    reach: 'documents',
    access: 'editor',
    operation: 'list',
    whoMay: 'publishers and administrators, of the models that they may list',
    summary: 'Count documents by status',
    description:
      'Counts what a list with these parameters has on all pages. Give the filter without `status`. The numbers of a whole ' +
      'model and of its statuses are exact, others up to 10,000, where `totalIsFloor` is true.',
    parameters: ['model', 'filter', 'search', 'changedBy', 'incomplete'],
    response: documentCounts,
    errors: ['badRequest', 'methodNotAllowed'],
    client: 'data.counts',
  }).handle(({ content: { documents } }, exchange, { caller }) =>
    documents.counts(readModel(exchange), { params: paramsOfUrl(exchange), caller }, exchange, includesDrafts(exchange)),
  ),
  endpoint({
    route: 'POST /api/v1/data/explain',
    id: 'explain',
    reach: 'documents',
    access: 'editor',
    operation: 'list',
    whoMay: 'publishers and administrators, of the models that they may list',
    summary: 'Explain a query: its index, its SQL, the rows it reads',
    description: 'The query runs on the stored data and is aborted shortly before its deadline.',
    parameters: ['writableModel'],
    body: QUERY,
    bodyLimit: QUERY_LIMIT,
    response: queryPlan,
    errors: ['badRequest', 'invalidInput', 'methodNotAllowed', 'tooManyRequests'],
    client: 'data.explain',
  }).handle(({ content: { documents }, now }, exchange, session) => {
    const readRequest = async (): Promise<ListRequest> => {
      const read = await readListBody(exchange, session, now)
      requireEditor(read.caller)
      return read
    }
    return documents.explain(readModel(exchange), readRequest, session.caller, exchange)
  }),
  endpoint({
    route: 'POST /api/v1/data/check',
    id: 'check',
    reach: 'documents',
    access: 'limitedUser',
    operation: 'create',
    summary: 'Validate a document without writing it',
    description:
      'Lists up to fifty problems of creating the document or, with `id`, of replacing that one. `path` is empty for the ' +
      'body as a whole. A draft may be stored with problems of the codes `required` and `blank` at its own members.',
    parameters: ['writableModel', 'id', 'incomplete'],
    body: 'draft',
    response: documentProblems,
    errors: ['badRequest', 'invalidInput', 'notFound', 'methodNotAllowed'],
    client: 'data.check',
  }).handle(async ({ content: { documents }, now }, exchange, session) => {
    const [model, id] = [readModel(exchange), exchange.query.get('id')]
    const sent = async () => ({ ...(await readBody(exchange)), caller: session.current(now()) })
    return { problems: await documents.check(model, id, sent, session.caller, includesDrafts(exchange)) }
  }),
  endpoint({
    route: 'POST /api/v1/data/batch',
    id: 'batch',
    byKeeper: true,
    reach: 'documents',
    access: 'limitedUser',
    whoMay: 'for each operation, those who may send it alone',
    summary: 'Create, replace, patch, delete and restore documents of any models in one transaction, all or nothing',
    description:
      'Up to 200 operations, each checked as the request of its own would be. Where one fails, nothing is written, and the ' +
      'failure is that of the operation: its message and its path begin with `operations[INDEX]`. Each counts as a request. ' +
      '`undo` puts back the version before the change that gave the ETag in `ifMatch`, with its former `updatedAt`.',
    parameters: ['incomplete', 'idempotencyKey'],
    body: BATCH,
    response: { kind: 'text', schema: 'BatchResults' },
    errors: [
      ...(['badRequest', 'invalidInput', 'notFound', 'methodNotAllowed', 'conflict', 'preconditionFailed'] as const),
      'idempotencyKeyReused',
    ],
  }).handle(async ({ content: { documents } }, exchange, by) => {
    const sent = await readBody(exchange)
    const { operations } = sent.body
    if (Array.isArray(operations)) exchange.weigh((operations.length - 1) * BYTES_PER_REQUEST)
    return ok(await documents.batch(sent, by, { repeat: repeatKeyOf(exchange), includes: includesDrafts(exchange) }))
  }),
  READ,
  endpoint({
    route: 'PUT /api/v1/data/:id',
    id: 'replace',
    byKeeper: true,
    reach: 'documents',
    access: 'limitedUser',
    operation: 'replace',
    summary: 'Replace a document',
    description:
      '`If-Match` with the ETag of the version that was read prevents lost updates. With `incomplete=true`, a body of ' +
      'status `draft` may lack required members.',
    parameters: ['writableModel', 'incomplete', 'ifMatch', 'ifNoneMatch'],
    body: 'document',
    response: DOCUMENT,
    errors: ['badRequest', 'invalidInput', 'notFound', 'methodNotAllowed', 'conflict', 'preconditionFailed'],
    client: 'data.replace',
  }).handle(async ({ content: { documents } }, exchange, by) => {
    const [model, condition] = [readModel(exchange), conditionOf(exchange)]
    const text = await documents.replace(model, itemId(exchange), () => readBody(exchange), { by, condition, includes: includesDrafts(exchange) })
    return ok(writtenText(model, text, by.caller), { ETag: entityTag(text) })
  }),
  endpoint({
    route: 'PATCH /api/v1/data/:id',
    id: 'patch',
    byKeeper: true,
    reach: 'documents',
    access: 'limitedUser',
    operation: 'replace',
    summary: 'Change members of a document',
    description:
      'A JSON merge patch (RFC 7396): members that are sent replace or extend the stored ones, null removes one, arrays ' +
      'are replaced as a whole. Where a document embeds another, `{"id": …}` alone is a reference and replaces the copy. ' +
      'The result is checked like the body of a `PUT`, on the document as it is when it is written.',
    parameters: ['writableModel', 'incomplete', 'ifMatch', 'ifNoneMatch'],
    body: 'patch',
    response: DOCUMENT,
    errors: ['badRequest', 'invalidInput', 'notFound', 'methodNotAllowed', 'conflict', 'preconditionFailed'],
    client: 'data.patch',
  }).handle(async ({ content: { documents } }, exchange, by) => {
    const [model, condition] = [readModel(exchange), conditionOf(exchange)]
    const readPatch = () => readBody(exchange, { isPatch: true })
    const text = await documents.patch(model, itemId(exchange), readPatch, { by, condition, includes: includesDrafts(exchange) })
    return ok(writtenText(model, text, by.caller), { ETag: entityTag(text) })
  }),
  endpoint({
    route: 'DELETE /api/v1/data/:id',
    id: 'remove',
    byKeeper: true,
    reach: 'documents',
    access: 'limitedUser',
    operation: 'remove',
    summary: 'Delete a document',
    description:
      'Content goes to the trash, out of every list, and can be restored for `--trash-days`. Copies of it in other documents ' +
      'are kept or, with `replaceBy`, become copies of another document, in the background.',
    parameters: ['writableModel', 'replaceBy', 'incomplete', 'ifMatch', 'ifNoneMatch'],
    errors: ['badRequest', 'notFound', 'methodNotAllowed', 'preconditionFailed'],
    client: 'data.remove',
  }).handle(({ content: { documents } }, exchange, by) => {
    const [model, condition] = [readModel(exchange), conditionOf(exchange)]
    const changing = { by, condition, includes: includesDrafts(exchange) }
    return documents.remove(model, itemId(exchange), changing, exchange.query.get('replaceBy'))
  }),
]

/** Those that only read: every thread serves them. */
export const DATA_READS = [LIST, QUERY_BY_BODY, READ]

async function readListBody(exchange: Exchange, session: Session, now: Clock): Promise<ListRequest> {
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

/** What the headers of the request require of the document that it changes. */
export function conditionOf(exchange: Exchange): Condition | undefined {
  const conditions = readPreconditions(exchange.headers)
  return conditions === undefined ? undefined : (text) => requirePreconditions(conditions, entityTag(text))
}

/** Whether incomplete drafts are there for the request. */
export function includesDrafts({ query }: Exchange): boolean {
  return readFlag('incomplete', query.get('incomplete'))
}

/** The key by which a client may repeat the request without doing it twice. */
export function repeatKeyOf({ headers, method, target }: Exchange): RepeatKey | undefined {
  const key = readIdempotencyKey(headers['idempotency-key'])
  return key === undefined ? undefined : { key, target: `${method} ${target}` }
}

export function readModel({ query }: Exchange): Model {
  const name = query.get('model')
  const model = name === undefined ? undefined : modelNamed(name)
  if (model !== undefined) return model
  const known = MODELS.map((one) => one.name).join(', ')
  const where = name === undefined ? ' in the URL, as in ?model=headline' : ''
  throw fail('badRequest', `Cannot read parameter "model": expected one of ${known}${where}, found ${describe(name)}`)
}

/** What references bring in has the limit of the body, and counts like it. */
export async function readBody(exchange: Exchange, options?: JsonBodyOptions): Promise<SentBody> {
  return { body: await exchange.readJson(options), references: referenceLimits(exchange) }
}

export function referenceLimits(exchange: Exchange): SentBody['references'] {
  return { bytesMax: exchange.bodyBytesMax, onGrowth: (bytes) => exchange.growBody(bytes) }
}

export function itemId({ params }: Exchange): string {
  return params['id'] ?? ''
}
