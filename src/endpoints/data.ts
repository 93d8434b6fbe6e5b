/**
 * The generic data endpoints. Every single document comes with its ETag, which names the document and not the bytes of
 * the response: each envelope has an id and a time of its own. It is strong, as the text of the document is the same.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Session } from '../auth/sessions.ts'
import { withValue, type Awaitable } from '../base/awaitable.ts'
import type { Clock } from '../base/clock.ts'
import { describe, fail } from '../base/failure.ts'
import type { JsonSchema } from '../base/json-schema.ts'
import { requireEditor, requireRole } from '../content/access.ts'
import type { ListRequest, Documents, SentBody } from '../content/documents.ts'
import { listKey, visibilityOf, type ListParams } from '../content/list-query.ts'
import type { PageFacts } from '../content/page-cache.ts'
import { documentDependencies, listDependencies } from '../content/read-dependencies.ts'
import type { Reads } from '../content/reads.ts'
import type { EnvelopeCoder } from '../http/coding/envelope-coder.ts'
import { entityTag } from '../http/request/entity-tag.ts'
import { created, ok, type Exchange, type HttpResponse } from '../http/request/exchange.ts'
import { knownTag, readPreconditions, requirePreconditions } from '../http/request/preconditions.ts'
import type { Caller } from '../models/caller.ts'
import { MODELS, modelNamed } from '../models/registry.ts'
import { remoteConfig } from '../models/remote-config.ts'
import { documentProblems, queryPlan } from '../models/responses.ts'
import type { Model } from '../models/schema.ts'
import type { Condition } from '../store/store.ts'
import { endpointOn, type NamedSchema, type TextResponse } from './endpoint.ts'
import { respondTo } from './data-responses.ts'
import { paramsOfBody, paramsOfUrl, weightOf } from './list-params.ts'
import { CURSOR, LIMIT, SORT } from './parameters.ts'

export interface DataContext {
  readonly documents: Documents
  readonly reads: Reads
  readonly coder: EnvelopeCoder
  readonly now: Clock
  /** Without a session: mobile apps since September 2025 read it before they have a token, or with an expired one. */
  readonly publicRemoteConfig: boolean
}

/** The body of a query: a filter of 64 KiB in which each character is escaped, a cursor and a sort. */
const QUERY_BYTES_MAX = 512 * 1024

const QUERY: NamedSchema = {
  kind: 'schema',
  name: 'Query',
  schema: {
    type: 'object',
    description: 'The parameters of a list as a body; null is as good as nothing',
    properties: {
      filter: orNull({ $ref: '#/components/schemas/Filter' }),
      sort: orNull(SORT),
      limit: orNull(LIMIT),
      cursor: { ...orNull(CURSOR), examples: [null] },
    },
  },
}

const DOCUMENT: TextResponse = { kind: 'text', schema: 'Document', tagged: true }
const PAGE: TextResponse = { kind: 'text', schema: 'Page' }

const endpoint = endpointOn<DataContext>('Data')

export const DATA = [
  endpoint({
    route: 'GET /api/v1/data',
    id: 'list',
    access: 'limitedUser',
    operation: 'list',
    summary: 'List documents of a model',
    description:
      'The `ETag` names the page until a document of the model changes: with `If-None-Match`, 304 without a body where the ' +
      'client has the current page.',
    parameters: ['model', 'filter', 'sort', 'limit', 'cursor', 'ifNoneMatch'],
    response: { ...PAGE, tagged: true },
    others: [{ status: 304, description: 'The client has the current page' }],
    errors: ['badRequest', 'methodNotAllowed'],
    client: 'data.list',
  }).handle((context, exchange, { caller }) => list(context, exchange, caller)),
  endpoint({
    route: 'POST /api/v1/data',
    id: 'create',
    access: 'limitedUser',
    operation: 'create',
    summary: 'Create a document',
    parameters: ['model'],
    body: 'document',
    status: 201,
    response: DOCUMENT,
    errors: ['badRequest', 'invalidInput', 'methodNotAllowed', 'conflict'],
    client: 'data.create',
  }).handle(async ({ documents }, exchange, session) => {
    const text = await documents.create(readModel(exchange), () => readBody(exchange), session)
    return created(text, { ETag: entityTag(text) })
  }),
  endpoint({
    route: 'POST /api/v1/data/query',
    id: 'query',
    access: 'limitedUser',
    operation: 'list',
    summary: 'List documents of a model, with a filter that is too long for a URL',
    parameters: ['model'],
    body: QUERY,
    response: PAGE,
    errors: ['badRequest', 'invalidInput', 'methodNotAllowed'],
    client: 'data.list',
  }).handle(async ({ documents, reads, coder, now }, exchange, session) => {
    const model = readModel(exchange)
    requireRole(model, 'list', session.caller)
    const { params, caller } = await readListBody(exchange, session, now)
    requireRole(model, 'list', caller)
    const result = await reads.read({
      ...listFacts(model, params, caller),
      text: undefined,
      knownTag: () => undefined,
      taggedBy: 'version',
      compute: () => documents.list(model, () => ({ params, caller }), caller, exchange),
    })
    return respondTo(exchange, result, model, coder)
  }),
  endpoint({
    route: 'POST /api/v1/data/explain',
    id: 'explain',
    access: 'editor',
    operation: 'list',
    whoMay: 'publishers and administrators, of the models that they may list',
    summary: 'Explain a query: its index, its SQL, the rows it reads',
    description: 'The query runs on the stored data and is aborted shortly before its deadline.',
    parameters: ['model'],
    body: QUERY,
    response: queryPlan,
    errors: ['badRequest', 'invalidInput', 'methodNotAllowed', 'tooManyRequests'],
    client: 'data.explain',
  }).handle(({ documents, now }, exchange, session) => {
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
    access: 'limitedUser',
    operation: 'create',
    summary: 'Validate a document without writing it',
    description:
      'Lists up to fifty problems of creating the document or, with `id`, of replacing that one. `path` is empty for the ' +
      'body as a whole.',
    parameters: ['model', 'id'],
    body: 'draft',
    response: documentProblems,
    errors: ['badRequest', 'invalidInput', 'notFound', 'methodNotAllowed'],
    client: 'data.check',
  }).handle(async ({ documents, now }, exchange, session) => {
    const [model, id] = [readModel(exchange), exchange.query.get('id')]
    const sent = async () => ({ ...(await readBody(exchange)), caller: session.current(now()) })
    return { problems: await documents.check(model, id, sent, session.caller) }
  }),
  endpoint({
    route: 'GET /api/v1/data/:id',
    id: 'read',
    access: 'limitedUser',
    operation: 'read',
    summary: 'Read a document',
    description:
      'With `If-None-Match`, 304 without a body where the client has the current version. With the setting ' +
      '`--public-remote-config`, `remote_config` is read without a token.',
    parameters: ['model', 'ifMatch', 'ifNoneMatch'],
    response: DOCUMENT,
    others: [{ status: 304, description: 'The client has the current version' }],
    errors: ['badRequest', 'notFound', 'methodNotAllowed', 'preconditionFailed'],
    client: 'data.get',
    forVisitors: {
      applies: ({ publicRemoteConfig }, exchange) =>
        publicRemoteConfig &&
        itemId(exchange) === remoteConfig.singleton &&
        exchange.query.get('model') === remoteConfig.name,
      serve: (context, exchange) => read(context, exchange, undefined),
    },
  }).handle((context, exchange, { caller }) => read(context, exchange, caller)),
  endpoint({
    route: 'PUT /api/v1/data/:id',
    id: 'replace',
    access: 'limitedUser',
    operation: 'replace',
    summary: 'Replace a document',
    description: '`If-Match` with the ETag of the version that was read prevents lost updates.',
    parameters: ['model', 'ifMatch', 'ifNoneMatch'],
    body: 'document',
    response: DOCUMENT,
    errors: ['badRequest', 'invalidInput', 'notFound', 'methodNotAllowed', 'preconditionFailed'],
    client: 'data.replace',
  }).handle(async ({ documents }, exchange, by) => {
    const [model, condition] = [readModel(exchange), conditionOf(exchange)]
    const text = await documents.replace(model, itemId(exchange), () => readBody(exchange), { by, condition })
    return ok(text, { ETag: entityTag(text) })
  }),
  endpoint({
    route: 'DELETE /api/v1/data/:id',
    id: 'remove',
    access: 'limitedUser',
    operation: 'remove',
    summary: 'Delete a document',
    parameters: ['model', 'ifMatch', 'ifNoneMatch'],
    errors: ['badRequest', 'notFound', 'methodNotAllowed', 'preconditionFailed'],
    client: 'data.remove',
  }).handle(({ documents }, exchange, by) => {
    const [model, condition] = [readModel(exchange), conditionOf(exchange)]
    return documents.remove(model, itemId(exchange), { by, condition })
  }),
]

async function readListBody(exchange: Exchange, session: Session, now: Clock): Promise<ListRequest> {
  const body = await exchange.readJson({ bytesMax: QUERY_BYTES_MAX, isDoneWhenRead: true })
  return { params: paramsOfBody(exchange, body), caller: session.current(now()) }
}

/** A page of a list, or 304 to a client that has it. */
function list(context: DataContext, exchange: Exchange, caller: Caller): Awaitable<HttpResponse> {
  const { documents, reads, coder } = context
  // A page is not changed, so no request can mean the version of one that it changes.
  const noneMatch = exchange.headers['if-none-match']
  const knownTag = knownTagOf({ 'if-none-match': noneMatch })
  const text = textOf(exchange, caller)
  const page = reads.remembered(text)
  if (page !== undefined) {
    requireRole(page.model, 'list', caller)
    if (page.weight > 0) exchange.weigh(page.weight)
    const result = reads.fromPage(page, knownTag)
    if (result !== undefined) return respondTo(exchange, result, page.model, coder)
  }
  const model = readModel(exchange)
  requireRole(model, 'list', caller)
  const params = paramsOfUrl(exchange)
  const reading = reads.read({
    ...listFacts(model, params, caller),
    ...{ text, knownTag, isAnyKnown: noneMatch?.trim() === '*' },
    taggedBy: 'version',
    compute: () => documents.list(model, () => ({ params, caller }), caller, exchange),
  })
  return withValue(reading, (result) => respondTo(exchange, result, model, coder))
}

function listFacts(model: Model, params: ListParams, caller: Caller): PageFacts {
  const key = listKey(model, params, caller)
  return { key, model, rests: listDependencies(model, params.filter), weight: weightOf(params) }
}

/**
 * A document, or 304 to a client that has it. Whether it may be read at all is found out before its conditions. The
 * remote configuration may be read without a caller, where the operator has made it public.
 */
function read(context: DataContext, exchange: Exchange, caller: Caller | undefined): Awaitable<HttpResponse> {
  const { documents, reads, coder } = context
  const knownTag = knownTagOf(exchange.headers)
  const text = textOf(exchange, caller)
  const page = reads.remembered(text)
  if (page !== undefined) {
    if (caller !== undefined) requireRole(page.model, 'read', caller)
    const result = reads.fromPage(page, knownTag)
    if (result !== undefined) return respondTo(exchange, result, page.model, coder)
  }
  const [model, id] = [caller === undefined ? remoteConfig : readModel(exchange), itemId(exchange)]
  // A remembered page is served without another look at the caller.
  if (caller !== undefined) requireRole(model, 'read', caller)
  const reading = reads.read({
    ...{ key: `${model.name}/${id}`, model, rests: documentDependencies(model), weight: 0 },
    ...{ text, knownTag },
    taggedBy: 'content',
    compute: () => (caller === undefined ? documents.readPublic(model, id) : documents.read(model, id, caller)),
  })
  return withValue(reading, (result) => respondTo(exchange, result, model, coder))
}

/** The text under which a page is found again: the target says all of a read but what its caller may see. */
function textOf({ target }: Exchange, caller: Caller | undefined): string {
  return `${visibilityOf(caller)} ${target}`
}

/** Tells which of the client's versions is that of a tag, in whatever coding. Throws badRequest for malformed headers. */
function knownTagOf(headers: Pick<IncomingHttpHeaders, 'if-match' | 'if-none-match'>): (tag: string) => string | undefined {
  const conditions = readPreconditions(headers)
  return conditions === undefined ? NOTHING_KNOWN : (tag) => knownTag(conditions, tag)
}

const NOTHING_KNOWN = (): undefined => undefined

/** What the headers of the request require of the document that it changes. */
function conditionOf(exchange: Exchange): Condition | undefined {
  const conditions = readPreconditions(exchange.headers)
  return conditions === undefined ? undefined : (text) => requirePreconditions(conditions, entityTag(text))
}

function readModel({ query }: Exchange): Model {
  const name = query.get('model')
  const model = name === undefined ? undefined : modelNamed(name)
  if (model !== undefined) return model
  const known = MODELS.map((one) => one.name).join(', ')
  throw fail('badRequest', `Cannot read parameter "model": expected one of ${known}, found ${describe(name)}`)
}

/** What references bring in has the limit of the body, and counts like it. */
async function readBody(exchange: Exchange): Promise<SentBody> {
  const body = await exchange.readJson()
  return { body, references: { bytesMax: exchange.bodyBytesMax, onGrowth: (bytes) => exchange.growBody(bytes) } }
}

function itemId({ params }: Exchange): string {
  return params['id'] ?? ''
}

function orNull(schema: JsonSchema): JsonSchema {
  const { description, examples, ...rest } = schema
  return {
    anyOf: [rest, { type: 'null' }],
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
  }
}
