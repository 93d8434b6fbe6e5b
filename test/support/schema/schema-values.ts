/** Random values that a schema of the description allows, as wild as it allows them. */
import type { Json } from '../../../src/base/json.ts'
import { TEXT_FORMS } from '../../../src/content/rules/text-forms.ts'
import { randomJson, type Random } from '../../../scripts/tools/random.ts'

type Schema = Readonly<Record<string, unknown>>

export interface ValueOptions {
  readonly random: Random
  /** The schemas of the description by name. */
  readonly schemas: Readonly<Record<string, unknown>>
  /** An id that can be referred to, for the name of the schema of its copies. */
  readonly idFor: (copy: string) => string
}

const TEXTS = ['', ' ', 'a', 'Ferry', 'ß', '😀', '\u202eleft', '<b>&amp;</b>', "it's", '"', '\\', 'null', '0', '$a', 'x.y']
const DATES = ['2026-03-01', '2026-03-01T12:00', '2026-03-01T12:00:00.123456', '2024-02-29T23:59:59.9Z']
const INSTANTS = [
  '2026-03-01T12:00:00Z',
  '2026-03-01T12:00:00.123+05:30',
  '1970-01-01T00:00:00.000Z',
  '2024-02-29T00:00:00-11:00',
]
const URLS = ['', 'http://a', 'HTTPS://Harbour.example:8443/ä?b=<c>&d=@#e', 'https://[::1]/', 'https://例え.example/😀/%20']
/** Texts for the patterns of forms. */
const OF_PATTERNS: ReadonlyMap<string, readonly string[]> = new Map([
  [TEXT_FORMS.httpUrl.pattern, URLS],
  [TEXT_FORMS.siteUrl.pattern, [...URLS, '/', '/flags/is.png']],
  [TEXT_FORMS.languageCode.pattern, ['is', 'zz']],
  [TEXT_FORMS.countryCode.pattern, ['IS', 'ZZ']],
])
const EXTRAS = ['x1', 'x y', 'ü', '__proto', 'constructor', 'x-$', '0']

/** Throws an Error for what no schema of ours says. */
export function valueFrom(schema: Schema, options: ValueOptions): Json {
  const { random, schemas, idFor } = options
  const { $ref: ref, anyOf, type, enum: values } = schema
  const inner = (of: unknown): Json => valueFrom(of as Schema, options)
  if (typeof ref === 'string') return inner(schemas[nameOf(ref)])
  if ('const' in schema) return schema['const'] as Json
  if (Array.isArray(values)) return random.pick(values as Json[])
  if (Array.isArray(anyOf)) {
    const chosen = random.pick(anyOf as Schema[])
    if (nameOf(chosen['$ref']) !== 'Reference') return inner(chosen)
    return { id: idFor(nameOf((anyOf as Schema[]).find((one) => one !== chosen)?.['$ref'])) }
  }
  switch (Array.isArray(type) ? random.pick(type as unknown[]) : type) {
    case 'object':
      return objectFrom(schema, options)
    case 'array':
      return random.list(2, () => inner(schema['items']))
    case 'integer':
      return random.pick([Number(schema['minimum'] ?? 0), 1, 7, Number(schema['maximum'] ?? 9)])
    case 'boolean':
      return random.oneIn(2)
    case 'null':
      return null
    case 'string':
      return textFrom(schema, random)
    case undefined:
      return randomJson(random, { keys: EXTRAS, scalars: [null, true, 1.5, -0, 'x'], depthMax: 2 })
    default:
      throw new Error(`Cannot make a value of ${JSON.stringify(schema)}`)
  }
}

function objectFrom(schema: Schema, options: ValueOptions): Json {
  const { random } = options
  const required = (schema['required'] ?? []) as readonly string[]
  const members = Object.entries((schema['properties'] ?? {}) as Schema)
    .filter(([name]) => required.includes(name) || random.oneIn(2))
    .map(([name, member]): [string, Json] => [name, valueFrom(member as Schema, options)])
  const others =
    schema['additionalProperties'] === false
      ? []
      : random.list(2, (): [string, Json] => [random.pick(EXTRAS), valueFrom({}, options)])
  // Members come in any order.
  return Object.fromEntries([...others, ...members].sort(() => (random.oneIn(2) ? 1 : -1)))
}

function textFrom({ pattern, format, minLength }: Schema, random: Random): string {
  if (format === 'date-time') return random.pick(INSTANTS)
  if (pattern === '^\\d{4}-\\d{2}-\\d{2}') return random.pick([...DATES, ...INSTANTS])
  const texts = OF_PATTERNS.get(String(pattern))
  if (texts !== undefined) return random.pick(texts)
  if (pattern === '\\S') return random.pick(TEXTS) + random.pick(['x', ' ü ', '😀'])
  if (pattern === undefined) return minLength === undefined ? random.pick(TEXTS) : `${random.pick(TEXTS)}1`
  throw new Error(`Cannot make a text of the pattern ${String(pattern)}`)
}

function nameOf(ref: unknown): string {
  return String(ref).replace('#/components/schemas/', '')
}
