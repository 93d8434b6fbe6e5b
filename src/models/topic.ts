import { constant, id, model, nonBlankText, text, timestamp } from './schema.ts'
import { status } from './status.ts'

export const topic = model({
  name: 'topic',
  fields: {
    id: id(),
    name: nonBlankText(),
    description: text(),
    iconUrl: text(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    status: status(),
    type: constant('topic'),
  },
  extras: 'keep',
  access: { list: 'everybody', read: 'everybody', create: 'admin', replace: 'admin', remove: 'admin' },
  search: ['name'],
  indexes: [['name'], ['status', 'name'], ['updatedAt:desc'], ['status', 'updatedAt:desc']],
  trigrams: true,
  counted: true,
})
