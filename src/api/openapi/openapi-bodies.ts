/** The schemas that no declaration gives: failures, metadata, pages and references. */
import { FAILURES } from '../../base/failure.ts'
import type { JsonSchema, JsonSchemas } from '../../base/json-schema.ts'
import { METADATA } from './openapi-responses.ts'
import { refTo } from './openapi-schema.ts'

export const SHARED_SCHEMAS: JsonSchemas = {
  Failure: object({
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', enum: Object.keys(FAILURES), description: 'For programs; it never changes' },
        message: { type: 'string', description: 'For people: what was found and what is wanted' },
        problems: {
          $ref: '#/components/schemas/DocumentProblems/properties/problems',
          description: 'The first problem of the document, where that is the reason; `POST /data/check` lists all',
        },
      },
      required: ['code', 'message'],
    },
  }),
  Metadata: object({
    requestId: { type: 'string', description: 'As in `X-Request-Id`', examples: [METADATA.requestId] },
    timestamp: { type: 'string', format: 'date-time', description: 'When the response was made' },
  }),
  Page: object({
    items: { type: 'array', items: refTo('Document') },
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
  Reference: {
    ...object({ id: { type: 'string', minLength: 1 } }),
    description: 'Stands for the whole record of this id, which the server puts in its place',
    additionalProperties: false,
    examples: [{ id: '66f000000000000000000301' }],
  },
}

/** An object whose members are all there. */
function object(properties: JsonSchemas): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) }
}
