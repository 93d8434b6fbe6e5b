/**
 * From the declaration of a model to JSON Schema (draft 2020-12, which OpenAPI 3.1 uses): for documents as they are
 * stored, for the bodies that clients send, and for embedded copies in both. Objects are open, for clients have to
 * ignore members that a later version adds. `additionalProperties: true` stands where other members are really kept.
 */
import { assertNever } from '../../base/failure.ts'
import { orNull, type JsonSchema, type JsonSchemas } from '../../base/json-schema.ts'
import { MODELS } from '../../models/registry.ts'
import * as responses from '../../models/responses.ts'
import { EMBEDDED_ID_CHARS_MAX, type Field, type Model, type RecordField, type Shape } from '../../models/schema.ts'
import { user } from '../../models/user.ts'
import { TEXT_FORMS, type FormRule } from '../../content/rules/text-forms.ts'

/** `user_app_settings` is `UserAppSettings`. */
export function schemaName(model: Pick<Model, 'name'>): string {
  return model.name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The schema of a body that creates or replaces a document; undefined where the model does not support it. */
export function bodySchemaName(model: Model, operation: 'create' | 'replace'): string | undefined {
  if (model.access[operation] === 'unsupported') return undefined
  return `${schemaName(model)}${operation === 'create' ? 'Body' : 'Replacement'}`
}

/** The schemas of a model by their names: the document, bodies that can be sent, and copies that others embed. */
export function modelSchemas(model: Model): JsonSchemas {
  const name = schemaName(model)
  const whole = (use: Use): JsonSchema => ({
    description: model.description,
    ...recordSchema(model, { model, path: '', use }),
  })
  const schemas: Record<string, JsonSchema> = { [name]: whole('stored') }
  for (const operation of ['create', 'replace'] as const) {
    const body = bodySchemaName(model, operation)
    if (body !== undefined) schemas[body] = { ...whole(operation), propertyNames: MEMBER_NAMES }
  }
  if (isEmbedded(model)) {
    const description = `A ${model.name} as it was when a document took a copy of it`
    schemas[`${name}Copy`] = { ...whole('copy'), description }
    schemas[`${name}CopyBody`] = { ...whole('sent copy'), description }
  }
  return schemas
}

const RECORD_NAMES = new Map<RecordField, string>(
  Object.entries(responses).map(([name, declared]) => [declared, name.charAt(0).toUpperCase() + name.slice(1)]),
)

export function recordSchemas(): JsonSchemas {
  return Object.fromEntries(
    [...RECORD_NAMES].map(([declared, name]) => [
      name,
      recordSchema(declared, { path: '', use: name.endsWith('Body') ? 'create' : 'response' }),
    ]),
  )
}

/** The schema of one member of a record. */
export function memberSchema({ fields }: RecordField, name: string): JsonSchema {
  const field = fields[name]
  if (field === undefined) throw new Error(`Cannot describe the member ${name}: the record has none`)
  return fieldSchema(field, { path: name, use: 'response' })
}

export function recordName(record: RecordField): string {
  const name = RECORD_NAMES.get(record)
  if (name !== undefined) return name
  throw new Error('Cannot name a record of an endpoint: expected an export of src/models/responses.ts')
}

export function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** A reference with words beside it: many generators of clients ignore or refuse siblings of `$ref`. */
export function annotated(schema: JsonSchema, notes: JsonSchema): JsonSchema {
  return '$ref' in schema && Object.keys(notes).length > 0 ? { allOf: [schema], ...notes } : { ...schema, ...notes }
}

/** What holds the value: in a document, a body, a copy inside of either, or a response of another kind. */
type Use = 'stored' | 'copy' | 'create' | 'replace' | 'sent copy' | 'response'

interface ValueContext {
  /** Undefined for what is no document. */
  readonly model?: Model
  /** Dotted, with `*` for any key of a map; empty for the document itself. */
  readonly path: string
  readonly use: Use
}

/** What no member at any depth may be called. */
export const MEMBER_NAMES: JsonSchema = { type: 'string', pattern: '^(?!\\$|__proto__$)[^.\\u0000]*$' }
const DATE: JsonSchema = { type: 'string', format: 'date-time' }
/** Copies are kept as they were sent. */
const DATE_AS_SENT: JsonSchema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}',
  description: 'ISO 8601, as it was sent: with or without time and zone',
}

function recordSchema({ fields, extras }: Pick<RecordField, 'fields' | 'extras'>, context: ValueContext): JsonSchema {
  const members = Object.entries(fields).filter(([, field]) => isThere(field, context.use))
  const required = members.filter(([name, field]) => !mayBeLeftOut(field, below(context, name))).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, field]) => [name, fieldSchema(field, below(context, name))])),
    ...(required.length === 0 ? {} : { required }),
    ...(extras === 'keep' ? { additionalProperties: true } : {}),
  }
}

/** The server's own fields are nothing that a client sends, except in a copy, which is kept as it was sent. */
function isThere({ kind }: Field, use: Use): boolean {
  return (use !== 'create' && use !== 'replace') || (kind !== 'generated' && kind !== 'constant')
}

function isSent(use: Use): boolean {
  return use === 'create' || use === 'replace' || use === 'sent copy'
}

function isSentCopy(use: Use): boolean {
  return use === 'copy' || use === 'sent copy'
}

function mayBeLeftOut(field: Field, { model, path, use }: ValueContext): boolean {
  // A new user has no cards, whatever is sent.
  if (use === 'create' && model === user && path === 'feedDecoratorStatus') return true
  if (field.kind === 'optional') return true
  if (use === 'stored' || use === 'copy' || use === 'response') return false
  switch (field.kind) {
    case 'text':
    case 'boolean':
      return field.implied !== undefined
    case 'choice':
      return field.implied !== undefined || (use === 'create' && field.initial !== undefined)
    case 'list':
      return use !== 'sent copy' && field.absent === 'keep'
    case 'nullable':
    case 'constant':
      return true
    default:
      return false
  }
}

function fieldSchema(field: Field, context: ValueContext): JsonSchema {
  const description = descriptionOf(field, context)
  const mayBeNull = field.kind === 'optional' && context.use !== 'stored' && context.use !== 'response'
  const example = mayBeNull ? (field.example ?? null) : field.example
  return annotated(valueSchema(field, context), {
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { examples: [example] }),
  })
}

/** The value of a member that is left out stands here and not in `default`: generators take a member with one for required. */
function descriptionOf(field: Field, { use }: ValueContext): string | undefined {
  if (field.kind !== 'choice' || field.initial === undefined || use !== 'create') return field.description
  const initial = `\`${field.initial}\` where it is left out`
  return field.description === undefined ? initial : `${field.description}; ${initial}`
}

function valueSchema(field: Field, context: ValueContext): JsonSchema {
  switch (field.kind) {
    case 'text':
      return {
        type: 'string',
        ...(field.blank ? {} : { pattern: '\\S' }),
        ...(field.max === undefined || !isSent(context.use) ? {} : { maxLength: field.max }),
        ...(field.form === undefined ? {} : formSchema(TEXT_FORMS[field.form], context.use)),
      }
    case 'choice':
      return { type: 'string', enum: field.values }
    case 'boolean':
      return { type: 'boolean' }
    case 'whole':
      return { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
    case 'date':
      return DATE
    case 'generated':
      if (field.as === 'id') {
        return { type: 'string', minLength: 1, ...(isSent(context.use) ? { maxLength: EMBEDDED_ID_CHARS_MAX } : {}) }
      }
      return context.use === 'stored' ? DATE : DATE_AS_SENT
    case 'constant':
      // Whatever is sent, it is put right.
      return context.use === 'sent copy' ? {} : { type: 'string', const: field.value }
    case 'embedded': {
      const name = schemaName(field.model)
      if (context.use === 'response') return refTo(name)
      if (context.use === 'stored' || context.use === 'copy') return refTo(`${name}Copy`)
      const examples = [{ id: field.model.fields['id']?.example }]
      return { anyOf: [refTo('Reference'), refTo(`${name}CopyBody`)], examples }
    }
    case 'optional': {
      const value = valueSchema(field.of, context)
      if (context.use === 'stored' || context.use === 'response') return value
      // A copy keeps a null as it was sent.
      return orNull(field.of.kind === 'date' && isSentCopy(context.use) ? DATE_AS_SENT : value)
    }
    case 'nullable':
      return orNull(valueSchema(field.of, context))
    case 'list':
      return {
        type: 'array',
        items: valueSchema(field.of, context),
        // What is stored may have been stored before there was a limit.
        ...(field.max === undefined || !isSent(context.use) ? {} : { maxItems: field.max }),
      }
    case 'record':
      return recordSchema(field, context)
    case 'map':
      return {
        type: 'object',
        properties: Object.fromEntries(field.keys.map((key) => [key, fieldSchema(field.of, below(context, '*'))])),
        // Only what is sent must not have other keys; later versions may know more.
        ...(context.use === 'create' || context.use === 'replace' ? { additionalProperties: false } : {}),
      }
    default:
      return assertNever(field)
  }
}

/** For bodies only: stored documents, and copies of them, may have another form from before. */
function formSchema({ pattern, max, isOfCopies = false }: FormRule, use: Use): JsonSchema {
  if (!isSent(use) || (use === 'sent copy' && !isOfCopies)) return {}
  return { pattern, ...(max === undefined ? {} : { maxLength: max }) }
}

function below(context: ValueContext, name: string): ValueContext {
  return { ...context, path: context.path === '' ? name : `${context.path}.${name}` }
}

function isEmbedded(model: Model): boolean {
  return MODELS.some((other: Model) => embeds(other.fields, model))
}

function embeds(shape: Shape, model: Model): boolean {
  return Object.values(shape).some((field) => leadsTo(field, model))
}

function leadsTo(field: Field, model: Model): boolean {
  switch (field.kind) {
    case 'embedded':
      return field.model === model
    case 'list':
    case 'nullable':
    case 'optional':
    case 'map':
      return leadsTo(field.of, model)
    case 'record':
      return embeds(field.fields, model)
    default:
      return false
  }
}
