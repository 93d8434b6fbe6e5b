/** The filter language in the OpenAPI document: each operator once, with a description and an example. */
import type { Json } from '../../base/json.ts'
import type { JsonSchema, JsonSchemas } from '../../base/json-schema.ts'

interface OperatorWords {
  readonly about: string
  /** A whole filter that uses it. */
  readonly example: Readonly<Record<string, Json>>
  readonly schema?: JsonSchema
}

const LIST: JsonSchema = { type: 'array', items: {}, maxItems: 1000 }
const FILTERS: JsonSchema = { type: 'array', items: { $ref: '#/components/schemas/Filter' }, minItems: 1 }

/** Operators that combine filters. */
const COMBINING: Readonly<Record<string, OperatorWords>> = {
  $and: {
    about: 'All filters match',
    example: { $and: [{ status: 'active' }, { 'topic.name': 'Harbours' }] },
    schema: FILTERS,
  },
  $or: {
    about: 'At least one filter matches',
    example: { $or: [{ status: 'draft' }, { status: 'archived' }] },
    schema: FILTERS,
  },
  $nor: { about: 'No filter matches', example: { $nor: [{ status: 'draft' }] }, schema: FILTERS },
}

/** Operators that test one field. */
const TESTING: Readonly<Record<string, OperatorWords>> = {
  $eq: { about: 'Equal; a plain value means the same', example: { status: { $eq: 'active' } } },
  $ne: { about: 'Not equal, or missing', example: { status: { $ne: 'draft' } } },
  $gt: { about: 'Greater', example: { updatedAt: { $gt: '2026-03-01T00:00:00Z' } } },
  $gte: { about: 'Greater or equal', example: { updatedAt: { $gte: '2026-03-01' } } },
  $lt: { about: 'Less', example: { updatedAt: { $lt: '2026-03-01T00:00:00+01:00' } } },
  $lte: { about: 'Less or equal', example: { title: { $lte: 'M' } } },
  $in: {
    about: 'Equal to a value of the list',
    example: { 'source.language.code': { $in: ['en', 'de'] } },
    schema: LIST,
  },
  $nin: { about: 'Equal to no value of the list, or missing', example: { status: { $nin: ['draft', 'archived'] } }, schema: LIST },
  $all: { about: 'An array that contains all values of the list', example: { tags: { $all: ['sea', 'wind'] } }, schema: LIST },
  $size: {
    about: 'An array with this number of items',
    example: { followedTopics: { $size: 0 } },
    schema: { type: 'integer', minimum: 0 },
  },
  $elemMatch: {
    about: 'An array with one item that meets all conditions',
    example: { savedFilters: { $elemMatch: { name: 'Sea', topics: { $size: 1 } } } },
    schema: { type: 'object' },
  },
  $exists: { about: 'The member is present, or with false is missing', example: { subtitle: { $exists: false } } },
  $type: {
    about: 'Of the type: `string`, `number`, `bool`, `object`, `array`, `null`, or one of a list of them',
    example: { priority: { $type: 'number' } },
    schema: { type: ['string', 'integer', 'array'], items: { type: ['string', 'integer'] } },
  },
  $mod: {
    about: 'A number that has the second number as remainder when divided by the first',
    example: { priority: { $mod: [2, 0] } },
    schema: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
  },
  $regex: {
    about:
      'A text that matches the JavaScript regular expression, without look-around and back-references. ' +
      'A pattern that is not valid is searched for literally',
    example: { title: { $regex: 'ferry|boat', $options: 'i' } },
    schema: { type: 'string', maxLength: 1000 },
  },
  $options: {
    about:
      'Flags beside `$regex`: `i` ignores case, `m` matches at lines, `s` lets a dot match line breaks, ' +
      '`x` ignores white space and comments',
    example: { title: { $regex: '^new', $options: 'i' } },
    schema: { type: 'string' },
  },
  $not: {
    about: 'The condition is not met, or the member is missing',
    example: { title: { $not: { $regex: 'ferry' } } },
    schema: { type: 'object' },
  },
}

/** Keys at the top of a filter that name no field. */
const SEARCHING: Readonly<Record<string, OperatorWords>> = {
  q: { about: 'Searches the titles and names of the model for a text', example: { q: 'ferry' } },
  usage: {
    about: 'For countries: those with active headlines (`eventCountry`) or active sources (`headquarters`)',
    example: { usage: 'eventCountry' },
  },
}

/** For `x-dateline-operators` and the guide on queries, in the order of learning. */
export const OPERATORS: readonly JsonSchema[] = [
  ...operatorsOf('test', TESTING),
  ...operatorsOf('combination', COMBINING),
  ...operatorsOf('search', SEARCHING),
]

export const FILTER_SCHEMAS: JsonSchemas = {
  Filter: {
    type: 'object',
    description:
      'A query of MongoDB in JSON. Each member names a field by its dotted path and says what its value must be: a ' +
      'plain value to equal, or a `Condition`. All members must hold. A path that leads into an array asks each item. ' +
      'Numbers compare by value, texts by code point, dates as instants. At most 64 KiB, 100 levels and 1,000 ' +
      'conditions.',
    properties: schemasOf(COMBINING),
    additionalProperties: true,
    examples: [{ status: 'active', 'source.language.code': { $in: ['en', 'de'] } }],
  },
  Condition: {
    type: 'object',
    description: 'Operators that the value of a field must fulfil, all of them',
    properties: schemasOf(TESTING),
    additionalProperties: false,
    minProperties: 1,
    examples: [{ $gte: '2026-03-01T00:00:00Z', $lt: '2026-04-01T00:00:00Z' }],
  },
}

function operatorsOf(kind: string, words: Readonly<Record<string, OperatorWords>>): JsonSchema[] {
  return Object.entries(words).map(([name, { about, example }]) => ({ name, kind, about, example }))
}

function schemasOf(words: Readonly<Record<string, OperatorWords>>): JsonSchemas {
  return Object.fromEntries(
    Object.entries(words).map(([name, { about, schema = {} }]) => [name, { ...schema, description: about }]),
  )
}
