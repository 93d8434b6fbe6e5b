/** The responses of an endpoint: that of success, and one for each status of a failure, with headers and examples. */
import { FAILURES, type FailureCode } from '../../base/failure.ts'
import type { JsonSchema, JsonSchemas } from '../../base/json-schema.ts'
import type { Access, Described, OtherResponse } from '../../endpoints/endpoint.ts'
import { ETAG_EXAMPLE } from '../../endpoints/parameters.ts'
import { MODELS } from '../../models/registry.ts'
import type { Model, Operation } from '../../models/schema.ts'
import { exampleOf } from './openapi-example.ts'
import { recordName, refTo, schemaName } from './openapi-schema.ts'

const JSON_TYPE = 'application/json'
/** Failures of any request. */
const ALWAYS: readonly FailureCode[] = [
  'badRequest',
  'forbidden',
  'requestTimeout',
  'misdirectedRequest',
  'headersTooLarge',
  'serverError',
  'networkError',
]
const ALWAYS_WITH_BODY: readonly FailureCode[] = ['payloadTooLarge', 'unsupportedMediaType']
export const METADATA = { requestId: '018f2b3c-7a1e-7c52-9d0a-3f6b1c2d4e5f', timestamp: '2026-03-01T12:00:00.000Z' }

/** The failures that follow from the access: no session, too many requests. */
export const FAILURES_OF_ACCESS: Readonly<Record<Access, readonly FailureCode[]>> = {
  public: [],
  visitor: ['tooManyRequests'],
  codeRequest: ['tooManyRequests'],
  guestSignIn: ['tooManyRequests'],
  user: ['unauthorized'],
  limitedUser: ['unauthorized', 'tooManyRequests'],
  editor: ['unauthorized'],
  administrator: ['unauthorized'],
}

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
  ETag: header('Names the version of the document, or of the page of a list', { type: 'string', examples: [ETAG_EXAMPLE] }),
  'Content-Disposition': header('The name to save the file as', {
    type: 'string',
    examples: ['attachment; filename="dateline-20260301T120000Z.db"'],
  }),
  'Accept-Encoding': header('The codings of bodies that the service reads', { type: 'string', examples: ['identity'] }),
  'WWW-Authenticate': { description: 'How to sign in', schema: { type: 'string', examples: ['Bearer'] } },
}

const ON_ALL = headersNamed('X-Request-Id', 'X-Dateline-Instance')
const ON_FAILURE: Readonly<Partial<Record<FailureCode, JsonSchemas>>> = {
  tooManyRequests: headersNamed('Retry-After'),
  // Only where it is known how long it will take.
  networkError: { 'Retry-After': { ...HEADERS['Retry-After'], required: false } },
  // Where the first request with an Idempotency-Key is still running.
  conflict: { 'Retry-After': { ...HEADERS['Retry-After'], required: false } },
  methodNotAllowed: headersNamed('Allow'),
  preconditionFailed: headersNamed('ETag'),
  unsupportedMediaType: headersNamed('Accept-Encoding'),
  unauthorized: headersNamed('WWW-Authenticate'),
}

/** All responses of an endpoint, by status. */
export function responsesOf(endpoint: Described, schemas: JsonSchemas): JsonSchemas {
  const { others = [], response, status } = endpoint
  const headers = {
    ...ON_ALL,
    ...(response?.kind === 'text' && response.tagged === true ? headersNamed('ETag') : {}),
    ...(response?.kind === 'raw' && response.named === true ? headersNamed('Content-Disposition') : {}),
  }
  const content = contentOf(endpoint, schemas)
  return {
    ...failures(endpoint),
    [status]: { description: STATUS_WORDS[status], headers, ...(content === undefined ? {} : { content }) },
    ...Object.fromEntries(others.map((other) => [other.status, otherResponse(other, headers, schemas)])),
  }
}

const STATUS_WORDS = { 200: 'Done', 201: 'Created', 202: 'Accepted', 204: 'Done' } as const

/** For `components.responses`: each failure by its code. */
export function failureResponses(): JsonSchemas {
  return Object.fromEntries(
    Object.keys(FAILURES).map((code) => [code, failureResponse([code as FailureCode])] as const),
  )
}

/** `{"data": …, "metadata": …}` around an example. */
export function enveloped(data: unknown): JsonSchema {
  return { data, metadata: METADATA }
}

function contentOf(endpoint: Described, schemas: JsonSchemas): JsonSchema | undefined {
  const { response } = endpoint
  if (response === undefined) return undefined
  if (response.kind === 'raw') {
    return { [response.type]: { schema: response.schema, examples: exampleFor(response.schema, schemas) } }
  }
  const named = response.kind === 'record' ? response : response.schema
  const data = typeof named === 'string' ? named : recordName(named)
  const schema = {
    type: 'object',
    properties: { data: refTo(data === 'Document' ? 'DocumentOrPart' : data), metadata: refTo('Metadata') },
    required: ['data', 'metadata'],
  }
  return { [JSON_TYPE]: { schema, examples: examplesOf(endpoint, data, schemas) } }
}

/** One for each model where the response depends on it. */
function examplesOf({ operation }: Described, data: string, schemas: JsonSchemas): JsonSchemas {
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

function exampleFor(schema: JsonSchema, schemas: JsonSchemas): JsonSchemas {
  return { example: { value: exampleOf(schema, schemas) } }
}

function otherResponse({ description, body }: OtherResponse, headers: JsonSchemas, schemas: JsonSchemas): JsonSchema {
  if (body === undefined) return { description, headers }
  const schema = refTo(body.name)
  return { description, headers, content: { [JSON_TYPE]: { schema, examples: exampleFor(schema, schemas) } } }
}

/** Codes that share a status share its entry. */
function failures({ access, body, errors = [] }: Described): JsonSchemas {
  const codes = [
    ...new Set([...FAILURES_OF_ACCESS[access], ...errors, ...ALWAYS, ...(body === undefined ? [] : ALWAYS_WITH_BODY)]),
  ]
  return Object.fromEntries(
    [...Map.groupBy(codes, (code) => FAILURES[code].status)].map(([status, shared]) => {
      const [only] = shared
      const isAlone = shared.length === 1 && only !== undefined
      return [status, isAlone ? { $ref: `#/components/responses/${only}` } : failureResponse(shared)]
    }),
  )
}

function failureResponse(codes: readonly FailureCode[]): JsonSchema {
  const schema = refTo('Failure')
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
