/**
 * A feed whose items become headlines: RSS, Atom or JSON Feed. What the service finds out while it fetches is no part of the
 * document, as it changes with each fetch: see store/feeds/feed-state.ts. Nor is the password, which no reader may get:
 * see store/feeds/feed-secret.ts.
 */
import { country } from './country.ts'
import { language } from './language.ts'
import {
  boolean,
  choice,
  createdAt,
  embedded,
  httpUrl,
  id,
  list,
  model,
  nonBlankText,
  nullable,
  optionalBoolean,
  optionalText,
  record,
  text,
  updatedAt,
  whole,
  type DocumentOf,
  type ValueOf,
} from './schema.ts'
import { source } from './source.ts'
import { topic } from './topic.ts'

/** What becomes of an item: a published headline, a draft, or a draft that waits for review. */
export const ARRIVALS = ['published', 'draft', 'review'] as const
export type Arrival = (typeof ARRIVALS)[number]

const FEED_RULES_MAX = 50

/** What a rule does with the items that its filter finds. The filter is checked in content/rules/feed-filters.ts. */
const feedRule = record(
  {
    filter: text({
      description:
        'Which items it is for: a filter as JSON text over `title`, `excerpt`, `url`, `categories`, `author` and `language`; `{}` finds all',
      example: '{"categories":"Ferries"}',
    }),
    topic: nullable(embedded(topic), { description: 'The topic of their headlines' }),
    country: nullable(embedded(country), { description: 'The country of their headlines' }),
    arrival: nullable(choice(ARRIVALS), { description: 'How they arrive' }),
    drop: boolean({ description: 'Whether they become no headlines' }),
  },
  'drop',
)
export type FeedRule = ValueOf<typeof feedRule>

const rules = list(feedRule, {
  absent: 'keep',
  max: FEED_RULES_MAX,
  description: 'Looked at in their order: the first that sets a member decides about it, and one that drops an item drops it',
})

/** Publishers see how their headlines come about, and administrators decide. */
const KEPT = {
  extras: 'drop',
  access: { list: 'publisher', read: 'publisher', create: 'admin', replace: 'admin', remove: 'admin' },
} as const

export const feed = model({
  name: 'feed',
  description: 'A feed of RSS, Atom or JSON Feed whose items become headlines',
  fields: {
    id: id({ example: '66f000000000000000000701' }),
    address: httpUrl({ description: 'Link to the feed', example: 'https://harbour.example/feed.xml' }),
    title: nonBlankText({ description: 'Its name in lists', example: 'The Harbour Post' }),
    siteUrl: { ...optionalText({ description: 'Link to its site', example: 'https://harbour.example' }), form: 'httpUrl' },
    source: embedded(source, { description: 'The publisher of its headlines' }),
    topic: nullable(embedded(topic), { description: 'The topic of its headlines, where no rule sets another one' }),
    country: nullable(embedded(country), { description: 'The country of its headlines, where no rule sets another one' }),
    language: nullable(embedded(language), { description: 'What its items are written in, where they do not say it' }),
    arrival: choice(ARRIVALS, {
      initial: 'draft',
      description: 'How its items arrive: published, as drafts, or as drafts that wait for review. An item that lacks something is a draft',
    }),
    paused: boolean({ description: 'Whether it is not fetched' }),
    keepsPictures: optionalBoolean({ description: 'Whether the service keeps a copy of the picture of each new or changed item, and the headline has its address', example: true }),
    rules,
    retentionDays: nullable(whole(), { description: 'After how many days its headlines are archived, while it is fetched; never where it is null' }),
    retentionItems: nullable(whole(), { description: 'How many of its headlines stay unarchived, while it is fetched; all where it is null' }),
    username: optionalText({ description: 'The user of basic authentication; the password is not readable', example: '' }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  ...KEPT,
  search: ['title', 'address'],
  indexes: [['title'], ['updatedAt:desc'], ['source.id', 'title'], ['topic.id'], ['country.id'], ['language.id']],
  sought: ['address'],
  distinct: 'address',
})

export type FeedDocument = DocumentOf<typeof feed>

/** The only document with rules for the items of all feeds. */
const FEED_RULES_ID = '66f000000000000000000702'

export const feedRules = model({
  name: 'feed_rules',
  description: 'Rules for the items of all feeds; those of a feed come first',
  fields: { id: id({ example: FEED_RULES_ID }), rules, createdAt: createdAt(), updatedAt: updatedAt() },
  ...KEPT,
  search: [],
  indexes: [],
  singleton: FEED_RULES_ID,
})
