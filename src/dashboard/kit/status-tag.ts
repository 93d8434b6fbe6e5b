/** The publication status of a document as a word with a colour. */
import type { Json } from '../../client/client.ts'
import { valueTitle } from '../model-words.ts'
import { h } from './dom.ts'

const TONES: Readonly<Record<string, string>> = { active: 'good', draft: 'warn' }

export function statusTag(status: Json | undefined): HTMLElement | null {
  if (typeof status !== 'string') return null
  return h('span', { class: `tag ${TONES[status] ?? ''}`.trim() }, valueTitle(status))
}
