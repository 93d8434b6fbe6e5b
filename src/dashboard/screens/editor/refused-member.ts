/** From the words of a refusal to the member that they are about. */
import type { Problem } from '../../kit/form/form.ts'

/**
 * A refusal such as `source.name: expected a string, found 7` names the member before its first colon. Other sentences
 * have words there, and are about the document as a whole.
 */
export function problemOf(message: string): Problem {
  const [, path, words] = /^([^\s:]+): (.+)$/s.exec(message) ?? []
  return path === undefined || words === undefined ? { path: '', message } : { path, message: words }
}
