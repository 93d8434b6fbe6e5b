/**
 * The generic data endpoints. Every single document comes with its ETag, which names the document and not the bytes of
 * the response: each envelope has an id and a time of its own. It is strong, as the text of the document is the same.
 */
import type { Session } from '../auth/sessions.ts'
import { withValue, type Awaitable } from '../base/awaitable.ts'
import type { Clock } from '../base/clock.ts'
import { describe, fail } from '../base/failure.ts'
import type { JsonSchema } from '../base/json-schema.ts'
import { requireEditor } from '../content/access.ts'
import type { ListRequest, Documents, SentBody } from '../content/documents.ts'
import { entityTag } from '../http/request/entity-tag.ts'
import { created, notModified, ok, type Exchange, type HttpResponse } from '../http/request/exchange.ts'
import { isKnown, readPreconditions, requirePreconditions } from '../http/request/preconditions.ts'
import { MODELS, modelNamed } from '../models/registry.ts'
import { remoteConfig } from '../models/remote-config.ts'
import { documentProblems, queryPlan } from '../models/responses.ts'
import type { Model } from '../models/schema.ts'
import type { Condition } from '../store/store.ts'
import { endpointOn, type NamedSchema, type TextResponse } from './endpoint.ts'
import { paramsOfBody, paramsOfUrl } from './list-params.ts'
import { CURSOR, LIMIT, SORT } from './parameters.ts'

export interface DataContext {
  readonly documents: Documents
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
    parameters: ['model', 'filter', 'sort', 'limit', 'cursor'],
    response: PAGE,
    errors: ['badRequest', 'methodNotAllowed'],
    client: 'data.list',
  }).handle(async ({ documents }, exchange, { caller }) =>
    ok(await documents.list(readModel(exchange), () => ({ params: paramsOfUrl(exchange), caller }), caller, exchange)),
  ),
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
  }).handle(async ({ documents, now }, exchange, session) =>
    ok(
      await documents.list(readModel(exchange), () => readListBody(exchange, session, now), session.caller, exchange),
    ),
  ),
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
      serve: ({ documents }, exchange) =>
        conditionally(exchange, () => documents.readPublic(remoteConfig, itemId(exchange))),
    },
  }).handle(({ documents }, exchange, { caller }) =>
    conditionally(exchange, () => documents.read(readModel(exchange), itemId(exchange), caller)),
  ),
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

/** The document, or 304 to a client that has it. Whether it may be read at all is found out before its conditions. */
function conditionally(exchange: Exchange, read: () => Awaitable<string>): Awaitable<HttpResponse> {
  const conditions = readPreconditions(exchange.headers)
  return withValue(read(), (text) => {
    const headers = { ETag: entityTag(text) }
    return conditions !== undefined && isKnown(conditions, headers.ETag) ? notModified(headers) : ok(text, headers)
  })
}

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
