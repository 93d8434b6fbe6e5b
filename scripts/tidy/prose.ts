/**
 * Prose that a reader stumbles over, as far as a program can see it: long sentences, and phrases that hide the actor.
 * Code between back-quotes counts as one word. A cell of a table is a list: a semicolon ends its parts.
 */
import { parseMarkdown, type Block, type Spans } from '../../src/guides/markdown.ts'

const SENTENCE_WORDS_MAX = 30
const SENTENCE_END = /(?<=[.?!][)”"*]*)\s+(?=[\p{Lu}\d“"(*])/u
const CELL_END = /;\s+/
/** `at once` is for immediately only where it cannot mean together: "1,000 tokens at once", "both at once". */
const TOGETHER = /\b(?:all|both|many|more|several|documents|rows|\d[\d,]*(?: \w+)?) at once\b/gi
const PHRASES = /\b(?:of which|that which|as ever|at once)\b/gi

export interface ProseProblem {
  readonly reason: string
  /** The beginning of the sentence, to search for. */
  readonly sentence: string
}

/** Headings, paragraphs, items and cells of a document. */
export function proseProblems(markdown: string): readonly ProseProblem[] {
  return parseMarkdown(markdown).flatMap(sentencesOf).flatMap(problemsOf)
}

/** The texts of a JSON file of the dashboard: each member is one, or has one for each plural form. */
export function textProblems(json: string): readonly ProseProblem[] {
  const members = Object.values(JSON.parse(json) as Record<string, string | Record<string, string>>)
  const texts = members.flatMap((member) => (typeof member === 'string' ? [member] : Object.values(member)))
  return texts.flatMap((text) => text.split(SENTENCE_END)).flatMap(problemsOf)
}

function problemsOf(sentence: string): readonly ProseProblem[] {
  const words = sentence.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length
  const phrases = sentence.replaceAll(TOGETHER, '').match(PHRASES) ?? []
  const reasons = [...(words > SENTENCE_WORDS_MAX ? [`${words} words`] : []), ...phrases.map((one) => `"${one.toLowerCase()}"`)]
  return reasons.map((reason) => ({ reason, sentence: sentence.slice(0, 60) }))
}

function sentencesOf(block: Block): readonly string[] {
  if (block.kind === 'code') return []
  if (block.kind === 'list') return block.items.flatMap((spans) => textOf(spans).split(SENTENCE_END))
  if (block.kind === 'paragraph' || block.kind === 'heading') return textOf(block.spans).split(SENTENCE_END)
  const cells = [block.header, ...block.rows].flat().map(textOf)
  return cells.flatMap((cell) => cell.split(SENTENCE_END)).flatMap((part) => part.split(CELL_END))
}

function textOf(spans: Spans): string {
  return spans.map((span) => ('spans' in span ? textOf(span.spans) : span.kind === 'code' ? 'Code' : span.text)).join('')
}
