/** The place of the filters of a list, which are fetched beside its first rows: most lists have none. */
import { h } from '../../kit/dom.ts'
import type { ListView } from './list-view.ts'

/** `next` gets the focus after the last filter was removed. */
export function listChips(view: ListView, next: () => HTMLElement) {
  const element = h('div')
  let show = (): void => {}
  // Without them, the menu says what is filtered.
  import('./filter-chips.ts').then(({ filterChips }) => {
    const chips = filterChips(view, next)
    element.append(chips.element)
    show = chips.show
  }, () => {})
  return { element, show: () => show() }
}
