/** The schemas that no declaration gives: failures, pages, and what the accounts endpoints take. */
import { FAILURES } from '../../base/failure.ts'
import { METADATA } from './openapi-replies.ts'
import { CURSOR, LIMIT, SORT } from './openapi-parameters.ts'
import { refTo, type JsonSchema, type JsonSchemas } from './openapi-schema.ts'

const EMAIL: JsonSchema = { type: 'string', description: 'An e-mail address', examples: ['you@example.org'] }
const DASHBOARD_FLAG: JsonSchema = {
  type: 'boolean',
  default: false,
  description: 'Only for those who may open the dashboard',
}

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
    timestamp: { type: 'string', format: 'date-time', description: 'When the reply was made' },
  }),
  Page: object({
    items: { type: 'array', items: refTo('Document') },
    cursor: {
      type: ['string', 'null'],
      description: 'Asks for the next page; null where there is none',
      examples: ['WyIyMDI2LTAzLTAxIl0'],
    },
    hasMore: {
      type: 'boolean',
      description: 'Whether there is a next page; the number of items does not tell, as pages have a limit in bytes',
    },
  }),
  Query: {
    type: 'object',
    description: 'The parameters of a list as a body; null is as good as nothing',
    properties: {
      filter: orNull(refTo('Filter')),
      sort: orNull(SORT),
      limit: orNull(LIMIT),
      cursor: { ...orNull(CURSOR), examples: [null] },
    },
  },
  Reference: {
    ...object({ id: { type: 'string', minLength: 1 } }),
    description: 'Stands for the whole record of this id, which the server puts in its place',
    additionalProperties: false,
    examples: [{ id: '66f000000000000000000301' }],
  },
  RequestCode: { ...object({ email: EMAIL, isDashboardLogin: DASHBOARD_FLAG }), required: ['email'] },
  VerifyCode: {
    ...object({
      email: EMAIL,
      code: { type: 'string', pattern: '^\\d{6}$', description: 'From the mail', examples: ['123456'] },
      isDashboardLogin: DASHBOARD_FLAG,
    }),
    required: ['email', 'code'],
  },
  NotReady: object({
    status: { const: 'unavailable' },
    instance: { type: 'string' },
    reasons: { type: 'array', items: { type: 'string' }, examples: [['less than 64 MiB of the disk are free']] },
  }),
}

/** An object whose members are all there. */
function object(properties: JsonSchemas): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) }
}

function orNull(schema: JsonSchema): JsonSchema {
  const { description, examples, ...rest } = schema
  return {
    anyOf: [rest, { type: 'null' }],
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
  }
}
