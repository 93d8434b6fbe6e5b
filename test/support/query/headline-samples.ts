/**
 * Random headlines with few different values, so that conditions meet, sort keys tie and ranges touch. What validation
 * promises the planner holds for every path that filters and sorts of the samples name: the declared ones lead to
 * well-formed texts. Members that no test names are left out, for the comparisons read each document many times. The
 * members `x`, `n` and `tags` are undeclared and hold anything.
 */
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { randomJson, type Random } from '../../../scripts/tools/random.ts'

const STATUSES = ['active', 'active', 'active', 'draft', 'archived'] as const
const TOPICS = ['t1', 't2', 't3', 't4', 'tö', 't\u{1F600}'] as const
const SOURCES = ['s1', 's2', 's3'] as const
const COUNTRIES = ['c1', 'c2', 'c3', 'c4'] as const
const DATES = Array.from({ length: 9 }, (_, i) => `2025-10-0${i + 1}T12:00:00.000Z`)
/** Folding, code points beyond UTF-16 order, NUL, the replacement character, what means something to RegExp or FTS5. */
const WORDS = [
  'Ferry',
  'FERRY',
  'ferr',
  'Straße',
  'strasse',
  'STRASSE',
  'İzmir',
  'izmir',
  '\u0131zmir',
  'Ångström',
  'A\u030Angstro\u0308m',
  'K\u212Am',
  'C++',
  '(a|b)',
  '"quoted"',
  "it's",
  'NOT',
  'a*b',
  '\u{1F600}\u{1F601}\u{1F602}',
  '\uFF5E\uFF5E',
  '\uE000ab',
  '\u{10FFFF}',
  'nul\0nul',
  '\uFFFDnul\uFFFDnul',
  'ΣΊΣΥΦΟΣ',
  'σίσυφος',
  'ﬅatt',
  'ﬆatt',
  '日本語版',
  'aaaa',
  'aabaa',
  '%_%',
] as const
const EXCERPTS = ['', 'one', 'two', 'two\nlines', 'Three'] as const
const EXTRAS: readonly Json[] = [
  null,
  true,
  false,
  0,
  -0,
  1,
  1.5,
  -2,
  2 ** 40,
  '',
  'a',
  'b',
  'Ferry',
  '2025-10-03',
  '\u{1F600}',
  '\uFF5E',
  [],
  [1, 2],
  ['b', 'a'],
  [[1], 2],
  [null],
  {},
  { y: 1 },
  { y: 'a', z: [1] },
  [{ y: 2 }, { y: 3 }],
]
const SHAPE = { keys: ['y', 'z', '0', '1'], scalars: [null, true, 0, 1, 2, 'a', 'b'] as const, depthMax: 3 }

/** Values that documents of these samples have at a path, for filters that match something. */
export const SAMPLE_VALUES: Readonly<Record<string, readonly string[]>> = {
  status: ['active', 'draft', 'archived'],
  'topic.id': TOPICS,
  'source.id': SOURCES,
  'eventCountry.id': COUNTRIES,
  updatedAt: DATES,
  createdAt: DATES,
  title: WORDS,
  excerpt: EXCERPTS,
  'source.sourceType': ['blog', 'other'],
}
export const SAMPLE_EXTRAS = EXTRAS

export function sampleId(n: number): string {
  return `5f${n.toString(16).padStart(22, '0')}`
}

/** A headline with this id. */
export function randomHeadline(random: Random, id: string): JsonObject {
  const dates = { createdAt: random.pick(DATES), updatedAt: random.pick(DATES) }
  const extra = (): Json => (random.oneIn(4) ? randomJson(random, SHAPE) : random.pick(EXTRAS))
  const members: [string, Json][] = [
    ['x', extra()],
    ['n', random.oneIn(3) ? extra() : { y: extra(), z: random.list(2, extra) }],
    ['tags', random.list(3, () => (random.oneIn(4) ? extra() : random.pick(['a', 'b', 'c', 1, 2])))],
  ]
  return {
    id,
    title: [random.pick(WORDS), ...random.list(2, () => random.pick(WORDS))].join(random.pick([' ', '', '-'])),
    excerpt: random.pick(EXCERPTS),
    source: sampleSource(random),
    eventCountry: sampleCountry(random.pick(COUNTRIES)),
    topic: { id: random.pick(TOPICS), name: 'Topic' },
    ...dates,
    status: random.pick(STATUSES),
    type: 'headline',
    ...Object.fromEntries(members.filter(() => !random.oneIn(5))),
  }
}

function sampleCountry(id: string): JsonObject {
  return { id, name: 'Germany' }
}

function sampleSource(random: Random): JsonObject {
  return {
    id: random.pick(SOURCES),
    sourceType: random.pick(['blog', 'other']),
    language: { id: 'l1', code: 'de' },
    headquarters: sampleCountry('c1'),
  }
}
