/**
 * Reading JSON of which nothing is promised: what is missing or of another kind is read as empty.
 *
 * So the reference shows what a document has, whichever version of the service made it.
 */

export type Members = { readonly [name: string]: unknown }

export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((one) => typeof one === 'string')
}

/** A member of its own, never one that every object has, such as `constructor`. */
export function memberOf(value: unknown, name: string): unknown {
  const members = membersOf(value)
  return Object.hasOwn(members, name) ? members[name] : undefined
}

/** Indented, as people read it. */
export function shownJson(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}
