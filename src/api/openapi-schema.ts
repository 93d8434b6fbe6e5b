/**
 * From the declaration of a model to JSON Schema (draft 2020-12, which OpenAPI 3.1 uses): once for documents as they
 * are stored and sent out, once for the bodies that clients send, where some members may be left out and a reference
 * may stand for an embedded copy.
 */
import { assertNever } from '../base/failure.ts'
import type { Field, Model, RecordField, Shape } from '../models/schema.ts'

export type JsonSchema = { readonly [keyword: string]: unknown }

/** `user_app_settings` is `UserAppSettings`. */
export function schemaName(model: Model): string {
  return model.name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The schemas of a model by their names in `components.schemas`: the document, and the body where one can be sent. */
export function modelSchemas(model: Model): Readonly<Record<string, JsonSchema>> {
  const name = schemaName(model)
  const takesBody = model.access.create !== 'unsupported' || model.access.replace !== 'unsupported'
  return {
    [name]: recordSchema(model, storedSchema),
    ...(takesBody ? { [`${name}Body`]: recordSchema(model, sentSchema) } : {}),
  }
}

/** The schemas of what endpoints answer and take besides documents, by the names of their declarations. */
export function replySchemas(replies: Readonly<Record<string, RecordField>>): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(replies).map(([name, declared]) => [
      name.charAt(0).toUpperCase() + name.slice(1),
      recordSchema(declared, name.endsWith('Body') ? sentSchema : storedSchema),
    ]),
  )
}

export function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** The schema of a field, and whether an object may be without it. */
interface Member {
  readonly schema: JsonSchema
  readonly isOptional?: true
}

type ReadField = (field: Field) => Member | undefined

function recordSchema({ fields, extras }: Pick<RecordField, 'fields' | 'extras'>, read: ReadField): JsonSchema {
  const members = membersOf(fields, read)
  const required = members.filter(([, { isOptional }]) => isOptional !== true).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, { schema }]) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
    // What a client sends beyond the declaration is kept or ignored, and never refused.
    ...(extras === 'drop' && read === storedSchema ? { additionalProperties: false } : {}),
  }
}

function membersOf(fields: Shape, read: ReadField): readonly (readonly [string, Member])[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const member = read(field)
    return member === undefined ? [] : [[name, member] as const]
  })
}

function storedSchema(field: Field): Member {
  switch (field.kind) {
    case 'embedded':
      return { schema: refTo(schemaName(field.model)) }
    case 'generated':
      return { schema: field.as === 'id' ? { type: 'string' } : DATE }
    case 'constant':
      return { schema: { const: field.value } }
    default:
      return { schema: valueSchema(field, storedSchema) }
  }
}

function sentSchema(field: Field): Member | undefined {
  switch (field.kind) {
    case 'generated':
    case 'constant':
      return undefined
    case 'embedded':
      return { schema: { anyOf: [refTo(schemaName(field.model)), refTo('Reference')] } }
    case 'choice':
      return {
        schema: valueSchema(field, sentSchema),
        ...((field.initial ?? field.implied) === undefined ? {} : { isOptional: true }),
      }
    case 'nullable':
      return { schema: valueSchema(field, sentSchema), isOptional: true }
    case 'list':
      return { schema: valueSchema(field, sentSchema), ...(field.absent === 'keep' ? { isOptional: true } : {}) }
    default:
      return { schema: valueSchema(field, sentSchema) }
  }
}

const DATE: JsonSchema = { type: 'string', format: 'date-time' }

type PlainField = Exclude<Field, { readonly kind: 'embedded' | 'generated' | 'constant' }>

function valueSchema(field: PlainField, read: ReadField): JsonSchema {
  const inner = (of: Field): JsonSchema => read(of)?.schema ?? {}
  switch (field.kind) {
    case 'text':
      return field.blank ? { type: 'string' } : { type: 'string', pattern: '\\S' }
    case 'choice':
      return { type: 'string', enum: field.values }
    case 'boolean':
      return { type: 'boolean' }
    case 'whole':
      return { type: 'integer', minimum: 0 }
    case 'date':
      return DATE
    case 'nullable':
      return { anyOf: [inner(field.of), { type: 'null' }] }
    case 'list':
      return { type: 'array', items: inner(field.of) }
    case 'record':
      return recordSchema(field, read)
    case 'map':
      return {
        type: 'object',
        properties: Object.fromEntries(field.keys.map((key) => [key, inner(field.of)])),
        additionalProperties: false,
      }
    default:
      return assertNever(field)
  }
}
