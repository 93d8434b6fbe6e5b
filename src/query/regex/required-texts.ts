/**
 * Texts that every match of a pattern has in it (RE2's prefilter; Cox, "Regular Expression Matching with a Trigram
 * Index", swtch.com/~rsc/regexp/regexp4.html).
 *
 * `fer+y (line|boat)` needs `fer`, and it needs `ry ` and one of `ry line` and `ry boat`. A search for them is much
 * faster than the pattern, and an index of texts can serve it; the pattern then decides.
 */
import { assertNever } from '../../base/failure.ts'
import { caseVariants, type Casing } from './case-variants.ts'
import { onlyChar } from './char-set.ts'
import type { Assertion, PatternNode } from './pattern-tree.ts'

/** Alternatives of which one is needed. */
const ALTERNATIVES_MAX = 8
/** Of many conditions, the longest texts say most. */
const CLAUSES_MAX = 8

export interface RequiredText {
  readonly text: string
  /** The match may have other letters that are the same when case is ignored. */
  readonly ignoreCase: boolean
}

/** Every match has one of these texts. */
export type Clause = readonly RequiredText[]

/** What every match has: one text of each clause. Texts are not empty; the clauses with the longest come first. */
export function requiredTexts(root: PatternNode): readonly Clause[] {
  const { clauses } = finished(analyse(root))
  return clauses.toSorted((a, b) => leastUnits(b) - leastUnits(a)).slice(0, CLAUSES_MAX)
}

/** What a text that matches begins with, where matches are at its start; undefined where they are anywhere. */
export function requiredStart(root: PatternNode): RequiredText | undefined {
  const parts = root.kind === 'sequence' ? root.parts : [root]
  const [first] = parts
  return isAssertion(first, 'text-start') ? parts.map(analyse).reduce(joined).head : undefined
}

/** The same for the end of a text. */
export function requiredEnd(root: PatternNode): RequiredText | undefined {
  const parts = root.kind === 'sequence' ? root.parts : [root]
  return isAssertion(parts.at(-1), 'text-end') ? parts.map(analyse).reduce(joined).tail : undefined
}

function isAssertion(node: PatternNode | undefined, assertion: Assertion): boolean {
  return node?.kind === 'assertion' && node.assertion === assertion
}

/** The units of the shortest text of a clause. */
export function leastUnits(clause: Clause): number {
  return Math.min(...clause.map(({ text }) => text.length))
}

interface Parts {
  /** Every match is this text, apart from assertions. */
  readonly whole: RequiredText | undefined
  /** Every match begins and ends with these; where there is a whole, it is both. */
  readonly head: RequiredText
  readonly tail: RequiredText
  /** What lies between, head and tail left out. */
  readonly clauses: readonly Clause[]
}

const NO_TEXT: RequiredText = { text: '', ignoreCase: false }
const UNKNOWN: Parts = { whole: undefined, head: NO_TEXT, tail: NO_TEXT, clauses: [] }

function analyse(node: PatternNode): Parts {
  switch (node.kind) {
    case 'empty':
    case 'assertion':
      return ofText(NO_TEXT)
    case 'set': {
      const char = onlyChar(node.set)
      return char === undefined ? UNKNOWN : ofText(charText(char, node.set.casing))
    }
    case 'sequence':
      return node.parts.map(analyse).reduce(joined)
    case 'choice':
      return either(node.parts.map(analyse))
    case 'repeat': {
      if (node.least === 0) return UNKNOWN
      // What a match of the part has, one of it repeated has as well, at its ends too.
      return { ...analyse(node.part), whole: undefined }
    }
    default:
      return assertNever(node)
  }
}

function ofText(text: RequiredText): Parts {
  return { whole: text, head: text, tail: text, clauses: [] }
}

function charText(char: number, casing: Casing): RequiredText {
  return { text: String.fromCodePoint(char), ignoreCase: caseVariants(char, casing).length > 1 }
}

function joined(a: Parts, b: Parts): Parts {
  const middle = plus(a.tail, b.head)
  if (a.whole !== undefined && b.whole !== undefined) return ofText(middle)
  if (b.whole !== undefined) return { ...a, tail: middle }
  if (a.whole !== undefined) return { ...b, head: middle }
  return { whole: undefined, head: a.head, tail: b.tail, clauses: [...a.clauses, ...clauseOf([middle]), ...b.clauses] }
}

/** Of a choice each way has its own texts; the best clause of each is taken, and one of them all is needed. */
function either(ways: readonly Parts[]): Parts {
  if (ways.length > ALTERNATIVES_MAX) return UNKNOWN
  const best = ways.map((way) => finished(way).clauses.toSorted((a, b) => leastUnits(b) - leastUnits(a))[0])
  const all = best.flatMap((clause) => clause ?? [])
  const clauses = best.includes(undefined) || all.length > ALTERNATIVES_MAX ? [] : [all]
  return { ...UNKNOWN, clauses }
}

/** Nothing is joined to it any more, so that its ends are clauses like the others. */
function finished(parts: Parts): Parts {
  const ends = parts.whole === undefined ? [parts.head, parts.tail] : [parts.whole]
  return { ...parts, clauses: [...parts.clauses, ...ends.flatMap((text) => clauseOf([text]))] }
}

function clauseOf(clause: Clause): readonly Clause[] {
  return clause.every(({ text }) => text !== '') ? [clause] : []
}

function plus(a: RequiredText, b: RequiredText): RequiredText {
  return { text: a.text + b.text, ignoreCase: a.ignoreCase || b.ignoreCase }
}
