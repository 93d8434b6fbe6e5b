import { country } from './country.ts'
import { headline } from './headline.ts'
import { createdAt, embedded, id, list, model, OWNED, record, text, updatedAt } from './schema.ts'
import { source } from './source.ts'
import { topic } from './topic.ts'

/** Entries of a list of the preferences, whatever the limits of remote_config say. */
const PREFERENCES_MAX = 1_000
/** Entries of a list in a saved filter. There are 249 countries, and the apps offer up to 100 topics and sources. */
const FILTERED_MAX = 500

export const userContentPreferences = model({
  name: 'user_content_preferences',
  description: 'What a user follows and has saved, within the limits of the role; it has the id of its user',
  fields: {
    id: id({ example: '66f000000000000000000601' }),
    followedCountries: list(embedded(country), { max: PREFERENCES_MAX }),
    followedSources: list(embedded(source), { max: PREFERENCES_MAX }),
    followedTopics: list(embedded(topic), { max: PREFERENCES_MAX }),
    savedHeadlines: list(embedded(headline), { max: PREFERENCES_MAX }),
    // Clients from before October 2025 do not know saved filters; their updates must not delete them.
    savedFilters: list(
      record(
        {
          id: text({ description: 'Chosen by the app', example: '0b7f1f6e-6a1e-4a55-9b43-7c1f4f0f2a10' }),
          name: text({ example: 'News from the sea' }),
          topics: list(embedded(topic), { max: FILTERED_MAX }),
          sources: list(embedded(source), { max: FILTERED_MAX }),
          countries: list(embedded(country), { max: FILTERED_MAX }),
        },
        'drop',
      ),
      {
        max: PREFERENCES_MAX,
        absent: 'keep',
        description: 'Combinations of topics, sources and countries under a name',
      },
    ),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  ...OWNED,
})
