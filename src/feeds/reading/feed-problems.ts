/** What is wrong with a feed that is read all the same: one note for each kind of fault, with its first line. */
import type { ReadNote, ReadNoteCode } from '../../base/feed-note.ts'

const PROBLEMS_MAX = 20
const QUOTED_CHARS_MAX = 40

/** Kinds of faults, and the code of their note: of most, a reader needs to know only that the markup is wrong. */
const CODES = {
  ...{ angle: 'markup', text: 'markup', outside: 'markup', tag: 'markup', roots: 'markup', declaration: 'markup', instruction: 'markup', comment: 'markup' },
  ...{ section: 'markup', doctype: 'markup', prefix: 'markup', unclosed: 'tags', closing: 'tags', crossed: 'tags', reference: 'reference' },
  ...{ many: 'limits', depth: 'limits', controls: 'controls' },
} as const satisfies Readonly<Record<string, ReadNoteCode>>

export interface FeedProblems {
  /** Adds a note, unless the kind has one. With a position, it names its line. */
  note(kind: keyof typeof CODES, sentence: string, at?: number): void
  readonly notes: readonly ReadNote[]
}

/** `source` is the text of the feed, once it is decoded. */
export function createProblems(source: string, notes: ReadNote[] = []): FeedProblems {
  const kinds = new Set<string>()
  return {
    notes,
    note(kind, sentence, at) {
      if (kinds.has(kind) || notes.length >= PROBLEMS_MAX) return
      kinds.add(kind)
      const line = at === undefined ? undefined : String(lineAt(source, at))
      notes.push(line === undefined ? readNote(CODES[kind], sentence) : readNote(CODES[kind], `Line ${line}: ${sentence}`, { line }))
    },
  }
}

export function readNote(code: ReadNoteCode, message: string, params: ReadNote['params'] = {}): ReadNote {
  return { code, params, message }
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
