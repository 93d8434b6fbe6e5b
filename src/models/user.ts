import {
  boolean,
  choice,
  createdAt,
  date,
  id,
  map,
  model,
  nullable,
  optionalName,
  record,
  text,
  updatedAt,
  type DocumentOf,
} from './schema.ts'

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
  description: 'An account, or a guest without an e-mail address',
  fields: {
    id: id({ example: '66f000000000000000000601' }),
    email: text({
      description: 'The e-mail address for sign-in codes; unique',
      example: 'reader@example.org',
    }),
    appRole: choice(APP_ROLES, {
      initial: 'standardUser',
      description: 'What the user may do in the apps; guestUser for a guest, and for no account with an e-mail address',
      example: 'standardUser',
    }),
    dashboardRole: choice(DASHBOARD_ROLES, {
      initial: 'none',
      description: 'What the user may do here: publishers write headlines, administrators do everything',
    }),
    createdAt: createdAt(),
    feedDecoratorStatus: map(
      DECORATORS,
      record(
        {
          isCompleted: boolean({ description: 'Whether the card is done' }),
          lastShownAt: nullable(date(), {
            description: 'When the card was last shown; null for never',
            example: '2026-03-01T08:15:00.000Z',
          }),
        },
        'drop',
      ),
      { description: 'Which cards of the feed the user has done with, by kind' },
    ),
    updatedAt: updatedAt(),
    displayName: optionalName({
      description: 'What a publisher or an administrator is called in the dashboard; no other user has it',
      example: 'Ana Lima',
    }),
  },
  extras: 'drop',
  access: { list: 'admin', read: 'owner', create: 'admin', replace: 'owner', remove: 'owner' },
  search: ['email'],
  indexes: [['createdAt:desc'], ['dashboardRole', 'createdAt:desc']],
  unique: 'email',
})

export type User = DocumentOf<typeof user>
