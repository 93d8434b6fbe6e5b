import { country } from './country.ts'
import { constant, createdAt, embedded, id, model, nonBlankText, text, updatedAt } from './schema.ts'
import { source } from './source.ts'
import { status } from './status.ts'
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
    url: text({ description: 'Link to the article', example: 'https://harbour.example/ferry' }),
    imageUrl: text({ description: 'Link to the picture on the card', example: 'https://harbour.example/ferry.jpg' }),
    source: embedded(source, { description: 'The publisher' }),
    eventCountry: embedded(country, { description: 'The country of the event' }),
    topic: embedded(topic, { description: 'The subject' }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    status: status(),
    type: constant('headline'),
  },
  extras: 'keep',
  access: { list: 'everybody', read: 'everybody', create: 'publisher', replace: 'publisher', remove: 'publisher' },
  search: ['title'],
  indexes: [
    ['updatedAt:desc', '+title'],
    ['title', '+status'],
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
