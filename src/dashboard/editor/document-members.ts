/** What a document is made of, seen by its declaration: what its fields are, what comes besides, what is sent. */
import type { Json } from '../../client/client.ts'
import type { Field, Model, Shape } from '../../models/schema.ts'
import { isMembers, type Members } from '../any-documents.ts'

/** The fields that the form has. The status has buttons of its own. */
export function formFields(model: Model): Shape {
  return Object.fromEntries(Object.entries(model.fields).filter(([name]) => name !== 'status'))
}

/** The members that a client sends: neither what the server sets nor what is always the same. */
export function sentMembers(model: Model, document: Members): Members {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !isServers(fieldOf(model, name))))
}

/** Members that the declaration does not know. */
export function extrasOf(model: Model, document: Members): Members {
  return Object.fromEntries(Object.entries(document).filter(([name]) => fieldOf(model, name) === undefined))
}

export function fieldOf(model: Model, name: string): Field | undefined {
  return Object.hasOwn(model.fields, name) ? model.fields[name] : undefined
}

/** Whether two values are the same, in whatever order their members are. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item: Json, i) => sameJson(item, b[i] as Json))
  }
  if (!isMembers(a) || !isMembers(b)) return a === b
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
  )
}

function isServers(field: Field | undefined): boolean {
  return field?.kind === 'generated' || field?.kind === 'constant'
}
