/**
 * Rows for every model that an export has to carry whole: quotes, line ends, formulas, undeclared members.
 */
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { feedRules } from '../../../src/models/feed-model.ts'
import { guestEmail } from '../../../src/models/guest.ts'
import { sampleContent } from '../../../src/content/seeds/sample.ts'
import { freeCode } from '../../../scripts/tools/data-bodies.ts'
import { countrySeeds, languageSeeds, remoteConfigSeed } from '../../../src/content/seeds/seeds.ts'

const CREATED = '2024-02-29T23:59:59.999Z'
const UPDATED = '2025-01-01T00:00:00.000Z'

export const HOSTILE_TEXTS = [
  '=HYPERLINK("https://e.org","click")',
  '+1',
  '-5 degrees, and falling',
  '@SUM(A1)',
  "'=1+1",
  "'quoted'",
  '\tindented',
  '\r\nbroken\nlines\r',
  'a,b;c"d""e',
  '"',
  ' spaces around ',
  '😀 𝒳 e\u0301 \u202e',
  '\ufeffmark',
  'nul \0 within',
  '＝全角',
  ';=1+1',
  "a;'=1+1\n=2\t@3",
  'a;"=1+1;b\n""=2\t"\'=3',
  '$more',
  'null',
  'true',
  '{"a":1}',
] as const

const deep = (levels: number): Json => (levels === 0 ? 'end' : { a: [deep(levels - 1)] })

/** The models in an order in which their rows can be imported. */
export function hostileRows(): readonly (readonly [model: string, rows: readonly JsonObject[]])[] {
  const [countries, languages] = [countrySeeds(), languageSeeds()]
  const sample = sampleContent({ now: Date.parse(UPDATED), countries, languages })
  const [topic, source, headline] = [sample.topics[0], sample.sources[0], sample.headlines[0]] as [
    JsonObject,
    JsonObject,
    JsonObject,
  ]
  const dates = { createdAt: CREATED, updatedAt: UPDATED }
  const extras: JsonObject = {
    further: deep(20),
    '=name': '=1',
    'with space': [null, true, 1.5, 'x'],
    empty: {},
    nothing: null,
    long: 12345678901234567000,
  }
  const each = (name: string, make: (text: string, i: number) => JsonObject): JsonObject[] =>
    HOSTILE_TEXTS.map((text, i) => ({ ...make(text, i), id: `${name}-${i}`, ...dates }))
  const copy = (of: JsonObject | undefined, text: string): JsonObject => ({ ...of, ...dates, name: text, extra: { of: [text] } })
  const users = each('user', (text, i) => ({
    email: i === 0 ? guestEmail('user-0') : `user${i}@example.org`,
    appRole: i === 0 ? 'guestUser' : 'premiumUser',
    dashboardRole: i === 1 ? 'admin' : 'none',
    feedDecoratorStatus: { rateApp: { isCompleted: i % 2 === 0, lastShownAt: i % 3 === 0 ? null : CREATED } },
    dropped: text,
  }))
  const config = remoteConfigSeed()
  const rule = (text: string, i: number): JsonObject => ({
    ...{ filter: JSON.stringify({ title: text }), topic: i % 2 === 0 ? null : copy(topic, text), country: null },
    ...{ arrival: i % 3 === 0 ? null : 'review', drop: i % 2 === 0 },
  })
  return [
    ['country', each('country', (text) => ({ ...countries[0], ...extras, name: text, isoCode: freeCode('country') }))],
    ['language', each('language', (text) => ({ ...languages[0], ...extras, name: text, code: freeCode('language') }))],
    ['topic', each('topic', (text, i) => ({ ...topic, name: text, description: i % 2 === 0 ? '' : text, ...extras }))],
    [
      'source',
      each('source', (text) => ({
        ...source,
        name: text,
        language: copy(languages[1], text),
        headquarters: copy(countries[1], text),
        ...extras,
      })),
    ],
    [
      'feed',
      each('feed', (text, i) => ({
        ...{ address: `https://harbour.example.org/${i}`, title: text, siteUrl: '', source: copy(source, text), topic: i % 2 === 0 ? null : copy(topic, text) },
        ...{ country: null, language: null, arrival: 'review', paused: true, rules: i % 4 === 0 ? [] : [rule(text, i)], username: text },
        ...{ retentionDays: i % 2 === 0 ? null : i, retentionItems: null },
      })),
    ],
    [
      'publication',
      each('publication', (text, i) => ({
        ...{ name: `news-${i}`, title: text, description: text, language: 'is', filter: JSON.stringify({ title: text }), sort: 'title:asc' },
        ...{ pageSize: 20 + i, members: i % 2 === 0 ? [] : ['source'], visibility: 'secret', isPaused: true, contact: `news+${i}@harbour.example`, rights: text },
      })),
    ],
    ['feed_rules', [{ id: feedRules.singleton ?? '', rules: HOSTILE_TEXTS.map(rule), ...dates }]],
    [
      'headline',
      each('headline', (text, i) => ({
        ...headline,
        title: text,
        excerpt: i % 2 === 0 ? '' : text,
        source: { ...copy(source, text), language: copy(languages[2], text) },
        topic: copy(topic, text),
        eventCountry: copy(countries[2], text),
        status: i % 2 === 0 ? 'draft' : 'active',
        ...extras,
      })),
    ],
    ['user', users],
    [
      'user_app_settings',
      each('user', (text) => ({
        displaySettings: {
          baseTheme: 'dark',
          accentTheme: 'newsRed',
          fontFamily: text,
          textScaleFactor: 'large',
          fontWeight: 'bold',
        },
        language: copy(languages[3], text),
        feedPreferences: {
          headlineDensity: 'compact',
          headlineImageStyle: 'hidden',
          showSourceInHeadlineFeed: false,
          showPublishDateInHeadlineFeed: true,
        },
      })),
    ],
    [
      'user_content_preferences',
      each('user', (text) => ({
        followedCountries: [copy(countries[4], text)],
        followedSources: [],
        followedTopics: [copy(topic, text), topic],
        savedHeadlines: [headline],
        savedFilters: [{ id: text, name: text, topics: [topic], sources: [], countries: [] }],
      })),
    ],
    [
      'remote_config',
      [
        {
          ...config,
          ...dates,
          ...extras,
          appStatus: { ...(config['appStatus'] as JsonObject), further: '=1', iosUpdateUrl: '' },
        },
      ],
    ],
  ]
}
