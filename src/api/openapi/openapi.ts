/**
 * The API as OpenAPI 3.1 describes it (https://spec.openapis.org/oas/v3.1.1.html), made of what the service itself
 * runs on: the declarations of models, records and endpoints, and the codes of failures.
 */
import type { JsonSchema, JsonSchemas } from '../../base/json-schema.ts'
import type { Described, NamedSchema, Tag } from '../../endpoints/endpoint.ts'
import { ENDPOINTS } from '../../endpoints/endpoints.ts'
import { PARAMETERS } from '../../endpoints/parameters.ts'
import { MODELS } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import { MERGE_PATCHES, SHARED_SCHEMAS } from './openapi-bodies.ts'
import { exampleOf } from './openapi-example.ts'
import { FILTER_SCHEMAS, OPERATORS } from './openapi-filter.ts'
import { describedModels, whoMayText } from './openapi-models.ts'
import {
  enveloped,
  failureResponses,
  FAILURES_OF_ACCESS,
  HEADERS,
  modelsFor,
  responsesOf,
} from './openapi-responses.ts'
import { DOCUMENT_SCHEMAS } from './openapi-documents.ts'
import { bodySchemaName, modelSchemas, recordName, recordSchemas, refTo, schemaName } from './openapi-schema.ts'

export const TAGS: Readonly<Record<Tag, string>> = {
  Accounts: 'Signing in and out, and your account',
  Data: 'Documents of every model, through one endpoint',
  Dashboard: 'What the dashboard needs besides documents',
  Administration: 'For administrators only',
  Operation: 'For the operator of the service',
}

export function openApiDocument({ version }: { readonly version: string }): JsonSchema {
  const schemas: JsonSchemas = {
    ...Object.assign({}, ...MODELS.map(modelSchemas)),
    ...DOCUMENT_SCHEMAS,
    ...recordSchemas(),
    ...SHARED_SCHEMAS,
    ...Object.fromEntries(namedSchemas().map(({ name, schema }) => [name, schema])),
    ...FILTER_SCHEMAS,
  }
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const endpoint of ENDPOINTS) {
    const methods = (paths[endpoint.path.replace(/:(\w+)/g, '{$1}')] ??= {})
    methods[endpoint.method.toLowerCase()] = operation(endpoint, schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dateline',
      version,
      description:
        'Accounts by one-time code, and one endpoint for documents of every model. Every 200 and 201 below `/api` is ' +
        'an object with `data` and `metadata`, every failure one with `error`. Clients ignore members that they do ' +
        'not know. Every GET is a HEAD as well, and OPTIONS tells the methods of a path.',
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The `token` that signing in gives, in `Authorization: Bearer …`',
        },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: failureResponses(),
      examples: modelExamples(schemas),
      schemas,
    },
    'x-dateline-models': describedModels(),
    'x-dateline-operators': OPERATORS,
  }
}

function namedSchemas(): readonly NamedSchema[] {
  const bodies = ENDPOINTS.flatMap(({ body, others = [] }) => [body, ...others.map((other) => other.body)])
  return bodies.filter((body) => typeof body === 'object' && body.kind === 'schema')
}

function operation(endpoint: Described, schemas: JsonSchemas): JsonSchema {
  const { path, id, tag, summary, description, body, parameters = [] } = endpoint
  const all = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name = '']) => inPath(name)),
    ...parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
  const who = endpoint.whoMay ?? (endpoint.operation === undefined ? undefined : whoMayText(endpoint.operation))
  const words = [description, who === undefined ? undefined : `Who may: ${who}.`].filter((one) => one !== undefined)
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(words.length === 0 ? {} : { description: words.join(' ') }),
    ...(all.length === 0 ? {} : { parameters: all }),
    ...(body === undefined || body === 'empty'
      ? {}
      : { requestBody: { required: true, content: bodyContent(endpoint, schemas) } }),
    responses: responsesOf(endpoint, schemas),
    security: securityOf(endpoint),
  }
}

function securityOf({ access, token }: Described): readonly JsonSchema[] {
  if (token === 'optional') return [{}, { token: [] }]
  return FAILURES_OF_ACCESS[access].includes('unauthorized') ? [{ token: [] }] : []
}

function inPath(name: string): JsonSchema {
  return {
    name,
    in: 'path',
    required: true,
    description: name === 'id' ? 'The id' : `The ${name}`,
    schema: { type: 'string', minLength: 1 },
  }
}

/** Of a file, whatever it is. */
const BYTES_TYPE = 'application/octet-stream'

function bodyContent(endpoint: Described, schemas: JsonSchemas): JsonSchemas {
  if (endpoint.body === 'bytes') return { [BYTES_TYPE]: { schema: { description: 'The file as it is' } } }
  const types = endpoint.body === 'patch' ? ['application/merge-patch+json', 'application/json'] : ['application/json']
  return Object.fromEntries(types.map((type) => [type, bodyOf(endpoint, schemas)]))
}

/** Which body it has to be depends on the parameter `model`, which a schema cannot say. */
function bodyOf({ operation, body }: Described, schemas: JsonSchemas): JsonSchema {
  if (typeof body === 'object') {
    const schema = refTo(body.kind === 'record' ? recordName(body) : body.name)
    return { schema, examples: { example: { value: exampleOf(schema, schemas) } } }
  }
  if (body === 'patch') {
    const examples = Object.entries(MERGE_PATCHES).map(([model, value]) => [model, { value }])
    return { schema: refTo('MergePatch'), examples: Object.fromEntries(examples) as JsonSchemas }
  }
  const wanted = operation === 'replace' ? 'replace' : 'create'
  const names = modelsFor(wanted).map((model) => [model.name, bodySchemaName(model, wanted) ?? ''] as const)
  return {
    schema: { anyOf: names.map(([, name]) => refTo(name)) },
    examples: Object.fromEntries(names.map(([model, name]) => [model, { $ref: `#/components/examples/${name}` }])),
  }
}

/** By names that begin with that of the schema: the document and a page of it as responses, and the bodies. */
function modelExamples(schemas: JsonSchemas): JsonSchemas {
  return Object.assign(
    {},
    ...MODELS.map((model: Model) => {
      const name = schemaName(model)
      const value = exampleOf(refTo(name), schemas)
      const bodies = [bodySchemaName(model, 'create'), bodySchemaName(model, 'replace')].filter(
        (body) => body !== undefined,
      )
      return {
        [name]: { summary: `A ${model.name}`, value: enveloped(value) },
        [`${name}Page`]: {
          summary: `The last page of a list of ${model.name}`,
          value: enveloped({ items: [value], cursor: null, hasMore: false }),
        },
        ...Object.fromEntries(
          bodies.map((body) => [body, { summary: `A ${model.name}`, value: exampleOf(refTo(body), schemas) }]),
        ),
      }
    }),
  ) as JsonSchemas
}
