import { code, createdAt, id, model, nonBlankText, text, updatedAt } from './schema.ts'
import { status } from './workflow.ts'

export const language = model({
  name: 'language',
  description: 'A language that sources write in and that apps are shown in',
  fields: {
    id: id({ example: '66f000000000000000000201' }),
    code: code('languageCode', { description: 'Two letters of ISO 639-1', example: 'is' }),
    name: nonBlankText({ description: 'Its name in English', example: 'Icelandic' }),
    nativeName: text({ description: 'Its name in itself', example: 'Íslenska' }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    status: status(),
  },
  extras: 'keep',
  access: { list: 'everybody', read: 'everybody', create: 'admin', replace: 'admin', remove: 'admin' },
  search: ['name', 'nativeName', 'code'],
  words: ['name', 'nativeName', 'code'],
  indexes: [['name'], ['status', 'name'], ['updatedAt:desc']],
  sought: ['code'],
  distinct: 'code',
})
