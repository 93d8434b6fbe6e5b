/** The parameters of the query, and headers, that endpoints name. */
import { describe, fail } from '../base/failure.ts'
import type { JsonSchema } from '../base/json-schema.ts'
import { LOG_LEVELS } from '../base/log-level.ts'
import { MESSAGE_STATES } from '../models/message-state.ts'
import { MODELS } from '../models/registry.ts'
import type { Query } from '../http/request/query-string.ts'

export const ETAG_EXAMPLE = '"n4bQgYhMfWWaL-qgxVrQFa"'

const NEWEST_DEFAULT = 100
const NEWEST_MAX = 1_000

export const SORT: JsonSchema = {
  type: 'string',
  pattern: '^[^,:]+(:(asc|desc))?(,[^,:]+(:(asc|desc))?)*$',
  description: 'Dotted paths, each with `:desc` for the greatest first; what ties is ordered by id',
  examples: ['updatedAt:desc,title:asc'],
}

export const LIMIT: JsonSchema = {
  type: 'integer',
  minimum: 0,
  description:
    'How many at most; 20 without it and never more than 100, unless the service is set otherwise. A page ends before ' +
    'its documents pass 8 MiB, and then has fewer with `hasMore` true; it always has one',
  examples: [20],
}

export const CURSOR: JsonSchema = {
  type: 'string',
  description: '`cursor` of the page before, with the same filter and sort',
}

/** By their names in `components.parameters`: two endpoints may call different parameters by the same name. */
export const PARAMETERS = {
  model: {
    ...inQuery('model', { type: 'string', enum: MODELS.map(({ name }) => name) }),
    required: true,
    description: 'Which kind of document is meant',
    example: 'headline',
  },
  filter: filterWith({ status: 'active' }, 'Which documents to list, as JSON; all without it'),
  sort: described(inQuery('sort', SORT)),
  limit: described(inQuery('limit', LIMIT)),
  cursor: described(inQuery('cursor', CURSOR)),
  newest: {
    ...inQuery('limit', { type: 'integer', minimum: 1, maximum: NEWEST_MAX, default: NEWEST_DEFAULT }),
    description: 'How many of the newest',
    example: 20,
  },
  level: {
    ...inQuery('level', { type: 'string', enum: LOG_LEVELS, default: 'info' }),
    description: 'The least important level',
    example: 'warn',
  },
  state: {
    ...inQuery('state', { type: 'string', enum: MESSAGE_STATES }),
    description: 'Only mails in this state',
    example: 'waiting',
  },
  id: {
    ...inQuery('id', { type: 'string', minLength: 1 }),
    description: 'The document that the body is to replace; without it, a new one is meant',
    example: '66f000000000000000000301',
  },
  email: {
    ...inQuery('email', { type: 'string', minLength: 1 }),
    description: 'Only what was done with this e-mail address: codes, sign-ins and invitations',
    example: 'reader@example.org',
  },
  auditFilter: filterWith({ event: 'document.deleted' }, 'Which records to list, as JSON; all without it'),
  auditSort: {
    ...inQuery('sort', { type: 'string', pattern: SORT['pattern'] }),
    description: 'Dotted paths, each with `:desc` for the greatest first; `time:desc,id:desc` without it',
    example: 'time:desc',
  },
  ifMatch: inHeader('If-Match', 'ETags of which the document must have one, or `*`'),
  ifNoneMatch: inHeader('If-None-Match', 'ETags of which the document must have none'),
} as const

export type ParameterName = keyof typeof PARAMETERS

export function readNewest(query: Query): number {
  const given = query.get('limit')
  if (given === undefined) return NEWEST_DEFAULT
  const count = /^\d{1,4}$/.test(given) ? Number(given) : 0
  if (count >= 1 && count <= NEWEST_MAX) return count
  throw fail('badRequest', `Cannot read limit ${describe(given)}: expected a whole number from 1 to ${NEWEST_MAX}`)
}

/** A parameter of the query that is one of a few texts. Throws badRequest for any other. */
export function readChoice<V extends string>(query: Query, name: string, values: readonly V[]): V | undefined {
  const given = query.get(name)
  const value = values.find((one) => one === given)
  if (given === undefined || value !== undefined) return value
  throw fail('badRequest', `Cannot read ${name} ${describe(given)}: expected one of ${values.join(', ')}`)
}

interface QueryParameter {
  readonly name: string
  readonly in: 'query'
  readonly schema: JsonSchema
}

function inQuery(name: string, schema: JsonSchema): QueryParameter {
  return { name, in: 'query', schema }
}

function filterWith(example: object, description: string) {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Filter' }, example } }
  return { name: 'filter', in: 'query', description, content } as const
}

function inHeader(name: string, description: string) {
  return { name, in: 'header', description, schema: { type: 'string' }, example: ETAG_EXAMPLE } as const
}

/** With what the schema says of itself, where readers look for it. */
function described(parameter: QueryParameter): QueryParameter {
  const { description, examples, ...schema } = parameter.schema
  const example = Array.isArray(examples) ? { example: examples[0] as unknown } : {}
  return Object.assign({ ...parameter, schema, description }, example)
}
