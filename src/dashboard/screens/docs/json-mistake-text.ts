/** Where a text stops being JSON, by line and column. */
import { jsonMistakeAt, placeIn } from '../../kit/form/json-mistake.ts'
import { docsText } from './docs-texts.ts'

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
  const found = /^[\w.+$-]+|^[^]/u.exec(text.slice(at))?.[0]
  return { at, message: docsText('docs.jsonPlace', { ...placeIn(text, at), fault: faultOf(found) }) }
}

function faultOf(found: string | undefined): string {
  if (found === undefined) return docsText('docs.missingHere')
  if (found === '"') return docsText('docs.quoteHere')
  return docsText('docs.noToken', { found: found.slice(0, SHOWN_CHARS_MAX) })
}
