/** JSON Schema (draft 2020-12), as the OpenAPI document has it. */
export type JsonSchema = { readonly [keyword: string]: unknown }
export type JsonSchemas = Readonly<Record<string, JsonSchema>>

/** The schema, or null; what it says of itself stays on top. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, description, examples, ...rest } = schema
  const notes = { ...(description === undefined ? {} : { description }), ...(examples === undefined ? {} : { examples }) }
  if (typeof type === 'string' && !('enum' in rest)) return { ...notes, type: [type, 'null'], ...rest }
  return { ...notes, anyOf: [{ ...(type === undefined ? {} : { type }), ...rest }, { type: 'null' }] }
}
