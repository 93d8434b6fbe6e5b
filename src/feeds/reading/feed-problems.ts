/** What is wrong with a feed that is read all the same: one sentence for each kind of fault, with its first line. */

const PROBLEMS_MAX = 20
const QUOTED_CHARS_MAX = 40

export interface FeedProblems {
  /** Adds a sentence, unless the kind has one. With a position, the sentence names its line. */
  note(kind: string, sentence: string, at?: number): void
  readonly sentences: readonly string[]
}

/** `source` is the text of the feed, once it is decoded. */
export function createProblems(source: string, sentences: string[] = []): FeedProblems {
  const kinds = new Set<string>()
  return {
    sentences,
    note(kind, sentence, at) {
      if (kinds.has(kind) || sentences.length >= PROBLEMS_MAX) return
      kinds.add(kind)
      sentences.push(at === undefined ? sentence : `Line ${lineAt(source, at)}: ${sentence}`)
    },
  }
}

/** A name or reference of the feed as a message shows it: short, and without control characters. */
export function quoted(text: string): string {
  const shown = text.slice(0, QUOTED_CHARS_MAX).replace(/[\p{C}\s]/gu, ' ').toWellFormed()
  return text.length > QUOTED_CHARS_MAX ? `"${shown}…"` : `"${shown}"`
}

function lineAt(source: string, at: number): number {
  let line = 1
  for (let end = source.indexOf('\n'); end !== -1 && end < at; end = source.indexOf('\n', end + 1)) line++
  return line
}
