/** The parameter `filter` as anybody can send it: any JSON, any bytes. Always a filter or a refusal comes of it. */
import { Failure } from '../../../src/base/failure.ts'
import { writeJson, type Json, type JsonObject } from '../../../src/base/json.ts'
import { parseQuery } from '../../../src/http/query-string.ts'
import { matches } from '../../../src/query/match.ts'
import { parseFilter, parseFilterText } from '../../../src/query/parse.ts'
import { randomFilter } from './query-generator.ts'
import { randomJson, type Random } from '../../../scripts/tools/random.ts'

const MESSAGE_CHARS_MAX = 700
const OPERATORS =
  '$eq $ne $in $nin $all $not $and $or $nor $elemMatch $regex $options $mod $type $size $exists $gt $lte $where $expr $'.split(
    ' ',
  )
const NAMES = ['a', '', '__proto__', 'a.0.b', '_id', 'status', 'constructor', ...OPERATORS]
const SCALARS: readonly Json[] = [
  ...[null, true, false, 0, -0, 1, 2.5, 1e300, 2 ** 53, '', 'a', '(', '[', 'i', 'string', '\ud800', '\0', '$', '[[['],
  ...['\\u{110000}', '(?<a>)\\k<a>'],
]
const TOKENS = [
  ...['{', '}', '[', ']', ':', ',', '"', '"a"', '"$in"', '"$regex"', '1', '-', '0.', '1e999', '9007199254740993'],
  ...['null', 'true', '\\u0000', '\\ud800', ' ', '\n', '\u{1F600}', 'é', '%', '&', '=', '+', '\0'],
]
const DOCUMENT: JsonObject = { id: 'x', status: 'active', a: [{ b: 1 }, 'a', [1, 2]], title: 'Ferry' }

/** The text after the `?` of a request line, one character for each byte. */
export function randomQueryText(random: Random): string {
  const kinds: readonly (() => string)[] = [
    () => encoded(writeJson(randomFilter(random))),
    () => encoded(writeJson(randomJson(random, { keys: NAMES, scalars: SCALARS, depthMax: 6 }))),
    () => encoded(spoilt(random, writeJson(randomFilter(random)))),
    () => encoded(random.list(30, () => random.pick(TOKENS)).join('')),
    () =>
      encoded(random.pick(['[', '{"a":', '{"$and":[', '{"a":{"$not":', '"', '{"a":"']).repeat(1 + random.below(400))),
    () => random.list(40, () => escapedByte(random.below(256))).join(''),
    () => spoilt(random, encoded(writeJson(randomFilter(random)))),
    () => random.list(40, () => String.fromCharCode(random.below(256))).join(''),
  ]
  const extra = random.oneIn(20) ? random.pick(['&filter={}', '&', '&a=%', '&filter', '&&=&', '&sort=a']) : ''
  return `${random.oneIn(30) ? '' : 'model=headline&'}filter=${random.pick(kinds)()}${extra}`
}

/** What became of it; throws where that is neither a filter that can be applied nor a refusal with status 400. */
export function outcomeOfQueryText(text: string): 'filter' | 'refused' | 'absent' {
  try {
    const filter = parseQuery(text).get('filter')
    if (filter === undefined) return 'absent'
    matches(parseFilter(parseFilterText(filter)), DOCUMENT)
    return 'filter'
  } catch (error) {
    const isRefusal = error instanceof Failure && error.status === 400 && error.message.length <= MESSAGE_CHARS_MAX
    if (isRefusal && error.message.startsWith('Cannot ')) return 'refused'
    throw new Error(`${JSON.stringify(text)} gives ${String(error)}`, { cause: error })
  }
}

/** UTF-8, percent-encoded where a browser would. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function escapedByte(byte: number): string {
  return `%${byte.toString(16).padStart(2, '0')}`
}

/** The text with some characters left out, doubled, exchanged or put in. */
function spoilt(random: Random, text: string): string {
  let spoiltText = text
  for (let i = random.below(3); i >= 0; i--) {
    const at = random.below(spoiltText.length + 1)
    const put = random.oneIn(3)
      ? ''
      : random.oneIn(2)
        ? random.pick(TOKENS)
        : spoiltText.slice(at, at + random.below(9))
    spoiltText = spoiltText.slice(0, at) + put + spoiltText.slice(at + random.below(3))
  }
  return spoiltText
}
