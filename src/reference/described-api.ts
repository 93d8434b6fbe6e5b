/**
 * The description of the API (OpenAPI 3.1, https://spec.openapis.org/oas/v3.1.1.html) as the reference reads it:
 * operations in one list, and references followed unless they lead to a schema with a name, which has its own section.
 */

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  /** One schema, with words beside it. */
  readonly allOf?: readonly Schema[]
  /** Of a text that is JSON. */
  readonly contentSchema?: Schema
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export interface Content {
  readonly schema: Schema
  readonly example?: unknown
  /** By model, or one that is named `example`. */
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

type ByType = Readonly<Record<string, Content>>

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
  readonly content?: ByType
  readonly example?: unknown
}

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description: string }>>
  readonly content?: ByType
}

export interface Operation {
  readonly method: string
  readonly path: string
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: ByType }
  readonly responses: Readonly<Record<string, ResponseObject>>
  readonly security: readonly object[]
}

export interface DescribedModel {
  readonly name: string
  readonly about: string
  /** Names of schemas. */
  readonly schema: string
  readonly createBody: string | null
  readonly replaceBody: string | null
  readonly access: Readonly<Record<string, { readonly grant: string; readonly who: string }>>
  /** Paths that `q` searches. */
  readonly search: readonly string[]
  readonly indexes: readonly { readonly fields: readonly string[] }[]
}

export interface Operator {
  readonly name: string
  readonly kind: string
  readonly about: string
  readonly example: object
}

export interface DescribedApi {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly operations: readonly Operation[]
  readonly schemas: ReadonlyMap<string, Schema>
  readonly models: readonly DescribedModel[]
  readonly operators: readonly Operator[]
}

/** Of a schema with a name, and not of a part of it. */
const SCHEMA_REF = /^#\/components\/schemas\/([^/]+)$/

export function describedApi(document: object): DescribedApi {
  const { paths, components, ...rest } = followed(document, document) as Pick<DescribedApi, 'info' | 'tags'> & {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
    readonly 'x-dateline-models': readonly DescribedModel[]
    readonly 'x-dateline-operators': readonly Operator[]
  }
  return {
    info: rest.info,
    tags: rest.tags,
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
    ),
    schemas: new Map(Object.entries(components.schemas)),
    models: rest['x-dateline-models'],
    operators: rest['x-dateline-operators'],
  }
}

/** The name of the schema that a reference leads to; undefined where it is none. */
export function refName({ $ref }: Schema): string | undefined {
  return SCHEMA_REF.exec($ref ?? '')?.[1]
}

export function canList({ access }: DescribedModel): boolean {
  return access['list']?.grant !== 'unsupported'
}

/** What a caller needs: none where there is no security, optional where one of its choices is empty. */
export function tokenOf({ security }: Operation): 'required' | 'optional' | 'none' {
  if (security.length === 0) return 'none'
  return security.every((one) => Object.keys(one).length > 0) ? 'required' : 'optional'
}

/** Of a body that is a file. */
export const BYTES_TYPE = 'application/octet-stream'

/** The only content type that a body or response has. */
export function contentOf(content: ByType | undefined): (Content & { readonly type: string }) | undefined {
  const [first] = Object.entries(content ?? {})
  return first === undefined ? undefined : { type: first[0], ...first[1] }
}

function followed(value: unknown, document: object): unknown {
  if (Array.isArray(value)) return value.map((one) => followed(one, document))
  if (typeof value !== 'object' || value === null) return value
  const { $ref } = value as Schema
  if (typeof $ref === 'string' && !SCHEMA_REF.test($ref)) {
    const target = $ref
      .slice('#/'.length)
      .split('/')
      .reduce<unknown>((part, name) => (part as Readonly<Record<string, unknown>>)[name], document)
    return followed(target, document)
  }
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, followed(one, document)]))
}
