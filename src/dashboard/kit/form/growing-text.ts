/** A text area as tall as its text: writing, not filling in. Its name stands in it while it is empty. */
import { h, setAttributes } from '../dom.ts'
import type { InputKind } from './control.ts'

/** `lines` is how many there are at least. Of one line, Enter goes on to the next field, and line breaks that are pasted become spaces. */
export function growingText(label: string, lines: 1 | 2): InputKind<HTMLTextAreaElement> {
  const isOneLine = lines === 1
  const input = h('textarea', { class: 'growing', dir: 'auto', rows: lines, placeholder: label })
  if (isOneLine) setAttributes(input, { on: { keydown: goOn, input: () => joinLines(input) } })
  return {
    input,
    read: ({ value }) => value,
    write: (at, value) => (at.value = typeof value === 'string' ? value : ''),
  }
}

function goOn(event: KeyboardEvent): void {
  const { key, isComposing, target } = event
  if (key !== 'Enter' || isComposing || event.ctrlKey || event.metaKey || !(target instanceof Element)) return
  event.preventDefault()
  target.closest('.field')?.nextElementSibling?.querySelector<HTMLElement>('input, textarea, select')?.focus()
}

/** What is pasted may have more than one line. */
function joinLines(input: HTMLTextAreaElement): void {
  if (input.value.includes('\n')) input.value = input.value.replace(/\s*\n\s*$/, '').replaceAll(/\s*\n\s*/g, ' ')
}
