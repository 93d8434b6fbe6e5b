import { country } from './country.ts'
import { language } from './language.ts'
import { choice, constant, createdAt, embedded, id, model, nonBlankText, text, updatedAt } from './schema.ts'
import { status } from './status.ts'

const SOURCE_TYPES = [
  'newsAgency',
  'localNewsOutlet',
  'nationalNewsOutlet',
  'internationalNewsOutlet',
  'specializedPublisher',
  'blog',
  'governmentSource',
  'aggregator',
  'other',
] as const

export const source = model({
  name: 'source',
  description: 'A publisher of headlines',
  fields: {
    id: id({ example: '66f000000000000000000401' }),
    name: nonBlankText({ example: 'The Harbour Post' }),
    description: text({ description: 'A sentence about the publisher', example: 'A small paper about the sea.' }),
    url: text({ description: 'Link to its home page', example: 'https://harbour.example' }),
    sourceType: choice(SOURCE_TYPES, { description: 'The kind of publisher', example: 'localNewsOutlet' }),
    language: embedded(language, { description: 'The language that it mostly writes in' }),
    headquarters: embedded(country, { description: 'The country of its headquarters' }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    status: status(),
    type: constant('source'),
  },
  extras: 'keep',
  access: { list: 'everybody', read: 'everybody', create: 'admin', replace: 'admin', remove: 'admin' },
  search: ['name'],
  indexes: [
    ['name'],
    ['status', 'name'],
    ['updatedAt:desc'],
    ['status', 'updatedAt:desc', '+sourceType', '+language.code', '+headquarters.id'],
    ['headquarters.id', 'status', 'updatedAt:desc'],
  ],
  trigrams: true,
  counted: true,
  tallied: ['headquarters.id'],
})
