/**
 * Names of groups (ECMA-262, GroupName). Two groups may share a name only where no match can have both: in different
 * alternatives of one disjunction.
 *
 * Matching has no use for names. They are read because they decide whether a text is a pattern.
 */
import { accept, INVALID_PATTERN, peek, takePoint, type PatternReader } from './pattern-reader.ts'
import { readCodePoint } from './escapes.ts'

const NAME_START = /^[\p{ID_Start}$_]$/u
const NAME_PART = /^[\p{ID_Continue}$\u200c\u200d]$/u

/** Reads a name and the `>` behind it; the `<` has been taken. Escapes with braces are good here in both dialects. */
export function readGroupName(reader: PatternReader): string {
  let name = ''
  while (name === '' || !accept(reader, '>')) {
    const isEscape = peek(reader) === '\\'
    if (isEscape) reader.at++
    const point = isEscape ? readCodePoint({ reader, braces: true, pairs: true }) : takePoint(reader)
    if (point === undefined) throw INVALID_PATTERN
    const char = String.fromCodePoint(point)
    if (!(name === '' ? NAME_START : NAME_PART).test(char)) throw INVALID_PATTERN
    name += char
  }
  return name
}

/** The names within one disjunction that is being read. */
export interface NameScope {
  /** Of the alternatives before. */
  readonly earlier: Set<string>
  /** Of this alternative. */
  current: Set<string>
}

export function newNameScope(): NameScope {
  return { earlier: new Set(), current: new Set() }
}

/** Adds a name in the innermost of the scopes. A match of this group passes through the alternatives around it. */
export function addName(scopes: readonly NameScope[], name: string): void {
  if (scopes.some(({ current }) => current.has(name))) throw INVALID_PATTERN
  scopes.at(-1)?.current.add(name)
}

/** The next alternative begins. */
export function nextAlternative(scope: NameScope): void {
  for (const name of scope.current) scope.earlier.add(name)
  scope.current = new Set()
}

/** A group ends: its names belong to the alternative that it stands in. */
export function closeScope(inner: NameScope, outer: NameScope): void {
  for (const name of inner.earlier) outer.current.add(name)
  for (const name of inner.current) outer.current.add(name)
}
