/** JSON Schema (draft 2020-12), as the OpenAPI document has it. */
export type JsonSchema = { readonly [keyword: string]: unknown }
export type JsonSchemas = Readonly<Record<string, JsonSchema>>
