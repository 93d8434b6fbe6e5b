/** Filters and sorts for comparisons: all small ones over given operands, and random ones that use indexes often. */
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { SAMPLE_EXTRAS, SAMPLE_VALUES, sampleId } from './headline-samples.ts'
import type { Random } from '../../../scripts/tools/random.ts'

const DECLARED = Object.keys(SAMPLE_VALUES)
const UNDECLARED = [
  ...['x', 'n', 'n.y', 'n.z', 'n.z.0', 'tags', 'tags.0', 'x.y', 'x.0', 'nowhere', 'title.0', 'topic', 'topic.id.x'],
]
const PATTERNS = [
  ...['ferr', 'FERRY', 'erry', '^Fer', '^ferry', 'C++', '(a|b)', '\\(a\\|b\\)', 'straße', 'STRASSE', 'İ', 'i', 'ızm'],
  ...['Å', 'A\u030A', '\u{1F601}', '\u{1F600}\u{1F601}\u{1F602}', '\uE000ab', '\uFFFDnul', 'l\0n', 'nul\0nul', 'σίσ'],
  ...['ﬆa', '日本語', 'aab', 'aaaaa', 'no such text', '', '.', 'a{2}', 'a|r', '[^a]b', 'r+y', 'a.*b', '"quo', "it's"],
  ...['NOT', '%_%', '\ud83d', '\ude00', 'ab\ud800', 'rr\udc00y', '^\uE000', '^\u{10FFFF}', '^\ud800', 'fer+y'],
  ...['f[e]r{2}y', 'Fer{2,3}y |stra(ße|sse)', '\\bferry\\b', '(?i:FERR)y', '\\x66erry$', 'aab.*aab'],
  ...['no such (text|word)', 'rr[\\s\\S]*erry'],
]
const OPTIONS = ['', 'i', 'i', 'm', 's', 'x', 'ix']
const COMPARISONS = ['$gt', '$gte', '$lt', '$lte'] as const

/** One condition of each form for a path, with operands that some of the samples meet. */
function conditionsOn(path: string, [one, two]: readonly [Json, Json]): readonly JsonObject[] {
  const conditions: readonly Json[] = [
    one,
    { $eq: two },
    { $ne: one },
    { $in: [one, two] },
    { $in: [one, 7, null, 'zz'] },
    { $in: [] },
    { $nin: [one] },
    { $nin: [] },
    ...COMPARISONS.map((operator) => ({ [operator]: one })),
    { $gt: one, $lte: two },
    { $gt: 1 },
    { $lte: null },
    null,
    { $exists: true },
    { $exists: false },
    { $type: 'string' },
    { $type: ['array', 'int'] },
    { $size: 2 },
    { $all: [one] },
    { $all: [] },
    { $all: [{ $elemMatch: { $gte: 1 } }] },
    { $elemMatch: { $gte: 'a' } },
    { $elemMatch: { y: { $gte: 1 } } },
    { $mod: [2, 1] },
    { $regex: 'err', $options: 'i' },
    { $regex: '^Fer' },
    { $regex: 'a|e' },
    { $regex: '(a|b' },
    { $not: { $eq: one } },
    { $not: { $regex: 'A', $options: 'i' } },
    { $not: { $gt: one, $lt: two } },
  ]
  return conditions.map((condition) => ({ [path]: condition }))
}

const OPERANDS: readonly (readonly [path: string, operands: readonly [Json, Json]])[] = [
  ['status', ['active', 'draft']],
  ['topic.id', ['t1', 't\u{1F600}']],
  ['updatedAt', ['2025-10-03T12:00:00.000Z', '2025-10-06T12:00:00.000Z']],
  ['title', ['Ferry', 'ferr']],
  ['_id', [sampleId(3), sampleId(9)]],
  ['x', [1, 'a']],
  ['n.y', ['a', 1]],
  ['tags', ['a', 2]],
  ['nowhere', [1, 'a']],
]

/** Every filter of one condition, alone and under each logical operator, and every pair of some of them. */
export function* smallFilters(): Generator<JsonObject> {
  const single = OPERANDS.flatMap(([path, operands]) => conditionsOn(path, operands))
  yield {}
  for (const one of single) {
    yield one
    yield { $nor: [one] }
    yield { $and: [one, {}] }
    yield { $or: [one] }
  }
  const telling = OPERANDS.flatMap(([path, operands]) => {
    const all = conditionsOn(path, operands)
    return [0, 3, 6, 8, 25, 27].flatMap((i) => all[i] ?? [])
  })
  for (const a of telling) {
    for (const b of telling) {
      yield { $and: [a, b] }
      yield { $or: [a, b] }
    }
  }
}

/** Sorts of every kind: an index forwards, backwards, its first keys, fixed keys before, undeclared members, ties. */
export const SORTS: readonly string[] = [
  ...['', 'updatedAt:desc', 'updatedAt', 'status,updatedAt:desc', 'status:desc,updatedAt', 'updatedAt:desc,title'],
  ...['updatedAt:desc,x', 'x', 'x:desc', 'n.y,updatedAt:desc', 'tags', 'tags:desc,x', 'n.z.0', 'nowhere', '_id'],
  ...['id:desc', 'title', 'title:desc,_id:desc', 'topic.id,updatedAt:desc', 'topic.id,status,updatedAt:desc'],
  ...['excerpt,updatedAt:desc,title', 'updatedAt:desc,updatedAt', 'createdAt:desc', 'source.id:desc,n', 'topic'],
  ...['status', 'status:desc', 'title,updatedAt:desc,excerpt', 'updatedAt:desc,_id', 'updatedAt,status,x:desc'],
]

export function randomSort(random: Random): string {
  if (random.oneIn(2)) return random.pick(SORTS)
  const paths = ['updatedAt', 'updatedAt', 'status', 'topic.id', 'source.id', 'eventCountry.id', '_id', 'title', 'excerpt']
  paths.push(...UNDECLARED)
  return random.list(3, () => random.pick(paths) + random.pick(['', ':asc', ':desc', ':desc'])).join(',')
}

/** A filter whose conditions an index often serves in part. */
export function randomFilter(random: Random, depth = 2): JsonObject {
  const members: JsonObject[] = random.list(2, () => randomCondition(random, depth))
  if (random.oneIn(2))
    members.push({ status: random.pick(['active', 'active', 'draft', { $in: ['active', 'draft'] }]) })
  if (random.oneIn(2)) members.push(declaredCondition(random))
  if (random.oneIn(5)) members.push({ title: randomPattern(random) })
  // Some of the conditions share a path, so they stand in a list; mostly a filter is one object, as clients send it.
  return random.oneIn(3) && members.length > 0 ? { $and: members } : Object.assign({}, ...members)
}

function randomCondition(random: Random, depth: number): JsonObject {
  if (depth > 0 && random.oneIn(4)) {
    const filters = [randomFilter(random, depth - 1), ...random.list(1, () => randomFilter(random, depth - 1))]
    return { [random.pick(['$and', '$or', '$nor'])]: filters }
  }
  if (random.oneIn(3)) return declaredCondition(random)
  const path = random.pick(UNDECLARED)
  const operand = (): Json => random.pick(SAMPLE_EXTRAS)
  return { [path]: randomTest(random, operand) }
}

function declaredCondition(random: Random): JsonObject {
  const path = random.pick(random.oneIn(8) ? ['_id'] : DECLARED)
  const values = path === '_id' ? Array.from({ length: 40 }, (_, i) => sampleId(i)) : (SAMPLE_VALUES[path] ?? [])
  const operand = (): Json =>
    random.oneIn(12) ? random.pick([...SAMPLE_EXTRAS, '\ud800', 'a\udc00', '\uE000']) : random.pick(values)
  if (random.oneIn(3)) return { [path]: operand() }
  return { [path]: random.oneIn(3) ? { $in: random.list(4, operand) } : randomTest(random, operand) }
}

function randomTest(random: Random, operand: () => Json): Json {
  // A literal that begins with an operator would be read as one; none of the samples does.
  const tests: readonly (() => Json)[] = [
    operand,
    () => ({ [random.pick(['$eq', '$ne', ...COMPARISONS, ...COMPARISONS])]: operand() }),
    () => ({ $gte: operand(), $lt: operand() }),
    () => ({ [random.pick(['$in', '$nin', '$all'])]: random.list(4, operand) }),
    () => ({ $exists: random.oneIn(2) }),
    () => ({ $type: random.pick(['string', 'number', 'array', 'object', 'null', 'bool']) }),
    () => ({ $size: random.below(3) }),
    () => ({ $elemMatch: { [random.pick(['$gte', '$ne'])]: operand() } }),
    () => ({ $elemMatch: { y: operand() } }),
    () => ({ $mod: [random.pick([2, 3]), 1] }),
    () => randomPattern(random),
    () => ({ $not: random.oneIn(2) ? randomPattern(random) : { [random.pick(COMPARISONS)]: operand() } }),
  ]
  return random.pick(tests)()
}

function randomPattern(random: Random): JsonObject {
  return { $regex: random.pick(PATTERNS), $options: random.pick(OPTIONS) }
}
