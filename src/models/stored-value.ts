/**
 * Whether a stored value is one that the declaration of its field allows. Values were checked when they were written, in
 * more ways than here: a file from elsewhere may hold anything.
 */
import { parseIsoDate } from '../base/dates.ts'
import { isCount, isObject, type Json, type JsonObject } from '../base/json.ts'
import type { Field, Shape } from './schema.ts'

/** The dotted path of the first member that no write stores so; undefined where all are fine. */
export function wrongMember(shape: Shape, value: JsonObject): string | undefined {
  for (const name in shape) {
    const wrong = wrongValue(shape[name] as Field, value[name], name)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/** A member that was declared after the document was written may be missing. */
function wrongValue(field: Field, value: Json | undefined, path: string): string | undefined {
  if (value === undefined) return mayBeMissing(field) ? undefined : path
  switch (field.kind) {
    case 'nullable':
    case 'optional':
      return value === null ? undefined : wrongValue(field.of, value, path)
    case 'list':
      return Array.isArray(value) ? firstWrong((value as readonly Json[]).map((item, i) => wrongValue(field.of, item, `${path}[${i}]`))) : path
    case 'record':
      return isObject(value) ? within(path, wrongMember(field.fields, value)) : path
    case 'embedded':
      return isObject(value) ? within(path, wrongMember(field.model.fields, value)) : path
    case 'map':
      return isObject(value) ? firstWrong(Object.entries(value).map(([key, item]) => wrongValue(field.of, item, `${path}.${key}`))) : path
    default:
      return isPlain(field, value) ? undefined : path
  }
}

type PlainField = Exclude<Field, { readonly kind: 'nullable' | 'optional' | 'list' | 'record' | 'embedded' | 'map' }>

function isPlain(field: PlainField, value: Json): boolean {
  switch (field.kind) {
    case 'boolean':
      return typeof value === 'boolean'
    case 'whole':
      return isCount(value)
    case 'choice':
      return typeof value === 'string' && field.values.includes(value)
    case 'constant':
      return value === field.value
    case 'date':
      return isDate(value)
    case 'generated':
      return field.as === 'date' ? isDate(value) : typeof value === 'string' && value !== ''
    case 'text':
      return typeof value === 'string'
  }
}

const isDate = (value: Json): boolean => typeof value === 'string' && parseIsoDate(value) !== undefined

function mayBeMissing(field: Field): boolean {
  if (['nullable', 'optional', 'list', 'map', 'constant'].includes(field.kind)) return true
  return (field.kind === 'text' || field.kind === 'choice' || field.kind === 'boolean') && field.implied !== undefined
}

const firstWrong = (found: readonly (string | undefined)[]): string | undefined => found.find((path) => path !== undefined)

const within = (path: string, inner: string | undefined): string | undefined => (inner === undefined ? undefined : `${path}.${inner}`)
