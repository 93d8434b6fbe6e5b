/** The first value that keeps a request from being sent. */
import { docsText } from './docs-texts.ts'
import { jsonMistake } from './json-mistake-text.ts'
import type { Given } from './request.ts'

export interface RequestProblem {
  /** Of the value. */
  readonly name: string
  readonly message: string
}

/** The server judges everything else. */
export function requestProblem(given: readonly Given[]): RequestProblem | undefined {
  for (const { name, location, required, value } of given) {
    if (value === '' && required) return { name, message: docsText('docs.enter', { name }) }
    // A browser resolves these as steps of the path.
    if (location === 'path' && (value === '.' || value === '..')) return { name, message: docsText('docs.notAnId') }
    // RFC 9110, section 5.5; fetch() rejects others as well.
    if (location === 'header' && /[^\t\x20-\x7e]/.test(value)) {
      return { name, message: docsText('docs.asciiHeader') }
    }
    const mistake = location === 'body' ? jsonMistake(value) : undefined
    if (mistake !== undefined) return { name, message: mistake.message }
  }
  return undefined
}
