/** Classes in brackets: `[a-z\d_]`, `[^"]` (ECMA-262, CharacterClass and annex B.1.2). */
import type { Casing } from './case-variants.ts'
import { escapedRanges } from './named-sets.ts'
import { charSet, type CharProperty, type CharRange, type CharSet } from './char-set.ts'
import { readCharacterEscape } from './escapes.ts'
import { accept, INVALID_PATTERN, peek, takeChar, takeMatch, type PatternReader } from './pattern-reader.ts'
import { isProperty } from './unicode-property.ts'

/** One member of a class: a character, or the set that an escape means. */
type Member =
  | { readonly kind: 'char'; readonly char: number }
  | { readonly kind: 'ranges'; readonly ranges: readonly CharRange[] }
  | { readonly kind: 'property'; readonly property: CharProperty }

const HYPHEN: Member = { kind: 'char', char: 0x2d }

/** Reads a class of which the bracket has been taken. `hasNames` says that `\\k` is a reference. */
export function readBracketClass(reader: PatternReader, casing: Casing, hasNames: boolean): CharSet {
  const negated = accept(reader, '^')
  const ranges: CharRange[] = []
  const properties: CharProperty[] = []
  const add = (member: Member): void => {
    if (member.kind === 'char') ranges.push([member.char, member.char])
    else if (member.kind === 'ranges') ranges.push(...member.ranges)
    else properties.push(member.property)
  }
  while (!accept(reader, ']')) {
    const first = readMember(reader, casing, hasNames)
    if (peek(reader) !== '-' || peek(reader, 1) === ']') {
      add(first)
      continue
    }
    reader.at++
    const last = readMember(reader, casing, hasNames)
    if (first.kind === 'char' && last.kind === 'char') {
      if (first.char > last.char) throw INVALID_PATTERN
      ranges.push([first.char, last.char])
    } else if (reader.unicode) throw INVALID_PATTERN
    else [first, HYPHEN, last].forEach(add) // Annex B: `[\w-a]` has a hyphen.
  }
  return charSet(ranges, { properties, negated, casing })
}

function readMember(reader: PatternReader, casing: Casing, hasNames: boolean): Member {
  if (peek(reader) === '') throw INVALID_PATTERN
  if (!accept(reader, '\\')) return { kind: 'char', char: takeChar(reader) }
  if (accept(reader, 'b')) return { kind: 'char', char: 0x08 }
  return readSetEscape(reader, casing) ?? { kind: 'char', char: readCharacterEscape(reader, { inClass: true, hasNames }) }
}

const PROPERTY = /[pP]\{([^{}]*)\}/y

/** Reads an escape that means a set, behind its backslash; undefined for others. */
export function readSetEscape(reader: PatternReader, casing: Casing): Exclude<Member, { kind: 'char' }> | undefined {
  const letter = peek(reader)
  const ranges = escapedRanges(letter, casing)
  if (ranges !== undefined) {
    reader.at++
    return { kind: 'ranges', ranges }
  }
  if (!reader.unicode || (letter !== 'p' && letter !== 'P')) return undefined
  const name = takeMatch(reader, PROPERTY)?.[1]
  if (name === undefined || !isProperty(name)) throw INVALID_PATTERN
  return { kind: 'property', property: { name, negated: letter === 'P' } }
}
