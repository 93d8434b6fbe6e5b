/**
 * The decoders that stand for the real clients are worth something only if they refuse what those would: every member
 * of every model is taken out, made null, and made another type, and each time the decoder must complain, by name.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import {
  DECODERS,
  decodeAuthSuccess,
  decodeEnvelope,
  decodeError,
  decodePage,
  decodeTopic,
} from '../support/service/client-codec.ts'
import { bodyOf, SUMMARY_ID, TOPIC, withAt } from '../support/service/data-bodies.ts'

type ModelName = keyof typeof DECODERS
const DATES = { createdAt: '2025-10-01T08:00:00.000Z', updatedAt: '2025-10-01T08:00:00.000Z' }
const SUMMARY = { id: SUMMARY_ID, headlineCount: 12, topicCount: 4, sourceCount: 3 }

const sample = (model: ModelName): JsonObject =>
  model === 'dashboard_summary' ? SUMMARY : { id: '66f000000000000000000601', ...bodyOf(model), ...DATES }

/** Members that a client can do without, by the end of their path. */
const OPTIONAL = /(?:lastShownAt|AdId|interstitialAdConfiguration\.adType)$/
/** An entry of a keyed map may be missing, but not be null. */
const KEYED = /(?:feedDecoratorStatus|feedDecoratorConfig|platformAdIdentifiers|visibleTo|visibleTo\.\w+)\.\w+$/
const NULLABLE = /(?:itemsToDisplay|lastShownAt|AdId|interstitialAdConfiguration\.adType)$/
/** Records inside `visibleTo` whose members are required. */
const REQUIRED = /\.(?:adFrequency|adPlacementInterval|transitionsBeforeShowingInterstitialAds|daysBetweenViews)$/

/** The paths of all members, and of the first entry of each list. */
function paths(value: Json, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  const entries = Array.isArray(value)
    ? value.slice(0, 1).map((entry, i) => [String(i), entry as Json] as const)
    : Object.entries(value)
  return entries.flatMap(([name, inner]) => {
    const path = at === '' ? name : `${at}.${name}`
    return [...(Array.isArray(value) ? [] : [path]), ...paths(inner as Json, path)]
  })
}

/** A value of another type; what is null now may be a number as well. */
function spoilt(value: unknown): Json {
  return typeof value === 'number' || value === null ? ['spoilt'] : 7
}

function at(value: JsonObject, path: string): unknown {
  let found: unknown = value
  for (const step of path.split('.')) found = (found as Record<string, unknown>)[step]
  return found
}

/** The decoder's own name for a place: `savedFilters[0].name`. */
const placeOf = (path: string): string => path.replaceAll(/\.(\d+)/g, '[$1]')

for (const model of Object.keys(DECODERS) as ModelName[]) {
  describe(`the decoder of ${model}`, () => {
    const decode = (value: unknown): unknown => DECODERS[model](value)
    const whole = sample(model)

    it('takes a whole document, and members that it does not know', () => {
      assert.equal(decode(whole), whole)
      decode({ ...whole, somethingNew: { any: 'thing' } })
    })

    it('refuses what is no object', () => {
      for (const value of [undefined, null, 'text', 7, true, [], [whole]])
        assert.throws(() => decode(value), /expected an object/)
    })

    it('misses every member, and says which', () => {
      const all = paths(whole)
      assert.ok(all.length >= 4)
      for (const path of all) {
        const isFree = OPTIONAL.test(path) || (KEYED.test(path) && !REQUIRED.test(path))
        const check = (): unknown => decode(withAt(whole, path, undefined))
        if (isFree) assert.doesNotThrow(check, path)
        else
          assert.throws(check, (error: Error) => error.message.startsWith(`Cannot decode $.${placeOf(path)}: `), path)
      }
    })

    it('refuses null and other types', () => {
      for (const path of paths(whole)) {
        if (!NULLABLE.test(path))
          assert.throws(() => decode(withAt(whole, path, null)), /Cannot decode \$/, `null at ${path}`)
        assert.throws(
          () => decode(withAt(whole, path, spoilt(at(whole, path)))),
          /Cannot decode \$/,
          `another type at ${path}`,
        )
      }
    })
  })
}

interface Row {
  readonly name: string
  readonly model: ModelName
  readonly path: string
  readonly value: Json
}
const REFUSED: readonly Row[] = [
  { name: 'an unknown status', model: 'topic', path: 'status', value: 'deleted' },
  { name: 'an enum in other case', model: 'source', path: 'sourceType', value: 'Blog' },
  { name: 'another type of object', model: 'topic', path: 'type', value: 'source' },
  { name: 'an unknown role', model: 'user', path: 'appRole', value: 'admin' },
  { name: 'an unknown feed card', model: 'user', path: 'feedDecoratorStatus.newCard', value: { isCompleted: false } },
  { name: 'an unknown platform', model: 'remote_config', path: 'adConfig.platformAdIdentifiers.other', value: {} },
  { name: 'an unknown decorator', model: 'remote_config', path: 'feedDecoratorConfig.newCard', value: {} },
  { name: 'a fraction', model: 'remote_config', path: 'userPreferenceConfig.guestFollowedItemsLimit', value: 1.5 },
  {
    name: 'a number as a text',
    model: 'remote_config',
    path: 'userPreferenceConfig.guestFollowedItemsLimit',
    value: '5',
  },
  { name: 'another singleton', model: 'remote_config', path: 'id', value: '66f000000000000000000601' },
  { name: 'a date without a zone', model: 'topic', path: 'updatedAt', value: '2025-10-01T08:00:00.000' },
  { name: 'a date without milliseconds', model: 'topic', path: 'updatedAt', value: '2025-10-01T08:00:00Z' },
  { name: 'a date with an offset', model: 'topic', path: 'updatedAt', value: '2025-10-01T08:00:00.000+00:00' },
  { name: 'a day that does not exist', model: 'topic', path: 'updatedAt', value: '2025-02-30T08:00:00.000Z' },
  { name: 'an empty date', model: 'topic', path: 'updatedAt', value: '' },
  {
    name: 'an embedded date that cannot be parsed',
    model: 'headline',
    path: 'topic.updatedAt',
    value: 'Mon, 20 Oct 2025',
  },
  { name: 'a status deep inside', model: 'headline', path: 'source.headquarters.status', value: 'gone' },
  {
    name: 'a date of a feed card without Z',
    model: 'user',
    path: 'feedDecoratorStatus.rateApp.lastShownAt',
    value: '2025-10-03T10:00:00.000',
  },
]
describe('a decoder refuses', () => {
  for (const { name, model, path, value } of REFUSED) {
    it(name, () => {
      const whole = sample(model)
      DECODERS[model](whole)
      assert.throws(
        () => DECODERS[model](withAt(whole, path, value)),
        (error: Error) => error.message.startsWith(`Cannot decode $.${path}: `),
      )
    })
  }
})

it('embedded dates may have the forms that clients send', () => {
  for (const date of [
    '2025-10-20T14:34:56.789123',
    '2025-10-20T14:34:56.789',
    '1970-01-01T00:00:00.000',
    '2025-10-20 14:34:56Z',
    '2025-10-20',
  ]) {
    DECODERS.headline(withAt(sample('headline'), 'topic.createdAt', date))
  }
})

const METADATA = { requestId: 'a1', timestamp: '2025-10-20T12:34:56.789Z' }
const TOPIC_PAGE = { items: [{ ...TOPIC, ...DATES }], cursor: null, hasMore: false }

it('decodeEnvelope() wants an object as data, and both members of the metadata', () => {
  assert.deepEqual(decodeEnvelope({ data: {}, metadata: METADATA }).metadata, METADATA)
  const bad: unknown[] = [
    {},
    { data: {} },
    { metadata: METADATA },
    { data: null, metadata: METADATA },
    { data: [], metadata: METADATA },
    { data: {}, metadata: null },
    { data: {}, metadata: { ...METADATA, requestId: undefined } },
    { data: {}, metadata: { ...METADATA, timestamp: 1 } },
  ]
  for (const value of bad) assert.throws(() => decodeEnvelope(value), /Cannot decode \$/, JSON.stringify(value))
  assert.throws(() => decodeEnvelope({ data: {}, metadata: METADATA }, decodeTopic), /Cannot decode \$\.data\.id/)
})

it('decodePage() wants a cursor exactly where more follows, and every item whole', () => {
  decodePage(TOPIC_PAGE, decodeTopic)
  decodePage({ ...TOPIC_PAGE, cursor: 'next', hasMore: true }, decodeTopic)
  const bad: unknown[] = [
    { ...TOPIC_PAGE, cursor: 'next' },
    { ...TOPIC_PAGE, hasMore: true },
    { ...TOPIC_PAGE, cursor: '', hasMore: true },
    { ...TOPIC_PAGE, cursor: undefined },
    { ...TOPIC_PAGE, items: null },
    { ...TOPIC_PAGE, hasMore: 'false' },
  ]
  for (const value of bad)
    assert.throws(() => decodePage(value, decodeTopic), /Cannot decode \$/, JSON.stringify(value))
  const second = { ...TOPIC_PAGE, items: [TOPIC_PAGE.items[0], { ...TOPIC, status: 'x' }] }
  assert.throws(() => decodePage(second, decodeTopic), /Cannot decode \$\.items\[1\]\.status/)
})

it('decodeAuthSuccess() and decodeError() want all of their members', () => {
  const user = sample('user')
  decodeAuthSuccess({ user, token: 'a.b.c' })
  for (const value of [{ user }, { token: 'a.b.c' }, { user, token: '' }, { user: {}, token: 'a.b.c' }])
    assert.throws(() => decodeAuthSuccess(value))
  assert.deepEqual(decodeError({ error: { code: 'notFound', message: 'None' } }), { code: 'notFound', message: 'None' })
  for (const value of [
    {},
    { error: 'text' },
    { error: { code: 'a' } },
    { error: { message: 'a' } },
    { error: { code: 'a', message: 'b' }, metadata: {} },
  ]) {
    assert.throws(() => decodeError(value), /Cannot decode \$/, JSON.stringify(value))
  }
})
