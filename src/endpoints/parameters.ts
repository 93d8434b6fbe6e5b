/** The parameters of the query, and headers, that endpoints name. */
import { parseIsoDate } from '../base/dates.ts'
import { describe, fail } from '../base/failure.ts'
import type { JsonSchema } from '../base/json-schema.ts'
import { LOG_LEVELS } from '../base/log-level.ts'
import { PULL_DOCUMENTS_MAX } from '../content/sync/sync-pull.ts'
import { INVITATION_LANGUAGES } from '../mail/templates/invitation-mail.ts'
import { MESSAGE_STATES } from '../models/message-state.ts'
import { MODELS } from '../models/registry.ts'
import { isReviewed } from '../models/workflow.ts'
import type { Model } from '../models/schema.ts'
import type { Query } from '../http/query-string.ts'
import { SEARCH_CHARS_MAX } from '../query/words.ts'

export const ETAG_EXAMPLE = '"n4bQgYhMfWWaL-qgxVrQFa"'

const NEWEST_DEFAULT = 100
const NEWEST_MAX = 1_000
const LOG_TEXT_CHARS_MAX = 200

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
  minLength: 1,
  description: '`cursor` of the page before, with the same filter and sort',
}

export const SEARCH: JsonSchema = {
  type: 'string',
  maxLength: SEARCH_CHARS_MAX,
  description:
    'Words that documents must have, in any order: headlines in title, excerpt, and the names of source, topic and country. Case and ' +
    'accents do not count, and a part of a word is enough: `alegraes` finds `Ålegræsset`. Two letters are looked for at ' +
    'the beginning of words, and one as a word. The newest come first unless `sort` says otherwise',
  examples: ['rolls streetcar'],
}

export const CHANGED_BY: JsonSchema = {
  type: 'string',
  minLength: 1,
  description:
    'Ids of users, separated by commas, at most 20: only documents that one of them has created or changed, as far back as ' +
    'the log of changes goes. For publishers and administrators. It looks at the last 5,000 changes of a user and finds up ' +
    'to 1,000 documents, which several users share. If there are more, the list has `isPartial` true, and a count ' +
    '`totalIsFloor`. An export has all, and is refused above 200,000',
  examples: ['66f000000000000000000101'],
}

export const FIELDS: JsonSchema = {
  type: 'string',
  maxLength: 2000,
  pattern: '^[^,]+(,[^,]+)*$',
  description:
    'The members that documents have in the response, as dotted paths that the model declares, at most 50; `id` is always ' +
    'there. A path through a list takes the member of each item. The schema of such a document is `PartialDocument`',
  examples: ['title,source.name'],
}

export const COUNT: JsonSchema = {
  type: 'boolean',
  description:
    'Whether the page tells in `total` how many documents the filter lists on all pages: exact up to 10,000, else a floor, ' +
    'with `totalIsFloor` true',
  examples: [true],
}

export const INCOMPLETE: JsonSchema = {
  type: 'boolean',
  description:
    'Whether incomplete drafts are there for this request: documents of status `draft` that lack required members. For ' +
    'callers who may write the model. Without it they are in no list and no count, and have no id',
  examples: [true],
}

/** Models with documents of their own: the others are computed, and can be neither written nor explained. */
export const WRITABLE_MODELS = MODELS.filter((model: Model) => model.computed === undefined).map(({ name }) => name)

/** By their names in `components.parameters`: two endpoints may call different parameters by the same name. */
export const PARAMETERS = {
  model: modelAmong(MODELS.map(({ name }) => name)),
  writableModel: modelAmong(WRITABLE_MODELS),
  describedModel: {
    ...inQuery('model', { type: 'string', enum: MODELS.map(({ name }) => name) }),
    description: 'The model whose clients it is for; the whole API without it',
    example: 'headline',
  },
  reviewedModel: modelAmong(MODELS.filter(isReviewed).map(({ name }) => name)),
  filter: filterWith({ status: 'active' }, 'Which documents to list, as the text of a `Filter` in JSON; all without it'),
  sort: described(inQuery('sort', SORT)),
  limit: described(inQuery('limit', LIMIT)),
  cursor: described(inQuery('cursor', CURSOR)),
  search: described(inQuery('search', SEARCH)),
  changedBy: described(inQuery('changedBy', CHANGED_BY)),
  fields: described(inQuery('fields', FIELDS)),
  count: described(inQuery('count', COUNT)),
  incomplete: described(inQuery('incomplete', INCOMPLETE)),
  newest: {
    ...inQuery('limit', { type: 'integer', minimum: 1, maximum: NEWEST_MAX, default: NEWEST_DEFAULT }),
    description: 'How many of the newest',
    example: 20,
  },
  checkpointId: {
    ...inQuery('id', { type: 'string' }),
    description: '`id` of the checkpoint of the last page; empty without one',
    example: '',
  },
  checkpointSeq: {
    ...inQuery('lwt', { type: 'integer', minimum: 0, default: 0 }),
    description: '`lwt` of the checkpoint of the last page; 0 without one',
    example: 0,
  },
  pullLimit: {
    ...inQuery('limit', { type: 'integer', minimum: 1, maximum: PULL_DOCUMENTS_MAX }),
    required: true,
    description: 'How many documents at most: `batchSize` of the client',
    example: 100,
  },
  level: {
    ...inQuery('level', { type: 'string', enum: LOG_LEVELS, default: 'info' }),
    description: 'The least important level',
    example: 'warn',
  },
  logText: {
    ...inQuery('text', { type: 'string', maxLength: LOG_TEXT_CHARS_MAX }),
    description: 'Words that a line has to have, in its event or its fields, in any case',
    example: 'timeout',
  },
  logRoute: {
    ...inQuery('route', { type: 'string', maxLength: LOG_TEXT_CHARS_MAX }),
    description: 'The beginning of a path, with or without its method: only requests to it',
    example: 'POST /api/v1/data',
  },
  logFrom: {
    ...inQuery('from', { type: 'string', format: 'date-time' }),
    description: 'Only lines since this time',
    example: '2026-03-01T09:00:00.000Z',
  },
  logTo: {
    ...inQuery('to', { type: 'string', format: 'date-time' }),
    description: 'Only lines up to this time',
    example: '2026-03-01T10:00:00.000Z',
  },
  invitation: {
    ...inQuery('invitation', { type: 'string', enum: ['mail', 'none'] }),
    description: 'Of a new user: whether a mail invites it; without it, one does where `--mail` and `--invitation-url` are set',
    example: 'mail',
  },
  language: {
    ...inQuery('language', { type: 'string', enum: INVITATION_LANGUAGES }),
    description: 'Of a new user: the language of the mail and of the account; without it, that of `Accept-Language` and English',
    example: 'de',
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
  auditFilter: filterWith({ event: 'document.deleted' }, 'Which records to list, as the text of a `Filter` in JSON; all without it'),
  auditSort: {
    ...inQuery('sort', { type: 'string', pattern: SORT['pattern'] }),
    description: 'Dotted paths, each with `:desc` for the greatest first; `time:desc,id:desc` without it',
    example: 'time:desc',
  },
  older: {
    ...inQuery('cursor', { type: 'string', minLength: 1, pattern: '^[0-9]{1,15}$' }),
    description: '`cursor` of the page before',
  },
  pictureCursor: {
    ...inQuery('cursor', { type: 'string', minLength: 1, pattern: '^[0-9]{1,15}-[0-9a-f]{64}$' }),
    description: '`cursor` of the page before',
  },
  pictureSearch: {
    ...inQuery('search', { type: 'string', maxLength: SEARCH_CHARS_MAX }),
    description: 'Only pictures whose description has these words, in any order and any case, without regard to accents',
    example: 'white ferry',
  },
  unused: {
    ...inQuery('unused', { type: 'boolean', default: false }),
    description: 'Whether only pictures are listed that no document names',
    example: true,
  },
  seq: {
    ...inQuery('seq', { type: 'integer', minimum: 1 }),
    description: 'The change of the history that left the version; without it, the document comes out of the trash',
    example: 4711,
  },
  url: {
    ...inQuery('url', { type: 'string' }),
    required: true,
    description: 'The address, as it is typed',
    example: 'https://harbour.example/ferry',
  },
  except: {
    ...inQuery('except', { type: 'string', minLength: 1 }),
    description: 'The id of the document that has the address, which is no duplicate of itself',
    example: '66f000000000000000000501',
  },
  replaceBy: {
    ...inQuery('replaceBy', { type: 'string', minLength: 1 }),
    description: 'The id of the document of this model that takes its place in all copies; without it, they are kept',
    example: '66f000000000000000000302',
  },
  ifMatch: inHeader('If-Match', 'ETags: the document must have one of them; `*` stands for any'),
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'A new text for each request, such as a UUID, in quotes; its repetitions have the same',
    schema: { type: 'string', minLength: 1, maxLength: 257 },
    example: '"8e03978e-40d5-43e8-bc93-6894a57f9324"',
  },
  since: {
    ...inQuery('since', { type: 'string', pattern: '^(now|\\d{1,15}(\\.[a-z]\\.[\\w-]{1,64})?)$' }),
    description: '`next` of the response before, or the `id` of an event; a number is a `seq`, and `now` leaves out what was',
    example: 'now',
  },
  models: {
    ...inQuery('models', { type: 'string', minLength: 1 }),
    description: 'Names of models, separated by commas; without it all that the roles of the caller may list',
    example: 'headline,topic',
  },
  changesLimit: {
    ...inQuery('limit', { type: 'integer', minimum: 1, default: 100 }),
    description: 'How many changes at most; never more than 1,000',
    example: 100,
  },
  wait: {
    ...inQuery('wait', { type: 'integer', minimum: 0, default: 0 }),
    description: 'Seconds to wait for a change where there is none, at most 55',
    example: 30,
  },
  editing: {
    ...inQuery('editing', { type: 'string', pattern: '^[a-z_]+:[\\w-]{1,100}(,[a-z_]+:[\\w-]{1,100}){0,7}$' }),
    description: 'What a publisher or an administrator edits: a model and an id, at most 8 of them, separated by commas',
    example: 'headline:66f000000000000000000501',
  },
  ticket: {
    ...inQuery('ticket', { type: 'string', minLength: 1 }),
    description: 'In place of a token: `ticket` of `POST /api/v1/changes/ticket`',
    example: 'eyJ1IjoiNjZmMCJ9.c2lnbmF0dXJl',
  },
  ifNoneMatch: inHeader('If-None-Match', 'ETags: the document must have none of them'),
} as const

export type ParameterName = keyof typeof PARAMETERS

export function readNewest(query: Query): number {
  const given = query.get('limit')
  if (given === undefined) return NEWEST_DEFAULT
  const count = /^\d{1,4}$/.test(given) ? Number(given) : 0
  if (count >= 1 && count <= NEWEST_MAX) return count
  throw fail('badRequest', `Cannot read limit ${describe(given)}: expected a whole number from 1 to ${NEWEST_MAX}`)
}

/** A short text of the query. Throws badRequest for a longer one. */
export function readShortText(query: Query, name: string): string | undefined {
  const given = query.get(name)
  if (given === undefined || given.length <= LOG_TEXT_CHARS_MAX) return given
  throw fail('badRequest', `Cannot read ${name}: expected at most ${LOG_TEXT_CHARS_MAX} characters, found ${given.length}`)
}

/** A time of the query in milliseconds since the epoch. Throws badRequest for what is no date. */
export function readTime(query: Query, name: string): number | undefined {
  const given = query.get(name)
  if (given === undefined) return undefined
  const time = parseIsoDate(given)
  if (time !== undefined) return Date.parse(time)
  throw fail('badRequest', `Cannot read ${name} ${describe(given)}: expected a time such as 2026-03-01T09:00:00Z`)
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

function modelAmong(names: readonly string[]) {
  const description = 'Which kind of document is meant'
  return { ...inQuery('model', { type: 'string', enum: names }), required: true, description, example: 'headline' }
}

function filterWith(example: object, description: string) {
  const schema = { type: 'string', contentMediaType: 'application/json', contentSchema: { $ref: '#/components/schemas/Filter' } }
  return { ...inQuery('filter', schema), description, example: JSON.stringify(example) }
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
