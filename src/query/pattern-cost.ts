/**
 * Which patterns may run where other requests wait.
 *
 * A backtracking engine takes exponential time on some patterns and quadratic time on harmless looking ones (`a*b` on
 * a text of many `a`). So only what cannot repeat without bound passes here: from each position of the text the engine
 * then tries a bounded number of steps, and the time is linear in the text. The bound is counted over the syntax, and
 * whatever the count does not understand (references, lookarounds, modifiers, `*`, `+`, `{n,}`) does not pass.
 */
import { assertNever } from '../base/failure.ts'
import type { Pattern } from './pattern.ts'

/** Steps from one position of the text, all ways taken together. */
const STEPS_MAX = 200
/** Compiling `\p{L}` costs as much as many plain steps, for it is a list of hundreds of ranges. */
const PROPERTY_STEPS = 40

/** Whether the time of the pattern is provably linear in the length of the text. False says only "not proven". */
export function isLinear(pattern: Pattern): boolean {
  switch (pattern.kind) {
    case 'literal':
    case 'prefix':
      return true
    case 'regexp': {
      const parser: Parser = { source: pattern.source, at: 0 }
      const cost = alternatives(parser)
      return cost !== undefined && parser.at === pattern.source.length && cost.ways * cost.steps <= STEPS_MAX
    }
    default:
      return assertNever(pattern)
  }
}

/** In how many ways a part can match at one position, and how many steps the longest of them has. */
interface Cost {
  readonly ways: number
  readonly steps: number
}

interface Parser {
  readonly source: string
  at: number
}

const ONE_STEP: Cost = { ways: 1, steps: 1 }

function alternatives(parser: Parser): Cost | undefined {
  let total = sequence(parser)
  while (total !== undefined && take(parser, /\|/y) !== undefined) {
    const next = sequence(parser)
    total = next && { ways: total.ways + next.ways, steps: Math.max(total.steps, next.steps) }
  }
  return total
}

function sequence(parser: Parser): Cost | undefined {
  let total: Cost = { ways: 1, steps: 0 }
  while (parser.at < parser.source.length && !'|)'.includes(parser.source.charAt(parser.at))) {
    const part = atom(parser)
    const repeated = part && repetition(parser, part)
    if (repeated === undefined) return undefined
    total = { ways: total.ways * repeated.ways, steps: total.steps + repeated.steps }
  }
  return total
}

function atom(parser: Parser): Cost | undefined {
  if (take(parser, /\(\?(?![:<])|\(\?<[=!]|\\[1-9k]|[*+?]/y) !== undefined) return undefined
  if (take(parser, /\((?:\?:|\?<[^>]*>)?/y) !== undefined) {
    const inner = alternatives(parser)
    if (inner === undefined || take(parser, /\)/y) === undefined) return undefined
    // Entering a group is a step: `(|)(|)(|)` consumes nothing and still doubles the ways.
    return { ways: inner.ways, steps: inner.steps + 1 }
  }
  if (take(parser, /\\[pP]\{[^}]*\}/y) !== undefined) return { ways: 1, steps: PROPERTY_STEPS }
  const characterClass = take(parser, /\[(?:\\.|[^\]\\])*\]/sy)
  if (characterClass !== undefined) {
    return { ways: 1, steps: 1 + PROPERTY_STEPS * (characterClass.match(/\\[pP]\{/g)?.length ?? 0) }
  }
  return take(parser, /\\u\{[^}]*\}|\\.|[^\\]/suy) === undefined ? undefined : ONE_STEP
}

function repetition(parser: Parser, part: Cost): Cost | undefined {
  const quantifier = take(parser, /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y)
  if (quantifier === undefined) return part
  const bounds = quantifier.startsWith('?') ? ['', '0', '1'] : /^\{(\d+)(?:,(\d+))?\}/.exec(quantifier)
  if (bounds === null || quantifier.includes(',}')) return undefined
  const least = Number(bounds[1])
  const most = bounds[2] === undefined ? least : Number(bounds[2])
  if (most > STEPS_MAX) return undefined
  let ways = 0
  for (let count = least; count <= most; count++) ways += part.ways ** count
  return { ways, steps: Math.max(1, part.steps * most) }
}

/** Takes what the sticky expression matches at the current place. */
function take(parser: Parser, expression: RegExp): string | undefined {
  expression.lastIndex = parser.at
  const found = expression.exec(parser.source)?.[0]
  if (found !== undefined) parser.at += found.length
  return found
}
