/**
 * A pattern as a tree, and how many states each part of it takes.
 *
 * Groups, names and laziness are gone: for the question whether a text matches they make no difference. States are
 * those of Thompson's construction: one for each set of characters, each assertion and each choice between two ways,
 * with counted repetitions written out. They are counted here, from the numbers in the braces, before anything of that
 * size is built.
 */
import type { CharSet } from './char-set.ts'

/** `^`, `$`, `\b` and `\B`. A `folded` boundary is one with the flags `iu`, where two more letters are word characters. */
export type Assertion =
  | 'text-start'
  | 'line-start'
  | 'text-end'
  | 'line-end'
  | 'boundary'
  | 'no-boundary'
  | 'folded-boundary'
  | 'no-folded-boundary'

export type PatternNode = { readonly states: number } & (
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly parts: readonly PatternNode[] }
  /** `most` may be Infinity. The part can consume a character, and `most` is 1 or more. */
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly least: number; readonly most: number }
)

export const EMPTY: PatternNode = { kind: 'empty', states: 0 }

export function setNode(set: CharSet): PatternNode {
  return { kind: 'set', set, states: 1 }
}

export function assertionNode(assertion: Assertion): PatternNode {
  return { kind: 'assertion', assertion, states: 1 }
}

export function sequence(parts: readonly PatternNode[]): PatternNode {
  const kept = parts.filter((part) => part.kind !== 'empty')
  if (kept.length === 0) return EMPTY
  return kept.length === 1 ? (kept[0] as PatternNode) : { kind: 'sequence', parts: kept, states: sum(kept) }
}

/** One of the parts. Several empty ones are as good as one. */
export function choice(parts: readonly PatternNode[]): PatternNode {
  const firstEmpty = parts.findIndex((part) => part.kind === 'empty')
  const kept = parts.filter((part, i) => part.kind !== 'empty' || i === firstEmpty)
  if (kept.length === 1) return kept[0] as PatternNode
  return { kind: 'choice', parts: kept, states: sum(kept) + kept.length - 1 }
}

/** The part so many times. What consumes nothing holds as often as one likes, or can be left out. */
export function repeat(part: PatternNode, least: number, most: number): PatternNode {
  if (most === 0) return EMPTY
  if (!consumes(part)) return least === 0 ? EMPTY : part
  if (least === 1 && most === 1) return part
  // x{2,4} is xx(x(x)?)?, x{2,} is xx+, and x* is a choice before x, which leads back to it.
  const states =
    most === Number.POSITIVE_INFINITY
      ? part.states * Math.max(1, least) + 1
      : part.states * least + (part.states + 1) * (most - least)
  return { kind: 'repeat', part, least, most, states }
}

/** Whether some match of the part has a character. A repetition always has such a part. */
function consumes(node: PatternNode): boolean {
  switch (node.kind) {
    case 'empty':
    case 'assertion':
      return false
    case 'sequence':
    case 'choice':
      return node.parts.some(consumes)
    default:
      return true
  }
}

function sum(parts: readonly PatternNode[]): number {
  return parts.reduce((states, part) => states + part.states, 0)
}
