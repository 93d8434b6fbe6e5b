import { id, model, whole } from './schema.ts'

export const dashboardSummary = model({
  name: 'dashboard_summary',
  description: 'How much active content there is, counted for each request',
  fields: {
    id: id({ example: '6643b1b7a4a4e6e1a8e7b1c3' }),
    headlineCount: whole({ description: 'Active headlines', example: 1204 }),
    topicCount: whole({ description: 'Active topics', example: 12 }),
    sourceCount: whole({ description: 'Active sources', example: 57 }),
  },
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
