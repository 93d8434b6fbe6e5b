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
import type { Casing } from './case-variants.ts'
import { LINE_TERMINATORS } from './char-escapes.ts'
import { charSet, type CharSet } from './char-set.ts'
import { readCharacterEscape } from './escapes.ts'
import { addName, closeScope, newNameScope, nextAlternative, readGroupName, type NameScope } from './group-names.ts'
import { readBracketClass, readSetEscape } from './bracket-class.ts'
import { accept, INVALID_PATTERN, peek, takeChar, takeMatch, type PatternReader } from './pattern-reader.ts'
import { assertionNode, choice, EMPTY, repeat, sequence, setNode, type Assertion, type PatternNode } from './pattern-tree.ts'

/** A part of a pattern that cannot be matched in linear time. */
export interface Unsupported {
  readonly construct: 'look-ahead' | 'negative look-ahead' | 'look-behind' | 'negative look-behind' | 'back-reference'
  /** As it is written: `(?=`, `\1`, `\k<name>`. */
  readonly text: string
  /** UTF-16 units before it. */
  readonly index: number
}

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

/** Flags that a group can change for what it holds. */
interface Modes {
  readonly i: boolean
  readonly m: boolean
  readonly s: boolean
}

/** A group that is open, or the whole pattern. */
interface Frame {
  readonly kind: 'pattern' | 'group' | 'look-ahead' | 'look-behind'
  readonly modes: Modes
  readonly names: NameScope
  readonly alternatives: PatternNode[]
  terms: PatternNode[]
}

interface Reading {
  readonly reader: PatternReader
  readonly groups: number
  readonly hasNames: boolean
  readonly open: Frame[]
  readonly names: Set<string>
  /** Names that `\k` refers to. */
  readonly referred: Set<string>
  readonly properties: Set<string>
  unsupported: Unsupported | undefined
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

/** `{2}`, `{2,}`, `{2,5}`. Braces of another form stand for themselves, in the older dialect. */
const INTERVAL = /\{(\d+)(?:(,)(\d*))?\}/y
/** V8 compares the two numbers of an interval up to this one. */
const COMPARED_MAX = 2 ** 31 - 1

function readQuantifier({ reader, open }: Reading): void {
  const bounds = takeBounds(reader)
  if (bounds === undefined) return
  accept(reader, '?')
  const terms = (open.at(-1) as Frame).terms
  terms.push(repeat(terms.pop() ?? EMPTY, ...bounds))
}

function takeBounds(reader: PatternReader): readonly [least: number, most: number] | undefined {
  if (accept(reader, '*')) return [0, Number.POSITIVE_INFINITY]
  if (accept(reader, '+')) return [1, Number.POSITIVE_INFINITY]
  if (accept(reader, '?')) return [0, 1]
  if (peek(reader) !== '{') return undefined
  const found = takeMatch(reader, INTERVAL)
  if (found === undefined) {
    if (reader.unicode) throw INVALID_PATTERN
    return undefined
  }
  const least = readCount(found[1] as string)
  if (found[2] !== undefined && found[3] === '') return [least, Number.POSITIVE_INFINITY]
  const most = found[3] === undefined ? least : readCount(found[3])
  if (Math.min(most, COMPARED_MAX) < Math.min(least, COMPARED_MAX)) throw INVALID_PATTERN
  return [least, Math.max(least, most)]
}

/** A number of any length, which never becomes the Infinity that stands for "without end". */
function readCount(digits: string): number {
  return Math.min(Number(digits), Number.MAX_VALUE)
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

const MODIFIERS = /([ims]*)(?:(-)([ims]*))?:/y

function openGroup(reading: Reading): void {
  const { reader, open } = reading
  const { modes } = innermost(reading)
  const start = reader.at
  reader.at++
  if (!accept(reader, '?')) {
    open.push(newFrame('group', modes))
    return
  }
  for (const [text, kind, construct] of LOOK_AROUND) {
    if (!accept(reader, text)) continue
    report(reading, construct, start)
    open.push(newFrame(kind, modes))
    return
  }
  if (accept(reader, '<')) {
    const name = readGroupName(reader)
    addName(
      open.map(({ names }) => names),
      name,
    )
    reading.names.add(name)
    open.push(newFrame('group', modes))
    return
  }
  const found = takeMatch(reader, MODIFIERS)
  if (found === undefined) throw INVALID_PATTERN
  open.push(newFrame('group', changed(modes, found[1] as string, found[3])))
}

const LOOK_AROUND = [
  ['=', 'look-ahead', 'look-ahead'],
  ['!', 'look-ahead', 'negative look-ahead'],
  ['<=', 'look-behind', 'look-behind'],
  ['<!', 'look-behind', 'negative look-behind'],
] as const

/** `(?i-m:…)`: each letter once; a hyphen alone says nothing and is an error. `off` is undefined without a hyphen. */
function changed(modes: Modes, on: string, off: string | undefined): Modes {
  const letters = on + (off ?? '')
  if (new Set(letters).size < letters.length || (off !== undefined && letters === '')) throw INVALID_PATTERN
  const mode = (letter: keyof Modes): boolean => on.includes(letter) || (modes[letter] && off?.includes(letter) !== true)
  return { i: mode('i'), m: mode('m'), s: mode('s') }
}

/** Says whether a quantifier may follow: annex B allows one after a look-ahead. */
function closeGroup({ reader, open }: Reading): boolean {
  const frame = open.pop()
  const outer = open.at(-1)
  if (frame === undefined || outer === undefined) throw INVALID_PATTERN
  closeScope(frame.names, outer.names)
  outer.terms.push(frame.kind === 'group' ? disjunction(frame) : EMPTY)
  return frame.kind === 'group' || (frame.kind === 'look-ahead' && !reader.unicode)
}

function disjunction({ alternatives, terms }: Frame): PatternNode {
  return choice([...alternatives, sequence(terms)])
}

function report(reading: Reading, construct: Unsupported['construct'], index: number): void {
  const { reader } = reading
  reading.unsupported ??= { construct, text: reader.source.slice(index, reader.at), index }
}

function pushSet(reading: Reading, set: CharSet): void {
  for (const { name } of set.properties) reading.properties.add(name)
  innermost(reading).terms.push(setNode(set))
}

function pushChar(reading: Reading, char: number): void {
  innermost(reading).terms.push(setNode(charSet([[char, char]], { casing: casingOf(reading) })))
}

function casingOf(reading: Reading): Casing {
  if (!innermost(reading).modes.i) return 'exact'
  return reading.reader.unicode ? 'folded' : 'upper'
}

function innermost({ open }: Reading): Frame {
  return open.at(-1) as Frame
}

function newFrame(kind: Frame['kind'], modes: Modes): Frame {
  return { kind, modes, names: newNameScope(), alternatives: [], terms: [] }
}
