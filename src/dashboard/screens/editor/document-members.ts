/** What a document is made of, seen by its declaration: what its fields are, what comes besides, what is sent. */
import type { Field, Model, Shape } from '../../../models/schema.ts'
import type { Members } from '../../any-documents.ts'

/** The fields that the form has. The status has buttons of its own, and so has review. */
export function formFields(model: Model, hidden: readonly string[]): Shape {
  return Object.fromEntries(Object.entries(model.fields).filter(([name]) => name !== 'status' && name !== 'handedInAt' && !hidden.includes(name)))
}

/** The members that a client sends: neither what the server sets nor what is always the same. */
export function sentMembers(model: Model, document: Members): Members {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !isServers(fieldOf(model, name))))
}

/** The stored document with these members in the place of those that a client sends. */
export function withMembers(model: Model, stored: Members, sent: Members): Members {
  const kept = Object.entries(stored).filter(([name]) => Object.hasOwn(sent, name) || isServers(fieldOf(model, name)))
  return { ...Object.fromEntries(kept), ...sent }
}

/** Members that the declaration does not know. */
export function extrasOf(model: Model, document: Members): Members {
  return Object.fromEntries(Object.entries(document).filter(([name]) => fieldOf(model, name) === undefined))
}

export function fieldOf(model: Model, name: string): Field | undefined {
  return Object.hasOwn(model.fields, name) ? model.fields[name] : undefined
}

function isServers(field: Field | undefined): boolean {
  return field?.kind === 'generated' || field?.kind === 'constant'
}
