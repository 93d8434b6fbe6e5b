/**
 * From a request body to the document that is stored.
 *
 * The declaration of the model decides. Members are written in declared order, then what the model keeps of further
 * members in the order sent. Embedded copies of other documents are checked as strictly but stored as they were
 * sent: clients find them again by comparing all members, dates included.
 *
 * Every refusal is a 400 that names the member and what was found: `source.language.code: expected a string, found 7`.
 * Where problems are collected, a member that is wrong stays as it was sent, and the rest is looked at.
 */
import { parseIsoDate } from '../base/dates.ts'
import { assertNever, describe } from '../base/failure.ts'
import { hasKey, isObject, JSON_DEPTH_MAX, type Json, type JsonObject } from '../base/json.ts'
import type { Extras, Field, Model, Shape } from '../models/schema.ts'
import { refuse, REPORTED, reportInvalid, type Report } from './problems.ts'

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
  /** Where problems go; without it, the first is thrown. */
  readonly report?: Report
}

/**
 * Checks a whole body against a model and returns the document to store, which it is only where nothing was reported.
 * Throws invalidInput, or what `report` throws.
 */
export function validateDocument(
  model: Model,
  body: JsonObject,
  { generated, stored, report = refuse }: Validation,
): JsonObject {
  findUnsafe(body, { path: '', level: 1, report })
  const own: Scope = { kind: 'own', generated, report, ...(stored === undefined ? {} : { stored }) }
  return readRecord(model.fields, { extras: model.extras, value: body, path: '', scope: own })
}

/**
 * Where a field stands: at the top of the document itself, deeper in it, or in an embedded copy, where generated
 * fields must be there and are left alone.
 */
type Scope = { readonly report: Report } & (
  | { readonly kind: 'own'; readonly generated: Generated; readonly stored?: JsonObject }
  | { readonly kind: 'inner'; readonly creating: boolean }
  | { readonly kind: 'copy' }
)

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
  /** What is wrong stays as it is; where that is said by throwing, nobody sees it again. */
  const refused = (wanted: string): Json => {
    reportInvalid(scope.report, path, `expected ${wanted}, found ${describe(value)}`)
    return value ?? null
  }
  switch (field.kind) {
    case 'text':
      if (typeof value !== 'string') return refused('a string')
      if (!field.blank && value.trim() === '') return refused('a text that is not blank')
      return value
    case 'choice': {
      if (value === undefined && field.implied !== undefined) return field.implied
      if (value === undefined && field.initial !== undefined && isCreation(scope)) return field.initial
      if (typeof value === 'string' && field.values.includes(value)) return value
      return refused(`one of ${field.values.join(', ')}`)
    }
    case 'boolean':
      return typeof value === 'boolean' ? value : refused('true or false')
    case 'whole':
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
      return refused('a whole number, 0 or more')
    case 'date':
      return (typeof value === 'string' ? parseIsoDate(value) : undefined) ?? refused('an ISO 8601 date')
    case 'nullable':
      return value === undefined || value === null ? null : readField(field.of, value, path, scope)
    case 'list':
      if (!Array.isArray(value)) return refused('an array')
      return value.map((item: Json, i) => readField(field.of, item, `${path}[${i}]`, inner(scope)))
    case 'record':
      if (!isObject(value)) return refused('an object')
      return readRecord(field.fields, { extras: field.extras, value, path, scope: inner(scope) })
    case 'map':
      return isObject(value) ? readMap(field.keys, field.of, value, path, inner(scope)) : refused('an object')
    case 'embedded':
      if (value === REPORTED) return value
      return isObject(value)
        ? readCopy(field.model, value, path, scope.report)
        : refused(`a whole ${field.model.name} or {"id": …}`)
    case 'generated':
      if (field.as === 'id') {
        return typeof value === 'string' && value !== '' ? value : refused('the id of the embedded document')
      }
      return typeof value === 'string' && parseIsoDate(value) !== undefined ? value : refused('an ISO 8601 date')
    case 'constant':
      return field.value
    default:
      return assertNever(field)
  }
}

function readMap(keys: readonly string[], of: Field, value: JsonObject, path: string, scope: Scope): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (keys.includes(key)) return [key, readField(of, item, `${path}.${key}`, scope)]
      reportInvalid(scope.report, path, `expected no keys but ${keys.join(', ')}, found ${describe(key)}`)
      return [key, item]
    }),
  )
}

/** An embedded copy keeps the order and the text of its members; only a missing or wrong `type` is put right. */
function readCopy(model: Model, value: JsonObject, path: string, report: Report): JsonObject {
  const checked = readRecord(model.fields, { extras: 'drop', value, path, scope: { kind: 'copy', report } })
  return { ...value, ...checked }
}

function inner(scope: Scope): Scope {
  if (scope.kind !== 'own') return scope
  return { kind: 'inner', creating: scope.stored === undefined, report: scope.report }
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
function findUnsafe(value: Json, { path, level, report }: Place): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) reportInvalid(report, path, 'expected Unicode text, found half a surrogate pair')
    return
  }
  const isArray = Array.isArray(value)
  if (!isArray && !isObject(value)) return
  if (level > JSON_DEPTH_MAX) {
    const what = `a document of more than ${JSON_DEPTH_MAX} levels, those of its embedded records included`
    reportInvalid(report, '', `Cannot store ${what}`)
    return
  }
  if (isArray) {
    value.forEach((item: Json, i) => findUnsafe(item, { path: `${path}[${i}]`, level: level + 1, report }))
    return
  }
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__' || name.startsWith('$') || /[.\0]/.test(name) || !name.isWellFormed()) {
      const rule = 'names must not be __proto__, start with $ or contain a dot or NUL'
      reportInvalid(report, path, `cannot store a member named ${describe(name)}: ${rule}`)
    }
    findUnsafe(member, { path: path === '' ? name : `${path}.${name}`, level: level + 1, report })
  }
}

interface Place {
  readonly path: string
  readonly level: number
  readonly report: Report
}
