import { country } from './country.ts'
import { headline } from './headline.ts'
import { embedded, id, list, model, record, text, timestamp } from './schema.ts'
import { source } from './source.ts'
import { topic } from './topic.ts'

export const userContentPreferences = model({
  name: 'user_content_preferences',
  fields: {
    id: id(),
    followedCountries: list(embedded(country)),
    followedSources: list(embedded(source)),
    followedTopics: list(embedded(topic)),
    savedHeadlines: list(embedded(headline)),
    // Clients from before October 2025 do not know saved filters; their updates must not delete them.
    savedFilters: list(
      record(
        {
          id: text(),
          name: text(),
          topics: list(embedded(topic)),
          sources: list(embedded(source)),
          countries: list(embedded(country)),
        },
        'drop',
      ),
      'keep',
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
