import { language } from './language.ts'
import { boolean, choice, embedded, id, model, record, text, timestamp } from './schema.ts'

export const userAppSettings = model({
  name: 'user_app_settings',
  fields: {
    id: id(),
    displaySettings: record(
      {
        baseTheme: choice(['light', 'dark', 'system']),
        accentTheme: choice(['defaultBlue', 'newsRed', 'graphiteGray']),
        fontFamily: text(),
        textScaleFactor: choice(['small', 'medium', 'large', 'extraLarge']),
        fontWeight: choice(['light', 'regular', 'bold']),
      },
      'drop',
    ),
    language: embedded(language),
    feedPreferences: record(
      {
        headlineDensity: choice(['compact', 'standard', 'comfortable']),
        headlineImageStyle: choice(['hidden', 'smallThumbnail', 'largeThumbnail']),
        showSourceInHeadlineFeed: boolean(),
        showPublishDateInHeadlineFeed: boolean(),
      },
      'drop',
    ),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  },
  extras: 'drop',
  access: { list: 'admin', read: 'owner', create: 'owner', replace: 'owner', remove: 'owner' },
  search: [],
  indexes: [],
  owned: true,
})
