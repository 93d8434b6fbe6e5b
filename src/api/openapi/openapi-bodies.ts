/** The schemas that no declaration gives: failures, metadata, pages and references. */
import { FAILURES } from '../../base/failure.ts'
import type { JsonSchema, JsonSchemas } from '../../base/json-schema.ts'
import { ETAG_EXAMPLE } from '../../endpoints/parameters.ts'
import { MODELS } from '../../models/registry.ts'
import { documentProblems } from '../../models/responses.ts'
import { METADATA } from './openapi-responses.ts'
import { MEMBER_NAMES, memberSchema, refTo } from './openapi-schema.ts'

/** A patch of each model, by its name. */
export const MERGE_PATCHES: Readonly<Record<string, JsonSchema>> = {
  headline: { title: 'New ferry line opens today', topic: { id: '66f000000000000000000301' } },
  topic: { status: 'archived' },
  source: { url: 'https://harbour.example/news' },
  country: { name: 'Iceland' },
  language: { status: 'draft' },
  feed: { paused: true },
  feed_rules: { rules: [] },
  publication: { visibility: 'secret' },
  user: { appRole: 'premiumUser' },
  user_app_settings: { displaySettings: { baseTheme: 'dark' } },
  user_content_preferences: { followedTopics: [{ id: '66f000000000000000000301' }] },
  remote_config: { appStatus: { isUnderMaintenance: true } },
}

export const SHARED_SCHEMAS: JsonSchemas = {
  Failure: object({
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', enum: Object.keys(FAILURES), description: 'For programs; it never changes' },
        message: { type: 'string', description: 'For people: what was found and what is wanted' },
        problems: {
          ...memberSchema(documentProblems, 'problems'),
          description: 'The first problem of the document, where that is the reason; `POST /data/check` lists all',
        },
        resync: { type: 'boolean', description: 'Of a reader of changes that has to start over' },
        next: { type: 'string', description: 'From where that reader goes on behind a list of everything' },
      },
      required: ['code', 'message'],
    },
  }),
  Metadata: object({
    requestId: { type: 'string', description: 'As in `X-Request-Id`', examples: [METADATA.requestId] },
    timestamp: { type: 'string', format: 'date-time', description: 'When the response was made' },
  }),
  Page: withOptional(
    object({
      items: { type: 'array', items: refTo('DocumentOrPart') },
      cursor: {
        type: ['string', 'null'],
        description: 'For the next page; null where there is none',
        examples: ['WyIyMDI2LTAzLTAxIl0'],
      },
      hasMore: {
        type: 'boolean',
        description: 'Whether there is a next page; the number of items does not tell, as pages have a limit in bytes',
      },
    }),
    {
      total: { type: 'integer', minimum: 0, description: 'With `count`: documents on all pages', examples: [409] },
      totalIsFloor: { type: 'boolean', description: 'With `count`: whether there are more', examples: [false] },
      isPartial: { type: 'boolean', description: 'With `changedBy`, and then true: these users have changed more documents than are looked at, and the list lacks the earlier ones' },
    },
  ),
  MergePatch: {
    type: 'object',
    description: 'Members of the document that `model` names, each with its new value; null removes a member',
    propertyNames: MEMBER_NAMES,
    additionalProperties: true,
    examples: [MERGE_PATCHES['headline']],
  },
  ChangePage: object({
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          seq: { type: 'integer', minimum: 1, description: 'Grows with each change of any document', examples: [1234] },
          model: { type: 'string', enum: MODELS.map(({ name }) => name) },
          id: { type: 'string', examples: ['66f000000000000000000301'] },
          at: { type: 'string', format: 'date-time', examples: ['2026-03-01T12:00:00.000Z'] },
          by: {
            type: 'string',
            description: 'Who changed it, for publishers and administrators: the id of a user, or operator, service, feed or stranger',
          },
          deleted: { type: 'boolean', description: 'It was deleted, or is not shown any more' },
          document: refTo('Document'),
        },
        required: ['seq', 'model', 'id', 'at', 'deleted'],
      },
    },
    next: { type: 'string', description: 'For `since` of the next request', examples: ['1234.r.5f3a0c'] },
    hasMore: { type: 'boolean', description: 'Whether more changes are waiting for the next request' },
  }),
  BatchResults: object({
    results: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          status: { type: 'integer', enum: [200, 201, 204], description: 'That of the request of its own' },
          etag: { type: 'string', description: 'The ETag of the document', examples: [ETAG_EXAMPLE] },
          document: refTo('DocumentOrPart'),
        },
        required: ['status'],
      },
      description: 'One for each operation, in their order',
      examples: [[{ status: 204 }]],
    },
  }),
  Reference: {
    ...object({ id: { type: 'string', minLength: 1 } }),
    description: 'Stands for the whole record of this id, which the server puts in its place',
    additionalProperties: false,
    examples: [{ id: '66f000000000000000000301' }],
  },
}

/** With members that may be missing. */
function withOptional(schema: JsonSchema, properties: JsonSchemas): JsonSchema {
  return { ...schema, properties: { ...(schema['properties'] as JsonSchemas), ...properties } }
}

/** An object whose members are all there. */
function object(properties: JsonSchemas): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) }
}
