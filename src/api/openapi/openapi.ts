/**
 * The API as OpenAPI 3.1 describes it (https://spec.openapis.org/oas/v3.1.1.html), made of what the service itself
 * runs on: the declarations of the models and replies, the codes of failures, and the words on each route.
 */
import { MODELS } from '../../models/registry.ts'
import * as replies from '../../models/replies.ts'
import type { Model } from '../../models/schema.ts'
import { SHARED_SCHEMAS } from './openapi-bodies.ts'
import { exampleOf } from './openapi-example.ts'
import { FILTER_SCHEMAS, OPERATORS } from './openapi-filter.ts'
import { describedModels, whoMayWords } from './openapi-models.ts'
import { inPath, PARAMETERS } from './openapi-parameters.ts'
import { enveloped, failureReplies, HEADERS, modelsFor, operationOf, repliesOf } from './openapi-replies.ts'
import {
  bodySchemaName,
  modelSchemas,
  refTo,
  replySchemas,
  schemaName,
  type JsonSchema,
  type JsonSchemas,
} from './openapi-schema.ts'
import { ROUTE_DOCS, type RouteDoc } from '../route-docs.ts'

const TAGS: Readonly<Record<RouteDoc['tag'], string>> = {
  Accounts: 'Signing in and out, and the own account',
  Data: 'Documents of every model, through one endpoint',
  Dashboard: 'What the dashboard shows to publishers and administrators',
  Administration: 'What only administrators may see and do',
  Operation: 'For who runs the service',
}

/** The document, ready to be written as JSON. The same version always gives the same one. */
export function openApiDocument({ version }: { readonly version: string }): JsonSchema {
  const schemas: JsonSchemas = {
    ...Object.assign({}, ...MODELS.map(modelSchemas)),
    Document: {
      description: 'A document of the model that the parameter `model` names',
      anyOf: MODELS.map((model) => refTo(schemaName(model))),
    },
    ...replySchemas(replies),
    ...SHARED_SCHEMAS,
    ...FILTER_SCHEMAS,
  }
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const [key, doc] of Object.entries(ROUTE_DOCS)) {
    const [method = '', path = ''] = key.split(' ')
    const place = (paths[path.replace(/:(\w+)/g, '{$1}')] ??= {})
    place[method.toLowerCase()] = operation(path, doc, schemas)
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
      responses: failureReplies(),
      examples: modelExamples(schemas),
      schemas,
    },
    'x-dateline-models': describedModels(),
    'x-dateline-operators': OPERATORS,
  }
}

function operation(path: string, doc: RouteDoc, schemas: JsonSchemas): JsonSchema {
  const { tag, id, summary, token, parameters = [], body } = doc
  const all = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name = '']) => inPath(name)),
    ...parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
  const asked = operationOf(doc)
  const who = doc.whoMay ?? (asked === undefined ? undefined : whoMayWords(asked))
  const description = [doc.description, who === undefined ? undefined : `Who may: ${who}.`].filter(
    (words) => words !== undefined,
  )
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description.length === 0 ? {} : { description: description.join(' ') }),
    ...(all.length === 0 ? {} : { parameters: all }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': bodyOf(doc, body, schemas) } } }),
    responses: repliesOf(doc, schemas),
    security: token === 'none' ? [] : token === 'optional' ? [{}, { token: [] }] : [{ token: [] }],
  }
}

/** Which body it has to be depends on the parameter `model`, which a schema cannot say. */
function bodyOf(doc: RouteDoc, body: string, schemas: JsonSchemas): JsonSchema {
  if (body !== 'document') {
    return { schema: refTo(body), examples: { example: { value: exampleOf(refTo(body), schemas) } } }
  }
  const asked = operationOf(doc) === 'replace' ? 'replace' : 'create'
  const names = modelsFor(asked).map((model) => [model.name, bodySchemaName(model, asked) ?? ''] as const)
  return {
    schema: { anyOf: names.map(([, name]) => refTo(name)) },
    examples: Object.fromEntries(names.map(([model, name]) => [model, { $ref: `#/components/examples/${name}` }])),
  }
}

/** By names that begin with that of the schema: the document and a page of it as replies, and the bodies. */
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
