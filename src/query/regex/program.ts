/**
 * A pattern as a program: the non-deterministic automaton of Thompson's construction
 * (Cox, "Regular Expression Matching Can Be Simple And Fast", swtch.com/~rsc/regexp/regexp1.html).
 *
 * State 0 is the match. Every other state leads to `out`, a split to `other` as well. Built from the end to the start,
 * so that each state knows where it leads; only the split of a repetition is completed afterwards.
 */
import { assertNever } from '../../base/failure.ts'
import type { CharSet } from './char-set.ts'
import type { Assertion, PatternNode } from './pattern-tree.ts'

export const OP = { match: 0, set: 1, split: 2, assertion: 3 } as const

/** In the order of their numbers in a program. */
export const ASSERTIONS: readonly Assertion[] = [
  'text-start',
  'line-start',
  'text-end',
  'line-end',
  'boundary',
  'no-boundary',
  'folded-boundary',
  'no-folded-boundary',
]

export interface Program {
  readonly start: number
  readonly ops: Uint8Array
  readonly outs: Uint16Array
  /** Of a set its number in `sets`, of a split the other way, of an assertion its number. */
  readonly others: Uint16Array
  readonly sets: readonly CharSet[]
  /** Texts are code points, not UTF-16 units. */
  readonly unicode: boolean
}

/** Builds the program of a tree, of at most 65,000 states. */
export function compileTree(root: PatternNode, unicode: boolean): Program {
  const size = root.states + 1
  const [ops, outs, others] = [new Uint8Array(size), new Uint16Array(size), new Uint16Array(size)]
  const sets: CharSet[] = []
  const numbers = new Map<CharSet | string, number>()
  let used = 1

  const emit = (op: number, out: number, other: number): number => {
    ops[used] = op
    outs[used] = out
    others[used] = other
    return used++
  }

  /** Equal sets share a number, so that fewer of them are asked about each character. */
  const numberOf = (set: CharSet): number => {
    const known = numbers.get(set)
    if (known !== undefined) return known
    const text = JSON.stringify(set)
    const number = numbers.get(text) ?? sets.push(set) - 1
    numbers.set(set, number).set(text, number)
    return number
  }

  /** The state at which a part begins that leads to `next`. */
  const build = (node: PatternNode, next: number): number => {
    switch (node.kind) {
      case 'empty':
        return next
      case 'set':
        return emit(OP.set, next, numberOf(node.set))
      case 'assertion':
        return emit(OP.assertion, next, ASSERTIONS.indexOf(node.assertion))
      case 'sequence':
        return node.parts.reduceRight((after, part) => build(part, after), next)
      case 'choice': {
        const starts = node.parts.map((part) => build(part, next))
        return starts.reduceRight((other, start) => emit(OP.split, start, other))
      }
      case 'repeat':
        return buildRepeat(node, next)
      default:
        return assertNever(node)
    }
  }

  const buildRepeat = ({ part, least, most }: Extract<PatternNode, { kind: 'repeat' }>, next: number): number => {
    let start = next
    let left = least
    if (most === Number.POSITIVE_INFINITY) {
      const loop = emit(OP.split, 0, next)
      const body = build(part, loop)
      outs[loop] = body
      start = left === 0 ? loop : body
      left = Math.max(0, left - 1)
    } else {
      // Leaving any of the optional ones leaves all of them.
      for (let i = least; i < most; i++) start = emit(OP.split, build(part, start), next)
    }
    for (; left > 0; left--) start = build(part, start)
    return start
  }

  const start = build(root, 0)
  return { start, ops, outs, others, sets, unicode }
}
