/**
 * What differs between two states of a document, path by path, and how to put the same changes onto a third state.
 *
 * Objects are looked into; every other value is compared as a whole. So a path is that of a field, and two people who
 * changed different fields of the same document do not get into each other's way.
 */
import { isMembers, memberOf, type Members } from './any-documents.ts'
import type { Json } from '../client/client.ts'
import { isExactNumber } from './exact-json.ts'

export interface Difference {
  /** Names of members from the outside in. */
  readonly steps: readonly string[]
  /** Undefined where the member was not there. */
  readonly before: Json | undefined
  /** Undefined where it is taken away. */
  readonly after: Json | undefined
}

/** A member that the server sets is no change of a user. */
const GENERATED = ['id', 'createdAt', 'updatedAt']

/** In the order of the first, then what only the second has. */
export function differencesOf(before: Members, after: Members): readonly Difference[] {
  return compared(before, after, []).filter(({ steps }) => steps.length > 1 || !GENERATED.includes(steps[0] ?? ''))
}

function compared(before: Members, after: Members, steps: readonly string[]): readonly Difference[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) => {
    const [old, next] = [memberOf(before, name), memberOf(after, name)]
    const path = [...steps, name]
    if (isMembers(old) && isMembers(next)) return compared(old, next, path)
    return isSame(old, next) ? [] : [{ steps: path, before: old, after: next }]
  })
}

/** The document with each difference's `after` in its place. Nothing that is given is changed. */
export function withDifferences(document: Members, differences: readonly Difference[]): Members {
  return differences.reduce((members, { steps, after }) => put(members, steps, after), document)
}

function put(members: Members, [name = '', ...rest]: readonly string[], value: Json | undefined): Members {
  const old = memberOf(members, name)
  const next = rest.length === 0 ? value : put(isMembers(old) ? old : {}, rest, value)
  const others = Object.entries(members).filter(([key]) => key !== name)
  if (next === undefined) return Object.fromEntries(others)
  // A member keeps its place, so that what is shown does not jump.
  return Object.hasOwn(members, name) ? { ...members, [name]: next } : Object.fromEntries([...others, [name, next]])
}

/** Equal values, whatever the order of their members. */
export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, i) => isSame(item as Json, other[i] as Json))
  }
  if (isMembers(one) && isMembers(other)) return compared(one, other, []).length === 0
  if (isExactNumber(one) && isExactNumber(other)) return JSON.stringify(one) === JSON.stringify(other)
  return one === other
}
