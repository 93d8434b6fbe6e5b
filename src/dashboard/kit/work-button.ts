/** A button for work that takes a while: it is disabled until the work ends, and a failure is told in a notice. */
import { t } from '../texts.ts'
import { button, type Attributes, type Child } from './dom.ts'
import { whileBusy } from './focus.ts'
import { notifyFailure } from './notices.ts'

export function workButton(content: Child, work: () => Promise<void>, attributes: Attributes = {}): HTMLButtonElement {
  const own: HTMLButtonElement = button(content, () => void whileBusy(own, work).catch(notifyFailure), attributes)
  return own
}

/**
 * The attributes of a button that stands in each row of a list. Its name says which row it is for, and its key finds it again
 * when the list is redrawn.
 */
export function inRow(label: string, { id, title }: { readonly id: string; readonly title: string }): Attributes {
  return { 'data-key': `${label} ${id}`, 'aria-label': t('pair', { name: label, value: title }) }
}
