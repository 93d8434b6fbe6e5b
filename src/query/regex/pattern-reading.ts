/** What is known while a pattern is read: the position, the groups that are open, and what the rest may refer to. */
import type { Casing } from './case-variants.ts'
import { charSet, type CharSet } from './char-set.ts'
import { newNameScope, type NameScope } from './group-names.ts'
import type { PatternReader } from './pattern-reader.ts'
import { setNode, type PatternNode } from './pattern-tree.ts'

/** A part of a pattern that cannot be matched in linear time. */
export interface Unsupported {
  readonly construct: 'look-ahead' | 'negative look-ahead' | 'look-behind' | 'negative look-behind' | 'back-reference'
  /** As it is written: `(?=`, `\1`, `\k<name>`. */
  readonly text: string
  /** UTF-16 units before it. */
  readonly index: number
}

/** Flags that a group can change for what it holds. */
export interface Modes {
  readonly i: boolean
  readonly m: boolean
  readonly s: boolean
}

/** A group that is open, or the whole pattern. */
export interface Frame {
  readonly kind: 'pattern' | 'group' | 'look-ahead' | 'look-behind'
  readonly modes: Modes
  readonly names: NameScope
  readonly alternatives: PatternNode[]
  terms: PatternNode[]
}

export interface Reading {
  readonly reader: PatternReader
  /** How many groups capture, in all of the pattern. */
  readonly groups: number
  /** One of them has a name. */
  readonly hasNames: boolean
  /** From the whole pattern to the innermost group. */
  readonly open: Frame[]
  readonly names: Set<string>
  /** Names that `\k` refers to. */
  readonly referred: Set<string>
  /** Names of Unicode properties. */
  readonly properties: Set<string>
  unsupported: Unsupported | undefined
}

/** Remembers the first part that cannot be matched. It begins at the index and ends at the position of the reader. */
export function report(reading: Reading, construct: Unsupported['construct'], index: number): void {
  const { reader } = reading
  reading.unsupported ??= { construct, text: reader.source.slice(index, reader.at), index }
}

/** Adds a set as a term of the innermost group. */
export function pushSet(reading: Reading, set: CharSet): void {
  for (const { name } of set.properties) reading.properties.add(name)
  innermost(reading).terms.push(setNode(set))
}

/** Adds a character as a term of the innermost group. */
export function pushChar(reading: Reading, char: number): void {
  innermost(reading).terms.push(setNode(charSet([[char, char]], { casing: casingOf(reading) })))
}

/** How case is ignored at the position. */
export function casingOf(reading: Reading): Casing {
  if (!innermost(reading).modes.i) return 'exact'
  return reading.reader.unicode ? 'folded' : 'upper'
}

export function innermost({ open }: Reading): Frame {
  return open.at(-1) as Frame
}

export function newFrame(kind: Frame['kind'], modes: Modes): Frame {
  return { kind, modes, names: newNameScope(), alternatives: [], terms: [] }
}
