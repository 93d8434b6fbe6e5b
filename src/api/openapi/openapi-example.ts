/** An example of what a schema describes, made of its parts: the examples in it, else the plainest value that fits. */
import type { Json } from '../../base/json.ts'
import type { JsonSchema, JsonSchemas } from '../../base/json-schema.ts'

/** Deeper than any schema of ours; one that leads back to itself ends here. */
const DEPTH_MAX = 20

const DATE = '2026-03-01T12:00:00.000Z'

export function exampleOf(schema: JsonSchema, schemas: JsonSchemas, depth = 0): Json {
  if (depth > DEPTH_MAX) throw new Error('Cannot make an example: the schema has no end')
  const inner = (of: unknown): Json => exampleOf(of as JsonSchema, schemas, depth + 1)
  if (Array.isArray(schema['examples'])) return schema['examples'][0] as Json
  if ('const' in schema) return schema['const'] as Json
  if (Array.isArray(schema['enum'])) return schema['enum'][0] as Json
  if (typeof schema['$ref'] === 'string') return inner(schemas[schema['$ref'].replace('#/components/schemas/', '')])
  const choices = schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf']
  if (Array.isArray(choices)) return inner(choices[0])
  switch ([schema['type']].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries((schema['properties'] ?? {}) as JsonSchemas).map(([name, member]) => [name, inner(member)]),
      )
    case 'array':
      return [inner(schema['items'])]
    case 'integer':
      return 5
    case 'boolean':
      return true
    default:
      return schema['format'] === 'date-time' ? DATE : 'text'
  }
}
