/**
 * Sets of states of a program, and how a character leads from one to the next.
 *
 * A set holds the states that wait for a character, and assertions that wait to know it: `$`, `\b` and `\B`. What lies
 * between, splits and assertions on the character before, is followed immediately. Any state is visited once for each
 * character, so a step takes time in proportion to the program.
 */
import { takeSteps, unlimitedSteps, type Steps } from '../steps.ts'
import { CONTEXT, END_CLASS, type Alphabet } from './alphabet.ts'
import { ASSERTIONS, OP, type Program } from './program.ts'

/** States that wait, in no order, and the context of the character before, as far as one of them reads it. */
export interface StateSet {
  readonly states: Uint16Array
  readonly before: number
}

/** Where a character leads: to a set, to a match, or to the certainty that there is none, whatever follows. */
export type Outcome = StateSet | 'match' | 'no match'

export interface Stepper {
  /** Before the first character. */
  first(steps: Steps): Outcome
  /** After a character of the class, or at the end of the text, where it is always certain. */
  next(from: StateSet, kind: number, steps: Steps): Outcome
}

const MATCH_STATE = 0
const [TEXT_START, LINE_START, TEXT_END, LINE_END, BOUNDARY, NO_BOUNDARY, FOLDED_BOUNDARY] = ASSERTIONS.keys()

/** Makes the function that goes from set to set. Its work space is as large as the program, and used again and again. */
export function createStepper(program: Program, alphabet: Alphabet): Stepper {
  const { ops, outs, others, start } = program
  const size = ops.length
  // A sparse set (Briggs and Torczon): a state is in it when its index leads back to it, so nothing is ever cleared.
  const [visited, indexes] = [new Uint16Array(size), new Uint16Array(size)]
  const stack = new Uint16Array(3 * size + 1)
  const seeds = new Uint16Array(size + 1)
  const waiting = new Uint16Array(size)
  /** Of the character before, what an assertion that waits, or one behind it, may read later. */
  const relevant = ops.reduce((bits, op, i) => (op === OP.assertion ? bits | contextReadBy(others[i] as number) : bits), 0)

  /**
   * Follows the seeds as far as they lead without a character, into `waiting`. `after` is the context of the next
   * character, or undefined while it is not known. Returns how many wait, -1 for a match.
   */
  const follow = (seedCount: number, before: number, after: number | undefined, steps: Steps): number => {
    let [count, seen, depth] = [0, 0, 0]
    for (let i = seedCount - 1; i >= 0; i--) stack[depth++] = seeds[i] as number
    while (depth > 0) {
      const state = stack[--depth] as number
      const index = indexes[state] as number
      if (index < seen && visited[index] === state) continue
      indexes[state] = seen
      visited[seen++] = state
      if (state === MATCH_STATE) {
        count = -1
        break
      }
      const op = ops[state]
      if (op === OP.split) {
        stack[depth++] = others[state] as number
        stack[depth++] = outs[state] as number
      } else if (op === OP.set) waiting[count++] = state
      else {
        const holds = assertionHolds(others[state] as number, before, after)
        if (holds === undefined) waiting[count++] = state
        else if (holds) stack[depth++] = outs[state] as number
      }
    }
    takeSteps(steps, 1 + seen)
    return count
  }

  const outcome = (count: number, before: number): Outcome => {
    if (count < 0) return 'match'
    if (count === 0 && !startsLater) return 'no match'
    const states = waiting.slice(0, count)
    return { states, before: hasAssertion(states, ops) ? before & relevant : 0 }
  }

  /** Whether a match may begin after the first character: `^` without `m` rules that out. */
  seeds[0] = start
  const startsLater = follow(1, 0, undefined, unlimitedSteps()) !== 0 || follow(1, CONTEXT.line, undefined, unlimitedSteps()) !== 0

  return {
    first(steps) {
      seeds[0] = start
      return outcome(follow(1, CONTEXT.edge, undefined, steps), CONTEXT.edge)
    },
    next({ states, before }, kind, steps) {
      const after = alphabet.contextOf(kind)
      let [from, fromCount] = [states, states.length]
      if (hasAssertion(states, ops)) {
        seeds.set(states)
        fromCount = follow(states.length, before, after, steps)
        if (fromCount < 0) return 'match'
        from = waiting
      }
      if (kind === END_CLASS) return 'no match'
      let seedCount = 0
      for (let i = 0; i < fromCount; i++) {
        const state = from[i] as number
        if (alphabet.has(kind, others[state] as number)) seeds[seedCount++] = outs[state] as number
      }
      takeSteps(steps, fromCount)
      // A match may begin at any character.
      seeds[seedCount++] = start
      return outcome(follow(seedCount, after, undefined, steps), after)
    },
  }
}

function hasAssertion(states: Uint16Array, ops: Uint8Array): boolean {
  for (const state of states) if (ops[state] === OP.assertion) return true
  return false
}

/** Undefined where it takes the next character to know. */
function assertionHolds(assertion: number, before: number, after: number | undefined): boolean | undefined {
  const relevant = contextReadBy(assertion)
  if (assertion === TEXT_START || assertion === LINE_START) return (before & relevant) !== 0
  if (after === undefined) return undefined
  if (assertion === TEXT_END || assertion === LINE_END) return (after & relevant) !== 0
  const isBoundary = ((before ^ after) & relevant) !== 0
  return isBoundary === (assertion === BOUNDARY || assertion === FOLDED_BOUNDARY)
}

/** What an assertion reads of the characters beside its index. */
function contextReadBy(assertion: number): number {
  if (assertion === TEXT_START || assertion === TEXT_END) return CONTEXT.edge
  if (assertion === LINE_START || assertion === LINE_END) return CONTEXT.edge | CONTEXT.line
  return assertion === BOUNDARY || assertion === NO_BOUNDARY ? CONTEXT.word : CONTEXT.foldedWord
}
