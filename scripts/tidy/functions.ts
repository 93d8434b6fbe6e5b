/** The functions of a source file and their lengths, found by their braces: no parser, as types never matter here. */
import { codeOf } from './source-tree.ts'

export interface FoundFunction {
  /** The line, from 1, in which its body begins. */
  readonly line: number
  /** From the line of the opening brace to that of the closing one. */
  readonly lines: number
  /** The text of its first line, shortened. */
  readonly start: string
}

/** What has parentheses before a brace and is no function. */
const CONTROL = new Set(['if', 'for', 'while', 'switch', 'catch', 'with', 'await'])
const START_CHARS_MAX = 70

export function functionsIn(text: string): readonly FoundFunction[] {
  const code = codeOf(text)
  const lines = text.split('\n')
  const found: FoundFunction[] = []
  /** For each open brace, where it stands if it opens the body of a function. */
  const open: (number | undefined)[] = []
  const lineAt = lineNumbers(code)
  for (let at = 0; at < code.length; at++) {
    if (code[at] === '{') open.push(opensFunction(code, at) ? at : undefined)
    if (code[at] !== '}') continue
    const start = open.pop()
    if (start === undefined) continue
    const [first, last] = [lineAt(start), lineAt(at)]
    const words = (lines[first - 1] ?? '').trim().slice(0, START_CHARS_MAX)
    found.push({ line: first, lines: last - first + 1, start: words })
  }
  return found
}

/** `=> {`, or `) {` and `): Type {` where the parentheses are those of parameters. */
function opensFunction(code: string, brace: number): boolean {
  const before = code.slice(0, brace).trimEnd()
  if (before.endsWith('=>')) return true
  const [typed = ''] = /\)(?:\s*:[^;{}=]*)?$/.exec(before.slice(-200)) ?? []
  if (typed === '') return false
  let at = before.length - typed.length
  for (let depth = 0; at >= 0; at--) {
    if (before[at] === ')') depth++
    if (before[at] === '(' && --depth === 0) break
  }
  const [, word = ''] = /([\w$]*)\s*(?:<[^<>]*>)?\s*$/.exec(before.slice(Math.max(0, at - 80), Math.max(0, at))) ?? []
  return !CONTROL.has(word)
}

function lineNumbers(text: string): (at: number) => number {
  const ends: number[] = []
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) ends.push(at)
  return (at) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] as number) < at) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
