/** Where a text stops being JSON, by line and column. */
import { jsonMistakeAt } from '../../kit/form/json-mistake.ts'

const SHOWN_CHARS_MAX = 20

export interface JsonMistake {
  /** An index into the text. */
  readonly at: number
  /** As `Line 2, column 13: draft cannot stand here`. */
  readonly message: string
}

/** The first mistake; undefined where the text is JSON. */
export function jsonMistake(text: string): JsonMistake | undefined {
  const at = jsonMistakeAt(text)
  if (at === undefined) return undefined
  const before = text.slice(0, at).split('\n')
  const found = /^[\w.+$-]+|^[^]/u.exec(text.slice(at))?.[0]
  return { at, message: `Line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: ${faultOf(found)}` }
}

function faultOf(found: string | undefined): string {
  if (found === undefined) return 'something is missing'
  if (found === '"') return 'a text in quotes cannot stand here, or is not closed'
  return `${found.slice(0, SHOWN_CHARS_MAX)} cannot stand here`
}
