/**
 * The decoders that stand for the real clients are worth something only if they refuse what those would: every member
 * of every model is taken out, made null, and made another type, and each time the decoder must complain, by name.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { DECODERS, decodeEnvelope, decodePage, decodeTopic } from '../support/service/client-codec.ts'
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
  it(`the decoder of ${model} misses every member, refuses null and other types, and says where`, () => {
    const decode = (value: unknown): unknown => DECODERS[model](value)
    const whole = sample(model)
    assert.equal(decode({ ...whole, somethingNew: { any: 'thing' } }) !== undefined, true)
    const all = paths(whole)
    assert.ok(all.length >= 4)
    for (const path of all) {
      const isFree = OPTIONAL.test(path) || (KEYED.test(path) && !REQUIRED.test(path))
      const named = (error: Error): boolean => error.message.startsWith(`Cannot decode $.${placeOf(path)}: `)
      if (!isFree) assert.throws(() => decode(withAt(whole, path, undefined)), named, path)
      if (!NULLABLE.test(path)) assert.throws(() => decode(withAt(whole, path, null)), /Cannot decode \$/, `null at ${path}`)
      assert.throws(() => decode(withAt(whole, path, spoilt(at(whole, path)))), /Cannot decode \$/, path)
    }
  })
}

it('decodeEnvelope() wants an object as data and both members of the metadata, and decodePage() a cursor where more follows', () => {
  const metadata = { requestId: 'a1', timestamp: '2025-10-20T12:34:56.789Z' }
  const page = { items: [{ ...TOPIC, ...DATES }], cursor: null, hasMore: false }
  decodePage({ ...page, cursor: 'next', hasMore: true }, decodeTopic)
  for (const value of [{ data: {} }, { metadata }, { data: [], metadata }, { data: {}, metadata: { ...metadata, timestamp: 1 } }])
    assert.throws(() => decodeEnvelope(value), /Cannot decode \$/, JSON.stringify(value))
  for (const value of [{ ...page, cursor: 'next' }, { ...page, hasMore: true }, { ...page, items: null }])
    assert.throws(() => decodePage(value, decodeTopic), /Cannot decode \$/, JSON.stringify(value))
})
