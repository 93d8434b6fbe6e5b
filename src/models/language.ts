import { id, model, nonBlankText, text, timestamp } from './schema.ts'
import { status } from './status.ts'

export const language = model({
  name: 'language',
  fields: {
    id: id(),
    code: text(),
    name: nonBlankText(),
    nativeName: text(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    status: status(),
  },
  extras: 'keep',
  access: { list: 'everybody', read: 'everybody', create: 'admin', replace: 'admin', remove: 'admin' },
  search: ['name', 'nativeName', 'code'],
  indexes: [['name'], ['status', 'name'], ['updatedAt:desc']],
})
