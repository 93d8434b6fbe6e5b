/**
 * The patterns of JavaScript (ECMA-262, "Patterns", with annex B.1.2) as a tree.
 *
 * There are two dialects, with the flag `u` and without it, and a text may be a pattern of one, both or none; the
 * verdicts are those of V8, which a test compares with. Reading takes time in proportion to the text: groups that are
 * open stand in a list, so that no nesting fills the stack.
 *
 * Look-around and back-references cannot be matched in linear time. They are read like the rest, because a text that
 * is no pattern means itself whatever it contains, and the first of them is reported.
 */
import { readBracketClass, readSetEscape } from './bracket-class.ts'
import { charSet } from './char-set.ts'
import { readCharacterEscape } from './escapes.ts'
import { nextAlternative, readGroupName } from './group-names.ts'
import { LINE_TERMINATORS } from './named-sets.ts'
import { closeGroup, disjunction, openGroup } from './pattern-groups.ts'
import { accept, INVALID_PATTERN, peek, takeChar, takeMatch } from './pattern-reader.ts'
import { casingOf, innermost, newFrame, pushChar, pushSet, report, type Reading, type Unsupported } from './pattern-reading.ts'
import { assertionNode, EMPTY, repeat, sequence, setNode, type Assertion, type PatternNode } from './pattern-tree.ts'
import { INTERVAL, takeQuantifier } from './quantifiers.ts'

export interface ParsedPattern {
  /** As they were asked for. */
  readonly flags: string
  /** Texts are code points, not UTF-16 units. */
  readonly unicode: boolean
  readonly root: PatternNode
  /** The names of the Unicode properties in it. */
  readonly properties: ReadonlySet<string>
  /** The first such part. The tree leaves them all out. */
  readonly unsupported: Unsupported | undefined
}

/** Reads a pattern with the flags `i`, `m`, `s` and `u` in any order; undefined where the text is none with them. */
export function parseRegex(source: string, flags: string): ParsedPattern | undefined {
  try {
    return readPattern(source, flags)
  } catch (error) {
    if (error === INVALID_PATTERN) return undefined
    throw error
  }
}

function readPattern(source: string, flags: string): ParsedPattern {
  const modes = { i: flags.includes('i'), m: flags.includes('m'), s: flags.includes('s') }
  const { groups, hasNames } = countGroups(source)
  const reading: Reading = {
    reader: { source, unicode: flags.includes('u'), at: 0 },
    groups,
    hasNames,
    open: [newFrame('pattern', modes)],
    names: new Set(),
    referred: new Set(),
    properties: new Set(),
    unsupported: undefined,
  }
  while (peek(reading.reader) !== '') {
    if (readTerm(reading)) readQuantifier(reading)
  }
  const frame = innermost(reading)
  if (frame.kind !== 'pattern' || !reading.referred.isSubsetOf(reading.names)) throw INVALID_PATTERN
  const { reader, properties, unsupported } = reading
  return { flags, unicode: reader.unicode, root: disjunction(frame), properties, unsupported }
}

/**
 * How many groups capture, and whether one of them has a name: what `\1` and `\k` mean depends on all of the pattern.
 */
function countGroups(source: string): { readonly groups: number; readonly hasNames: boolean } {
  let [groups, hasNames] = [0, false]
  for (const [found] of source.matchAll(/\\[^]|\[(?:\\[^]|[^\]\\])*\]?|\(\?<(?![=!])|\((?!\?)/g)) {
    if (!found.startsWith('(')) continue
    groups++
    hasNames ||= found.startsWith('(?<')
  }
  return { groups, hasNames }
}

/** Reads one term, `|`, `(` or `)`. Says whether a quantifier may follow. */
function readTerm(reading: Reading): boolean {
  const { reader } = reading
  const frame = innermost(reading)
  const { modes, terms } = frame
  switch (peek(reader)) {
    case '|':
      reader.at++
      frame.alternatives.push(sequence(frame.terms))
      frame.terms = []
      nextAlternative(frame.names)
      return false
    case '(':
      openGroup(reading)
      return false
    case ')':
      reader.at++
      return closeGroup(reading)
    case '^':
      reader.at++
      terms.push(assertionNode(modes.m ? 'line-start' : 'text-start'))
      return false
    case '$':
      reader.at++
      terms.push(assertionNode(modes.m ? 'line-end' : 'text-end'))
      return false
    case '.':
      reader.at++
      terms.push(setNode(charSet(modes.s ? [] : LINE_TERMINATORS, { negated: true })))
      return true
    case '[':
      reader.at++
      pushSet(reading, readBracketClass(reader, casingOf(reading), reading.hasNames))
      return true
    case '\\':
      reader.at++
      return readEscape(reading)
    case '*':
    case '+':
    case '?':
      throw INVALID_PATTERN
    case '{':
      if (reader.unicode || takeMatch(reader, INTERVAL) !== undefined) throw INVALID_PATTERN
      break
    case '}':
    case ']':
      if (reader.unicode) throw INVALID_PATTERN
      break
    default:
  }
  pushChar(reading, takeChar(reader))
  return true
}

function readQuantifier(reading: Reading): void {
  const bounds = takeQuantifier(reading.reader)
  if (bounds === undefined) return
  const { terms } = innermost(reading)
  terms.push(repeat(terms.pop() ?? EMPTY, ...bounds))
}

/** The backslash has been taken. */
function readEscape(reading: Reading): boolean {
  const { reader } = reading
  const { modes, terms } = innermost(reading)
  const letter = peek(reader)
  if (letter === 'b' || letter === 'B') {
    reader.at++
    const folded = modes.i && reader.unicode
    terms.push(assertionNode(BOUNDARIES[letter][folded ? 'folded' : 'plain']))
    return false
  }
  if (isReference(reading)) {
    terms.push(EMPTY)
    return true
  }
  const escaped = readSetEscape(reader, casingOf(reading))
  if (escaped?.kind === 'ranges') pushSet(reading, charSet(escaped.ranges, { casing: casingOf(reading) }))
  else if (escaped?.kind === 'property') {
    pushSet(reading, charSet([], { properties: [escaped.property], casing: casingOf(reading) }))
  } else pushChar(reading, readCharacterEscape(reader, { inClass: false, hasNames: reading.hasNames }))
  return true
}

const BOUNDARIES = {
  b: { plain: 'boundary', folded: 'folded-boundary' },
  B: { plain: 'no-boundary', folded: 'no-folded-boundary' },
} as const satisfies Record<string, Record<string, Assertion>>

const REFERENCE = /[1-9]\d*/y

/** Takes a back-reference, by number or by name. */
function isReference(reading: Reading): boolean {
  const { reader, hasNames, groups } = reading
  const start = reader.at
  const digits = takeMatch(reader, REFERENCE)?.[0]
  if (digits !== undefined) {
    if (Number(digits) > groups) {
      if (reader.unicode) throw INVALID_PATTERN
      reader.at = start // Annex B: an octal escape, or a digit.
      return false
    }
  } else if (peek(reader) === 'k' && (reader.unicode || hasNames)) {
    if (!accept(reader, 'k<')) throw INVALID_PATTERN
    reading.referred.add(readGroupName(reader))
  } else return false
  report(reading, 'back-reference', start - 1)
  return true
}
