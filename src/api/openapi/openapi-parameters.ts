/** The parameters that routes name, in words. */
import { LOG_LEVELS } from '../../base/log-level.ts'
import { MESSAGE_STATES } from '../../models/message-state.ts'
import { MODELS } from '../../models/registry.ts'
import { NEWEST_DEFAULT, NEWEST_MAX } from '../newest.ts'
import { refTo, type JsonSchema } from './openapi-schema.ts'
import type { ParameterName } from '../route-docs.ts'

export const ETAG_SAMPLE = '"n4bQgYhMfWWaL-qgxVrQFa"'

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

export const PARAMETERS: Readonly<Record<ParameterName, JsonSchema>> = {
  model: {
    ...inQuery('model', { type: 'string', enum: MODELS.map(({ name }) => name) }),
    required: true,
    description: 'Which kind of document is meant',
    example: 'headline',
  },
  filter: {
    name: 'filter',
    in: 'query',
    description: 'Which documents to list, as JSON; all without it',
    content: { 'application/json': { schema: refTo('Filter'), example: { status: 'active' } } },
  },
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
  auditFilter: {
    name: 'filter',
    in: 'query',
    description: 'Which records to list, as JSON; all without it',
    content: { 'application/json': { schema: refTo('Filter'), example: { event: 'document.deleted' } } },
  },
  auditSort: {
    ...inQuery('sort', { type: 'string', pattern: SORT['pattern'] }),
    description: 'Dotted paths, each with `:desc` for the greatest first; `time:desc,id:desc` without it',
    example: 'time:desc',
  },
  ifMatch: inHeader('If-Match', 'ETags of which the document must have one, or `*`'),
  ifNoneMatch: inHeader('If-None-Match', 'ETags of which the document must have none'),
}

/** A part of the path. */
export function inPath(name: string): JsonSchema {
  return {
    name,
    in: 'path',
    required: true,
    description: name === 'id' ? 'The id of what is meant' : `The ${name} that is meant`,
    schema: { type: 'string', minLength: 1 },
  }
}

function inQuery(name: string, schema: JsonSchema): JsonSchema {
  return { name, in: 'query', schema }
}

function inHeader(name: string, description: string): JsonSchema {
  return { name, in: 'header', description, schema: { type: 'string' }, example: ETAG_SAMPLE }
}

/** With what the schema says of itself, where readers look for it. */
function described(parameter: JsonSchema): JsonSchema {
  const { description, examples, ...schema } = parameter['schema'] as JsonSchema
  const example = Array.isArray(examples) ? { example: examples[0] as unknown } : {}
  return { ...parameter, schema, description, ...example }
}
