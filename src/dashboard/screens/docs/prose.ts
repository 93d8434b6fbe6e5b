/** Words with `code` in backticks, as all descriptions of the API are written; the rest is text. */
import { h, type Child } from '../../kit/dom.ts'

export function prose(text: string): readonly Child[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? part : h('code', {}, part)))
}
