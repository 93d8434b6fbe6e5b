import { country } from './country.ts'
import { constant, createdAt, embedded, httpUrl, id, model, nonBlankText, optionalDate, text, updatedAt } from './schema.ts'
import { source } from './source.ts'
import { status } from './workflow.ts'
import { topic } from './topic.ts'

export const headline = model({
  name: 'headline',
  description: 'A news item that links to the article at its source',
  fields: {
    id: id({ example: '66f000000000000000000501' }),
    title: nonBlankText({ example: 'New ferry line opens' }),
    excerpt: text({
      description: 'A few sentences of the article, shown below the title',
      example: 'Two boats a day from next week.',
    }),
    url: httpUrl({ description: 'Link to the article', example: 'https://harbour.example/ferry' }),
    imageUrl: httpUrl({ description: 'Link to the picture on the card', example: 'https://harbour.example/ferry.jpg' }),
    source: embedded(source, { description: 'The publisher' }),
    eventCountry: embedded(country, { description: 'The country of the event' }),
    topic: embedded(topic, { description: 'The subject' }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    status: status(),
    type: constant('headline'),
    publishedAt: optionalDate({
      description: 'When it was first published: set by the server then, and changeable',
      example: '2026-03-01T09:30:00.000Z',
    }),
    publishAt: optionalDate({ description: 'When the service publishes it: a time to come, of a draft only' }),
    unpublishAt: optionalDate({ description: 'When the service archives it: a time to come, after publishAt' }),
    handedInAt: optionalDate({
      description: 'Since when the draft is ready for review: any date hands it in, and the server sets its own time',
    }),
  },
  extras: 'keep',
  access: { list: 'everybody', read: 'everybody', create: 'publisher', replace: 'publisher', remove: 'publisher' },
  search: ['title'],
  words: ['title', 'excerpt', 'source.name', 'topic.name', 'eventCountry.name'],
  indexes: [
    ['updatedAt:desc', '+title'],
    ['publishedAt:desc', '+title'],
    ['title', '+status'],
    ['status', 'updatedAt:desc', '+topic.id', '+source.id', '+eventCountry.id', '+title'],
    ['status', 'publishedAt:desc', '+topic.id', '+source.id', '+eventCountry.id'],
    ['topic.id', 'status', 'updatedAt:desc', '+source.id', '+eventCountry.id'],
    ['source.id', 'status', 'updatedAt:desc', '+topic.id', '+eventCountry.id'],
    ['eventCountry.id', 'status', 'updatedAt:desc', '+topic.id', '+source.id'],
  ],
  sought: ['url'],
  sparse: ['publishAt', 'unpublishAt'],
  trigrams: true,
  counted: true,
  tallied: ['topic.id', 'source.id', 'eventCountry.id'],
  timeline: 'createdAt',
})
