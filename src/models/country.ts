import { code, constant, createdAt, id, model, nonBlankText, siteUrl, updatedAt } from './schema.ts'
import { status } from './workflow.ts'

export const country = model({
  name: 'country',
  description: 'A country of events and of publishers',
  fields: {
    id: id({ example: '66f000000000000000000101' }),
    isoCode: code('countryCode', { description: 'Two letters of ISO 3166-1', example: 'IS' }),
    name: nonBlankText({ example: 'Iceland' }),
    flagUrl: siteUrl({ description: 'Link to a picture of its flag', example: 'https://flagcdn.com/h40/is.png' }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    status: status(),
    type: constant('country'),
  },
  extras: 'keep',
  access: { list: 'everybody', read: 'everybody', create: 'admin', replace: 'admin', remove: 'admin' },
  search: ['name'],
  words: ['name', 'isoCode'],
  indexes: [['name'], ['status', 'name'], ['updatedAt:desc']],
  sought: ['isoCode'],
  distinct: 'isoCode',
})
