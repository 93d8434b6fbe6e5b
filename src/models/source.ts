import { country } from './country.ts'
import { language } from './language.ts'
import { choice, constant, embedded, id, model, nonBlankText, text, timestamp } from './schema.ts'
import { status } from './status.ts'

export const source = model({
  name: 'source',
  fields: {
    id: id(),
    name: nonBlankText(),
    description: text(),
    url: text(),
    sourceType: choice([
      'newsAgency',
      'localNewsOutlet',
      'nationalNewsOutlet',
      'internationalNewsOutlet',
      'specializedPublisher',
      'blog',
      'governmentSource',
      'aggregator',
      'other',
    ]),
    language: embedded(language),
    headquarters: embedded(country),
    createdAt: timestamp(),
    updatedAt: timestamp(),
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
