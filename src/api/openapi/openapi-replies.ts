/**
 * What comes back: the reply of a route where all goes well, and one for each status where it does not, with headers
 * and examples.
 */
import { FAILURES, type FailureCode } from '../../base/failure.ts'
import { MODELS } from '../../models/registry.ts'
import type { Model, Operation } from '../../models/schema.ts'
import { exampleOf } from './openapi-example.ts'
import { ETAG_SAMPLE } from './openapi-parameters.ts'
import { refTo, schemaName, type JsonSchema, type JsonSchemas } from './openapi-schema.ts'
import type { RouteDoc } from '../route-docs.ts'

const JSON_TYPE = 'application/json'
/** What can happen to any request, whatever it asks for. */
const ALWAYS: readonly FailureCode[] = [
  'badRequest',
  'forbidden',
  'requestTimeout',
  'misdirectedRequest',
  'headersTooLarge',
  'serverError',
  'networkError',
]
const ALWAYS_WITH_BODY: readonly FailureCode[] = ['payloadTooLarge']
export const METADATA = { requestId: '018f2b3c-7a1e-7c52-9d0a-3f6b1c2d4e5f', timestamp: '2026-03-01T12:00:00.000Z' }

/** What the routes of the data endpoint do with a model. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  list: 'list',
  query: 'list',
  explain: 'list',
  check: 'create',
  create: 'create',
  read: 'read',
  replace: 'replace',
  remove: 'remove',
}

/** The operation of a route of the data endpoint that does what a model may forbid. */
export function operationOf({ id }: Pick<RouteDoc, 'id'>): Operation | undefined {
  return OPERATIONS[id]
}

/** The models with which an operation is possible. */
export function modelsFor(operation: Operation): readonly Model[] {
  return MODELS.filter((model: Model) => model.access[operation] !== 'unsupported')
}

export const HEADERS: JsonSchemas = {
  'X-Request-Id': header('Names the request, in the log as well', { type: 'string', examples: [METADATA.requestId] }),
  'X-Dateline-Instance': header('Names this run of the service', {
    type: 'string',
    examples: ['b1946ac9-2f0d-4c3e-8a57-6d1f0e9c8b7a'],
  }),
  'Retry-After': header('Seconds to wait', { type: 'integer', minimum: 1, examples: [30] }),
  Allow: header('The methods that there are', { type: 'string', examples: ['GET, HEAD, OPTIONS'] }),
  ETag: header('Names the version of the document', { type: 'string', examples: [ETAG_SAMPLE] }),
  'Content-Disposition': header('The name to save the file as', {
    type: 'string',
    examples: ['attachment; filename="dateline-20260301T120000Z.db"'],
  }),
  'WWW-Authenticate': { description: 'How to sign in', schema: { type: 'string', examples: ['Bearer'] } },
}

const ON_ALL = headersNamed('X-Request-Id', 'X-Dateline-Instance')
const ON_FAILURE: Readonly<Partial<Record<FailureCode, JsonSchemas>>> = {
  tooManyRequests: headersNamed('Retry-After'),
  // Only where it is known how long it will take.
  networkError: { 'Retry-After': { ...HEADERS['Retry-After'], required: false } },
  methodNotAllowed: headersNamed('Allow'),
  preconditionFailed: headersNamed('ETag'),
  unauthorized: headersNamed('WWW-Authenticate'),
}

/** All replies of a route, by status. */
export function repliesOf(doc: RouteDoc, schemas: JsonSchemas): JsonSchemas {
  return { ...goodReply(doc, schemas), ...failures(doc) }
}

/** For `components.responses`: each failure by its code. */
export function failureReplies(): JsonSchemas {
  return Object.fromEntries(
    Object.keys(FAILURES).map((code) => [code, failureResponse([code as FailureCode])] as const),
  )
}

/** `{"data": …, "metadata": …}` around an example. */
export function enveloped(data: unknown): JsonSchema {
  return { data, metadata: METADATA }
}

function goodReply(doc: RouteDoc, schemas: JsonSchemas): JsonSchemas {
  const { reply, id } = doc
  if ('schema' in reply) {
    const answer = { schema: reply.schema, examples: { example: { value: exampleOf(reply.schema, schemas) } } }
    const headers = reply.named === true ? { ...ON_ALL, ...headersNamed('Content-Disposition') } : ON_ALL
    return {
      [reply.status]: { description: 'Done', headers, content: { [reply.type]: answer } },
      ...(id === 'ready' ? { 503: notReady(schemas) } : {}),
    }
  }
  if (!('data' in reply)) {
    return { [reply.status]: { description: reply.status === 202 ? 'Accepted' : 'Done', headers: ON_ALL } }
  }
  const schema = {
    type: 'object',
    properties: { data: refTo(reply.data), metadata: refTo('Metadata') },
    required: ['data', 'metadata'],
  }
  const examples = examplesOf(doc, reply.data, schemas)
  const description = reply.status === 201 ? 'Created' : 'Done'
  const headers = reply.tagged === true ? { ...ON_ALL, ...headersNamed('ETag') } : ON_ALL
  return {
    [reply.status]: { description, headers, content: { [JSON_TYPE]: { schema, examples } } },
    // What a client that has a version asks for the next.
    ...(id === 'read' ? { 304: { description: 'The client has it', headers } } : {}),
  }
}

/** One for each model where the reply depends on it. */
function examplesOf(doc: RouteDoc, data: string, schemas: JsonSchemas): JsonSchemas {
  const operation = operationOf(doc)
  if (operation === undefined || (data !== 'Document' && data !== 'Page')) {
    return { example: { value: enveloped(exampleOf(refTo(data), schemas)) } }
  }
  return Object.fromEntries(
    modelsFor(operation).map((model) => [
      model.name,
      { $ref: `#/components/examples/${schemaName(model)}${data === 'Page' ? 'Page' : ''}` },
    ]),
  )
}

function notReady(schemas: JsonSchemas): JsonSchema {
  const schema = refTo('NotReady')
  const examples = { example: { value: exampleOf(schema, schemas) } }
  return { description: 'Not ready', headers: ON_ALL, content: { [JSON_TYPE]: { schema, examples } } }
}

/** Codes that share a status share its entry. */
function failures({ id, errors, body }: RouteDoc): JsonSchemas {
  const codes = [...new Set([...errors, ...ALWAYS, ...(body === undefined ? [] : ALWAYS_WITH_BODY)])]
  const statuses = [...new Set(codes.map((code) => FAILURES[code].status))].sort((a, b) => a - b)
  return Object.fromEntries(
    // Readiness has a 503 of its own.
    statuses
      .filter((status) => id !== 'ready' || status !== 503)
      .map((status) => {
        const shared = codes.filter((code) => FAILURES[code].status === status)
        const [only] = shared
        if (shared.length === 1 && only !== undefined)
          return [status, { $ref: `#/components/responses/${only}` }] as const
        return [status, failureResponse(shared)] as const
      }),
  )
}

function failureResponse(codes: readonly FailureCode[]): JsonSchema {
  // Beside `Failure` stands which of its codes are possible here.
  const schema = { ...refTo('Failure'), properties: { error: { properties: { code: { enum: codes } } } } }
  const examples = Object.fromEntries(
    codes.map((code) => [code, { value: { error: { code, message: FAILURES[code].message } } }]),
  )
  return {
    description: codes.map((code) => `\`${code}\`: ${FAILURES[code].when}`).join('. '),
    headers: { ...ON_ALL, ...Object.assign({}, ...codes.map((code) => ON_FAILURE[code] ?? {})) },
    content: { [JSON_TYPE]: { schema, examples } },
  }
}

function header(description: string, schema: JsonSchema): JsonSchema {
  return { description, required: true, schema }
}

function headersNamed(...names: readonly string[]): JsonSchemas {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
