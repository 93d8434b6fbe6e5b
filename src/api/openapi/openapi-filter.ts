/** The language of filters as the description of the API tells it: once, with an example of each operator. */
import type { Json } from '../../base/json.ts'
import type { JsonSchema, JsonSchemas } from '../../base/json-schema.ts'

interface OperatorWords {
  readonly about: string
  /** A whole filter that uses it. */
  readonly example: Readonly<Record<string, Json>>
  readonly schema?: JsonSchema
}

const LIST: JsonSchema = { type: 'array', maxItems: 1000 }
const FILTERS: JsonSchema = { type: 'array', items: { $ref: '#/components/schemas/Filter' }, minItems: 1 }

/** Operators that combine filters. */
const COMBINING: Readonly<Record<string, OperatorWords>> = {
  $and: {
    about: 'All of the filters hold',
    example: { $and: [{ status: 'active' }, { 'topic.name': 'Harbours' }] },
    schema: FILTERS,
  },
  $or: {
    about: 'One of the filters holds, or more',
    example: { $or: [{ status: 'draft' }, { status: 'archived' }] },
    schema: FILTERS,
  },
  $nor: { about: 'None of the filters holds', example: { $nor: [{ status: 'draft' }] }, schema: FILTERS },
}

/** Operators that test the field they stand at. */
const TESTING: Readonly<Record<string, OperatorWords>> = {
  $eq: { about: 'Equal; a plain value means the same', example: { status: { $eq: 'active' } } },
  $ne: { about: 'Not equal, or not there', example: { status: { $ne: 'draft' } } },
  $gt: { about: 'Greater', example: { updatedAt: { $gt: '2026-03-01T00:00:00Z' } } },
  $gte: { about: 'Greater or equal', example: { updatedAt: { $gte: '2026-03-01' } } },
  $lt: { about: 'Less', example: { updatedAt: { $lt: '2026-03-01T00:00:00+01:00' } } },
  $lte: { about: 'Less or equal', example: { title: { $lte: 'M' } } },
  $in: {
    about: 'Equal to one of the list',
    example: { 'source.language.code': { $in: ['en', 'de'] } },
    schema: LIST,
  },
  $nin: { about: 'Equal to none of the list', example: { status: { $nin: ['draft', 'archived'] } }, schema: LIST },
  $all: { about: 'An array that has all of the list', example: { tags: { $all: ['sea', 'wind'] } }, schema: LIST },
  $size: {
    about: 'An array of so many items',
    example: { followedTopics: { $size: 0 } },
    schema: { type: 'integer', minimum: 0 },
  },
  $elemMatch: {
    about: 'An array with an item that fulfils all of it',
    example: { savedFilters: { $elemMatch: { name: 'Sea', topics: { $size: 1 } } } },
    schema: { type: 'object' },
  },
  $exists: { about: 'The member is there, or with false is not', example: { subtitle: { $exists: false } } },
  $type: {
    about: 'Of the type: `string`, `number`, `bool`, `object`, `array`, `null`, or one of a list of them',
    example: { priority: { $type: 'number' } },
    schema: { type: ['string', 'integer', 'array'] },
  },
  $mod: {
    about: 'A number that leaves the second number when divided by the first',
    example: { priority: { $mod: [2, 0] } },
    schema: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
  },
  $regex: {
    about:
      'A text in which the regular expression is found: of JavaScript, without look-around and back-references. ' +
      'One that is none is searched for as it stands',
    example: { title: { $regex: 'ferry|boat', $options: 'i' } },
    schema: { type: 'string', maxLength: 1000 },
  },
  $options: {
    about:
      'Flags beside `$regex`: `i` for upper and lower case alike, `m` for lines, `s` for a dot that takes all, ' +
      '`x` for white space and comments that are ignored',
    example: { title: { $regex: '^new', $options: 'i' } },
    schema: { type: 'string' },
  },
  $not: {
    about: 'The operators in it do not hold, or the member is not there',
    example: { title: { $not: { $regex: 'ferry' } } },
    schema: { type: 'object' },
  },
}

/** Keys at the top of a filter that name no field. */
const SEARCHING: Readonly<Record<string, OperatorWords>> = {
  q: { about: 'Searches the titles and names of the model for a text', example: { q: 'ferry' } },
  usage: {
    about: 'Of countries, those with active headlines or active sources',
    example: { usage: 'eventCountry' },
  },
}

/** For `x-dateline-operators`: what a filter can say, in the order in which one learns it. */
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
