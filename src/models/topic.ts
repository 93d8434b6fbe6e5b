import { constant, createdAt, httpUrl, id, model, nonBlankText, text, updatedAt } from './schema.ts'
import { status } from './workflow.ts'

export const topic = model({
  name: 'topic',
  description: 'A subject that headlines belong to and that people follow',
  fields: {
    id: id({ example: '66f000000000000000000301' }),
    name: nonBlankText({ example: 'Harbours' }),
    description: text({ description: 'A sentence that says what belongs to it', example: 'Ships, ports and tides.' }),
    iconUrl: httpUrl({ description: 'Link to its icon', example: 'https://example.org/harbours.png' }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    status: status(),
    type: constant('topic'),
  },
  extras: 'keep',
  access: { list: 'everybody', read: 'everybody', create: 'admin', replace: 'admin', remove: 'admin' },
  search: ['name'],
  words: ['name', 'description'],
  indexes: [['name'], ['status', 'name'], ['updatedAt:desc'], ['status', 'updatedAt:desc']],
  trigrams: true,
  counted: true,
})
