import { constant, id, model, nonBlankText, text, timestamp } from './schema.ts'
import { status } from './status.ts'

export const country = model({
  name: 'country',
  fields: {
    id: id(),
    isoCode: text(),
    name: nonBlankText(),
    flagUrl: text(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    status: status(),
    type: constant('country'),
  },
  extras: 'keep',
  access: { list: 'everybody', read: 'everybody', create: 'admin', replace: 'admin', remove: 'admin' },
  search: ['name'],
  indexes: [['name'], ['status', 'name'], ['updatedAt:desc']],
})
