/**
 * From a request body to the document that is stored.
 *
 * The declaration of the model decides. Members are written in declared order, then what the model keeps of further
 * members in the order sent. Embedded copies of other documents are checked as strictly but stored as they were
 * sent: clients find them again by comparing all members, dates included.
 *
 * Every refusal is a 400 that names the member and what was found: `source.language.code: expected a string, found 7`.
 */
import { parseIsoDate } from '../base/dates.ts'
import { assertNever, describe, fail, type Failure } from '../base/failure.ts'
import { hasKey, isObject, JSON_DEPTH_MAX, type Json, type JsonObject } from '../base/json.ts'
import type { Extras, Field, Model, Shape } from '../models/schema.ts'

/** The members that the server sets. `createdAt` of a replacement is that of the stored document. */
export interface Generated {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** `stored` is there for a replacement: fields that may be left out then keep its value. */
export interface Validation {
  readonly generated: Generated
  readonly stored?: JsonObject
}

/** Checks a whole body against a model and returns the document to store. Throws invalidInput. */
export function validateDocument(model: Model, body: JsonObject, { generated, stored }: Validation): JsonObject {
  refuseUnsafe(body, '', 1)
  const own: Scope = { kind: 'own', generated, ...(stored === undefined ? {} : { stored }) }
  return readRecord(model.fields, { extras: model.extras, value: body, path: '', scope: own })
}

/**
 * Where a field stands: at the top of the document itself, deeper in it, or in an embedded copy, where generated
 * fields must be there and are left alone.
 */
type Scope =
  | { readonly kind: 'own'; readonly generated: Generated; readonly stored?: JsonObject }
  | { readonly kind: 'inner'; readonly creating: boolean }
  | { readonly kind: 'copy' }

interface RecordInput {
  readonly extras: Extras
  readonly value: JsonObject
  readonly path: string
  readonly scope: Scope
}

function readRecord(shape: Shape, { extras, value, path, scope }: RecordInput): JsonObject {
  const out: [string, Json][] = []
  for (const [name, field] of Object.entries(shape)) {
    const at = path === '' ? name : `${path}.${name}`
    const given = hasKey(value, name) ? value[name] : undefined
    if (field.kind === 'generated' && scope.kind === 'own') {
      out.push([name, scope.generated[name as keyof Generated]])
    } else if (field.kind === 'list' && field.absent === 'keep' && given === undefined && scope.kind === 'own') {
      out.push([name, scope.stored?.[name] ?? []])
    } else out.push([name, readField(field, given, at, scope)])
  }
  if (extras === 'keep') {
    for (const [name, member] of Object.entries(value)) if (!Object.hasOwn(shape, name)) out.push([name, member])
  }
  return Object.fromEntries(out)
}

function readField(field: Field, value: Json | undefined, path: string, scope: Scope): Json {
  switch (field.kind) {
    case 'text':
      if (typeof value !== 'string') throw refused(path, 'a string', value)
      if (!field.blank && value.trim() === '') throw refused(path, 'a text that is not blank', value)
      return value
    case 'choice': {
      if (value === undefined && field.implied !== undefined) return field.implied
      if (value === undefined && field.initial !== undefined && isCreation(scope)) return field.initial
      if (typeof value === 'string' && field.values.includes(value)) return value
      throw refused(path, `one of ${field.values.join(', ')}`, value)
    }
    case 'boolean':
      if (typeof value !== 'boolean') throw refused(path, 'true or false', value)
      return value
    case 'whole':
      if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
        throw refused(path, 'a whole number, 0 or more', value)
      }
      return value
    case 'date': {
      const utc = typeof value === 'string' ? parseIsoDate(value) : undefined
      if (utc === undefined) throw refused(path, 'an ISO 8601 date', value)
      return utc
    }
    case 'nullable':
      return value === undefined || value === null ? null : readField(field.of, value, path, scope)
    case 'list':
      if (!Array.isArray(value)) throw refused(path, 'an array', value)
      return value.map((item: Json, i) => readField(field.of, item, `${path}[${i}]`, inner(scope)))
    case 'record':
      if (!isObject(value)) throw refused(path, 'an object', value)
      return readRecord(field.fields, { extras: field.extras, value, path, scope: inner(scope) })
    case 'map':
      return readMap(field.keys, field.of, value, path, inner(scope))
    case 'embedded':
      return readCopy(field.model, value, path)
    case 'generated':
      return readCopiedMember(field.as, value, path)
    case 'constant':
      return field.value
    default:
      return assertNever(field)
  }
}

function readMap(keys: readonly string[], of: Field, value: Json | undefined, path: string, scope: Scope): JsonObject {
  if (!isObject(value)) throw refused(path, 'an object', value)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (!keys.includes(key)) {
        throw fail('invalidInput', `${path}: expected no keys but ${keys.join(', ')}, found ${describe(key)}`)
      }
      return [key, readField(of, item, `${path}.${key}`, scope)]
    }),
  )
}

/** An embedded copy keeps the order and the text of its members; only a missing or wrong `type` is put right. */
function readCopy(model: Model, value: Json | undefined, path: string): JsonObject {
  if (!isObject(value)) throw refused(path, `a whole ${model.name} or {"id": …}`, value)
  const checked = readRecord(model.fields, { extras: 'drop', value, path, scope: { kind: 'copy' } })
  return { ...value, ...checked }
}

function readCopiedMember(as: 'id' | 'date', value: Json | undefined, path: string): Json {
  if (as === 'id') {
    if (typeof value !== 'string' || value === '') throw refused(path, 'the id of the embedded document', value)
  } else if (typeof value !== 'string' || parseIsoDate(value) === undefined) {
    throw refused(path, 'an ISO 8601 date', value)
  }
  return value
}

function inner(scope: Scope): Scope {
  return scope.kind === 'own' ? { kind: 'inner', creating: scope.stored === undefined } : scope
}

function isCreation(scope: Scope): boolean {
  return scope.kind === 'own' ? scope.stored === undefined : scope.kind === 'inner' && scope.creating
}

/**
 * Names that no document may hold at any depth: `__proto__` would change objects of careless readers, `$` starts
 * operators of filters, a dot separates the steps of their paths, NUL ends texts in C. Half of a surrogate pair
 * is no Unicode text (RFC 8259 section 8.2) and would not survive storage. And nothing deeper than a parser takes: a
 * record that a reference brings in adds its levels to those of the body.
 */
function refuseUnsafe(value: Json, path: string, level: number): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw fail('invalidInput', `${path}: expected Unicode text, found half a surrogate pair`)
    return
  }
  const isArray = Array.isArray(value)
  if (!isArray && !isObject(value)) return
  if (level > JSON_DEPTH_MAX) {
    throw fail(
      'invalidInput',
      `Cannot store a document of more than ${JSON_DEPTH_MAX} levels, those of its embedded records included`,
    )
  }
  if (isArray) {
    value.forEach((item: Json, i) => refuseUnsafe(item, `${path}[${i}]`, level + 1))
    return
  }
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__' || name.startsWith('$') || /[.\0]/.test(name) || !name.isWellFormed()) {
      const where = path === '' ? '' : `${path}: `
      throw fail(
        'invalidInput',
        `${where}cannot store a member named ${describe(name)}: names must not be __proto__, start with $ or contain a dot or NUL`,
      )
    }
    refuseUnsafe(member, path === '' ? name : `${path}.${name}`, level + 1)
  }
}

function refused(path: string, wanted: string, found: Json | undefined): Failure {
  return fail('invalidInput', `${path}: expected ${wanted}, found ${describe(found)}`)
}
