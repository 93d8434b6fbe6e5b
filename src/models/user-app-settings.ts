import { language } from './language.ts'
import { boolean, choice, createdAt, embedded, id, model, OWNED, record, text, updatedAt } from './schema.ts'

export const userAppSettings = model({
  name: 'user_app_settings',
  description: 'How the apps look for a user; it has the id of its user',
  fields: {
    id: id({ example: '66f000000000000000000601' }),
    displaySettings: record(
      {
        baseTheme: choice(['light', 'dark', 'system']),
        accentTheme: choice(['defaultBlue', 'newsRed', 'graphiteGray']),
        fontFamily: text({
          description: 'Name of a typeface that the app has, or `SystemDefault`',
          example: 'SystemDefault',
        }),
        textScaleFactor: choice(['small', 'medium', 'large', 'extraLarge']),
        fontWeight: choice(['light', 'regular', 'bold']),
      },
      'drop',
      { description: 'Colours and type' },
    ),
    language: embedded(language, { description: 'The language of the app and of mail' }),
    feedPreferences: record(
      {
        headlineDensity: choice(['compact', 'standard', 'comfortable']),
        headlineImageStyle: choice(['hidden', 'smallThumbnail', 'largeThumbnail']),
        showSourceInHeadlineFeed: boolean(),
        showPublishDateInHeadlineFeed: boolean(),
      },
      'drop',
      { description: 'How headlines are shown in a list' },
    ),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  ...OWNED,
  indexes: [['language.id']],
})
