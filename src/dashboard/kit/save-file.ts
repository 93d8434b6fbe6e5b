/** Gives the reader a file, as if it had been a link. */
import { after } from '../timing.ts'
import { h } from './dom.ts'

/** The browser takes the content in this time; afterwards it need not be held any more. */
const HELD_MS = 60_000

export function saveFile(content: Blob, name: string): void {
  const href = URL.createObjectURL(content)
  h('a', { href, download: name }).click()
  after(HELD_MS, () => URL.revokeObjectURL(href))
}
