import { country } from './country.ts'
import { language } from './language.ts'
import { choice, constant, createdAt, embedded, httpUrl, id, model, nonBlankText, optionalText, text, updatedAt } from './schema.ts'
import { status } from './workflow.ts'

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
    url: httpUrl({ description: 'Link to its home page', example: 'https://harbour.example' }),
    logoUrl: {
      ...optionalText({ description: 'Link to its logo; empty where there is none', example: 'https://harbour.example/logo.png' }),
      form: 'httpUrl',
    },
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
  words: ['name', 'description', 'headquarters.name'],
  indexes: [
    ['name'],
    ['status', 'name'],
    ['updatedAt:desc'],
    ['status', 'updatedAt:desc', '+sourceType', '+language.code', '+headquarters.id'],
    ['headquarters.id', 'status', 'updatedAt:desc'],
    ['language.id', 'status', 'updatedAt:desc'],
  ],
  sought: ['url'],
  trigrams: true,
  counted: true,
  tallied: ['headquarters.id'],
})
