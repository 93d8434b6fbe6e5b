import { boolean, choice, date, id, map, model, nullable, record, text, timestamp, type DocumentOf } from './schema.ts'

export const APP_ROLES = ['guestUser', 'standardUser', 'premiumUser'] as const
/** Each may do what those before it may. */
export const DASHBOARD_ROLES = ['none', 'publisher', 'admin'] as const
/** The cards that the mobile feed mixes in, and that remote_config switches on and off. */
export const DECORATORS = [
  'linkAccount',
  'upgrade',
  'rateApp',
  'enableNotifications',
  'suggestedTopics',
  'suggestedSources',
] as const

export const user = model({
  name: 'user',
  fields: {
    id: id(),
    email: text(),
    appRole: choice(APP_ROLES, { initial: 'standardUser' }),
    dashboardRole: choice(DASHBOARD_ROLES, { initial: 'none' }),
    createdAt: timestamp(),
    feedDecoratorStatus: map(DECORATORS, record({ isCompleted: boolean(), lastShownAt: nullable(date()) }, 'drop')),
    updatedAt: timestamp(),
  },
  extras: 'drop',
  access: { list: 'admin', read: 'owner', create: 'admin', replace: 'owner', remove: 'owner' },
  search: ['email'],
  indexes: [['createdAt:desc'], ['dashboardRole', 'createdAt:desc']],
  unique: 'email',
})

export type User = DocumentOf<typeof user>
