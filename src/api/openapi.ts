/**
 * The API as OpenAPI 3.1 describes it (https://spec.openapis.org/oas/v3.1.1.html), made of what the service itself
 * runs on: the declarations of the models, the codes of failures, and the words on each route.
 */
import { FAILURE_STATUS, type FailureCode } from '../base/failure.ts'
import { LOG_LEVELS } from '../base/log-level.ts'
import { MESSAGE_STATES } from '../models/message-state.ts'
import { MODELS } from '../models/registry.ts'
import * as replies from '../models/replies.ts'
import type { Model } from '../models/schema.ts'
import { modelSchemas, refTo, replySchemas, schemaName, type JsonSchema } from './openapi-schema.ts'
import { NEWEST_DEFAULT, NEWEST_MAX } from './newest.ts'
import { ROUTE_DOCS, type ParameterName, type RouteDoc } from './route-docs.ts'

const JSON_TYPE = 'application/json'
/** What can happen to any request, whatever it asks for. */
const ALWAYS: readonly FailureCode[] = ['misdirectedRequest', 'headersTooLarge', 'serverError']
const ALWAYS_WITH_BODY: readonly FailureCode[] = ['requestTimeout', 'payloadTooLarge']

/** The document, ready to be written as JSON. The same version always gives the same one. */
export function openApiDocument({ version }: { readonly version: string }): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const [key, doc] of Object.entries(ROUTE_DOCS)) {
    const [method = '', path = ''] = key.split(' ')
    const place = (paths[path.replace(/:(\w+)/g, '{$1}')] ??= {})
    place[method.toLowerCase()] = operation(path, doc)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dateline',
      version,
      description:
        'Accounts by one-time code, and one endpoint for documents of every model. Every 200 and 201 is an object ' +
        'with `data` and `metadata`, every failure one with `error`.',
    },
    servers: [{ url: '/' }],
    tags: ['Accounts', 'Data', 'Dashboard', 'Administration', 'Operation'].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      parameters: PARAMETERS,
      responses: Object.fromEntries(
        Object.keys(FAILURE_STATUS).map((code) => [code, failureReply(code as FailureCode)]),
      ),
      schemas: {
        ...Object.assign({}, ...MODELS.map(modelSchemas)),
        Document: { anyOf: MODELS.map((model) => refTo(schemaName(model))) },
        ...replySchemas(replies),
        ...SHARED_SCHEMAS,
      },
    },
  }
}

function operation(path: string, doc: RouteDoc): JsonSchema {
  const { tag, id, summary, description, token, parameters = [], body } = doc
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const all = [...ids, ...parameters.map((name) => ({ $ref: `#/components/parameters/${name}` }))]
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(all.length === 0 ? {} : { parameters: all }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { [JSON_TYPE]: { schema: bodySchema(body) } } } }),
    responses: { ...goodReply(doc), ...failures(doc) },
    security: token === 'none' ? [] : token === 'optional' ? [{}, { token: [] }] : [{ token: [] }],
  }
}

/** Which body it has to be depends on the parameter `model`, which a schema cannot say. */
function bodySchema(body: string): JsonSchema {
  if (body !== 'document') return refTo(body)
  const models = (MODELS as readonly Model[]).filter((model) => `${schemaName(model)}Body` in modelSchemas(model))
  return { anyOf: models.map((model) => refTo(`${schemaName(model)}Body`)) }
}

function goodReply({ reply, id }: RouteDoc): Readonly<Record<string, JsonSchema>> {
  const unready =
    id === 'ready' ? { 503: { description: 'Not ready', content: { [JSON_TYPE]: { schema: NOT_READY } } } } : {}
  if ('schema' in reply) {
    return { [reply.status]: { description: 'Done', content: { [reply.type]: { schema: reply.schema } } }, ...unready }
  }
  if (!('data' in reply)) return { [reply.status]: { description: reply.status === 202 ? 'Accepted' : 'Done' } }
  const schema = {
    type: 'object',
    properties: { data: refTo(reply.data), metadata: refTo('Metadata') },
    required: ['data', 'metadata'],
  }
  const description = reply.status === 201 ? 'Created' : 'Done'
  const headers = reply.tagged === true ? { headers: ETAG } : {}
  // What a client that has a version asks for the next.
  const known = id === 'read' ? { 304: { description: 'The client has it', ...headers } } : {}
  return { [reply.status]: { description, ...headers, content: { [JSON_TYPE]: { schema } } }, ...known }
}

/** Codes that share a status share its entry. */
function failures({ errors, body }: RouteDoc): Readonly<Record<string, JsonSchema>> {
  const codes = [...errors, ...ALWAYS, ...(body === undefined ? [] : ALWAYS_WITH_BODY)]
  const statuses = [...new Set(codes.map((code) => FAILURE_STATUS[code]))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status): [string, JsonSchema] => {
      const [only, ...more] = codes.filter((code) => FAILURE_STATUS[code] === status)
      if (more.length === 0 && only !== undefined) return [String(status), { $ref: `#/components/responses/${only}` }]
      const names = [only, ...more].join(', ')
      return [String(status), { description: names, content: { [JSON_TYPE]: { schema: refTo('Failure') } } }]
    }),
  )
}

function failureReply(code: FailureCode): JsonSchema {
  const headers = ['tooManyRequests', 'networkError'].includes(code)
    ? { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } }
    : code === 'preconditionFailed'
      ? ETAG
      : undefined
  return {
    description: code,
    ...(headers === undefined ? {} : { headers }),
    content: { [JSON_TYPE]: { schema: refTo('Failure') } },
  }
}

const ETAG = { ETag: { description: 'Names the version of the document', schema: { type: 'string' } } }
const FILTER: JsonSchema = { type: 'object', description: "A filter in MongoDB's language; see the README." }
const SORT: JsonSchema = { type: 'string', pattern: '^[^,:]+(:(asc|desc))?(,[^,:]+(:(asc|desc))?)*$' }

const PARAMETERS: Readonly<Record<ParameterName, JsonSchema>> = {
  model: parameter('model', { type: 'string', enum: MODELS.map(({ name }) => name) }, { required: true }),
  filter: {
    name: 'filter',
    in: 'query',
    content: { [JSON_TYPE]: { schema: FILTER, example: { status: 'active' } } },
  },
  sort: parameter('sort', SORT, { example: 'updatedAt:desc,title:asc' }),
  limit: parameter('limit', { type: 'integer', minimum: 0 }, { example: 20 }),
  cursor: parameter('cursor', { type: 'string' }, { description: '`cursor` of the page before' }),
  newest: parameter(
    'limit',
    { type: 'integer', minimum: 1, maximum: NEWEST_MAX, default: NEWEST_DEFAULT },
    { description: 'How many of the newest' },
  ),
  level: parameter(
    'level',
    { type: 'string', enum: LOG_LEVELS, default: 'info' },
    { description: 'The least important level' },
  ),
  state: parameter('state', { type: 'string', enum: MESSAGE_STATES }, {}),
  ifMatch: header('If-Match', 'ETags of which the document must have one, or `*`'),
  ifNoneMatch: header('If-None-Match', 'ETags of which the document must have none'),
}

function header(name: string, description: string): JsonSchema {
  return { name, in: 'header', description, schema: { type: 'string' } }
}

function parameter(name: string, schema: JsonSchema, more: JsonSchema): JsonSchema {
  return { name, in: 'query', schema, ...more }
}

const NOT_READY: JsonSchema = {
  type: 'object',
  properties: {
    status: { const: 'unavailable' },
    instance: { type: 'string' },
    reasons: { type: 'array', items: { type: 'string' } },
  },
  required: ['status', 'instance', 'reasons'],
}

const EMAIL: JsonSchema = { type: 'string', examples: ['you@example.org'] }
const DASHBOARD_FLAG: JsonSchema = { type: 'boolean', default: false }

const SHARED_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Failure: object({
    error: object({ code: { type: 'string', enum: Object.keys(FAILURE_STATUS) }, message: { type: 'string' } }),
  }),
  Metadata: object({ requestId: { type: 'string' }, timestamp: { type: 'string', format: 'date-time' } }),
  Page: object({
    items: { type: 'array', items: refTo('Document') },
    cursor: { type: ['string', 'null'] },
    hasMore: { type: 'boolean' },
  }),
  Query: {
    type: 'object',
    properties: {
      filter: FILTER,
      sort: SORT,
      limit: { type: 'integer', minimum: 0 },
      cursor: { type: 'string' },
    },
  },
  Reference: { ...object({ id: { type: 'string' } }), additionalProperties: false },
  RequestCode: { ...object({ email: EMAIL, isDashboardLogin: DASHBOARD_FLAG }), required: ['email'] },
  VerifyCode: {
    ...object({ email: EMAIL, code: { type: 'string', pattern: '^\\d{6}$' }, isDashboardLogin: DASHBOARD_FLAG }),
    required: ['email', 'code'],
  },
}

/** An object whose members are all there. */
function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) }
}
