import { id, model, whole } from './schema.ts'

/** The figures of the dashboard's first page, computed for each request. */
export const dashboardSummary = model({
  name: 'dashboard_summary',
  fields: { id: id(), headlineCount: whole(), topicCount: whole(), sourceCount: whole() },
  extras: 'drop',
  access: {
    list: 'publisher',
    read: 'publisher',
    create: 'unsupported',
    replace: 'unsupported',
    remove: 'unsupported',
  },
  search: [],
  indexes: [],
  singleton: '6643b1b7a4a4e6e1a8e7b1c3',
  computed: true,
})
