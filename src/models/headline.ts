import { country } from './country.ts'
import { constant, embedded, id, model, nonBlankText, text, timestamp } from './schema.ts'
import { source } from './source.ts'
import { status } from './status.ts'
import { topic } from './topic.ts'

export const headline = model({
  name: 'headline',
  fields: {
    id: id(),
    title: nonBlankText(),
    excerpt: text(),
    url: text(),
    imageUrl: text(),
    source: embedded(source),
    eventCountry: embedded(country),
    topic: embedded(topic),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    status: status(),
    type: constant('headline'),
  },
  extras: 'keep',
  access: { list: 'everybody', read: 'everybody', create: 'publisher', replace: 'publisher', remove: 'publisher' },
  search: ['title'],
  indexes: [
    ['updatedAt:desc', '+title'],
    ['status', 'updatedAt:desc', '+topic.id', '+source.id', '+eventCountry.id', '+title'],
    ['topic.id', 'status', 'updatedAt:desc', '+source.id', '+eventCountry.id'],
    ['source.id', 'status', 'updatedAt:desc', '+topic.id', '+eventCountry.id'],
    ['eventCountry.id', 'status', 'updatedAt:desc', '+topic.id', '+source.id'],
  ],
  trigrams: true,
  counted: true,
  tallied: ['topic.id', 'source.id', 'eventCountry.id'],
  timeline: 'createdAt',
})
