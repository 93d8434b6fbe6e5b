/**
 * Patterns that are no more than a text: `word`, `C\+\+`, `^Re`. They are found by a search instead of an automaton.
 */
import { caseVariants, type Casing } from './case-variants.ts'
import { onlyChar } from './char-set.ts'
import type { PatternNode } from './pattern-tree.ts'

export interface LiteralText {
  readonly text: string
  /** The text must be where the searched one begins. */
  readonly atStart: boolean
}

/**
 * The text that a tree stands for; undefined where it is more than one. A search by code points, which ignores case by
 * folding, has to find the same: so without the flag `u` a text must have no half of a surrogate pair, and with `i` no
 * letters, also none that two units are together.
 */
export function literalTextOf(
  { root, unicode }: { readonly root: PatternNode; readonly unicode: boolean },
  ignoreCase: boolean,
): LiteralText | undefined {
  const parts = root.kind === 'sequence' ? root.parts : root.kind === 'empty' ? [] : [root]
  const [first] = parts
  const atStart = first?.kind === 'assertion' && first.assertion === 'text-start'
  const casing = ignoreCase ? 'folded' : 'exact'
  const chars = parts.slice(atStart ? 1 : 0).map((part) => literalChar(part, casing))
  if (!chars.every((char) => char !== undefined)) return undefined
  const text = chars.join('')
  // With the flag, two halves that stand side by side in the pattern are two characters, which match no pair in a text.
  const isSearched = unicode ? [...text].length === chars.length : text.isWellFormed() && !(ignoreCase && hasPairsOfCase(text))
  return isSearched ? { text, atStart } : undefined
}

function hasPairsOfCase(text: string): boolean {
  return [...text].some((char) => char.length > 1 && caseVariants(char.codePointAt(0) ?? 0, 'folded').length > 1)
}

function literalChar(node: PatternNode, casing: Casing): string | undefined {
  const char = node.kind === 'set' ? onlyChar(node.set) : undefined
  if (char === undefined || node.kind !== 'set') return undefined
  const isSame = node.set.casing === casing || caseVariants(char, 'folded').length === 1
  return isSame ? String.fromCodePoint(char) : undefined
}
