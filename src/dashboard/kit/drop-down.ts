/** A button that opens a small panel below it. Escape, a click elsewhere and the focus elsewhere close it. */
import { button, fill, h, type Child } from './dom.ts'

export interface DropDownOptions {
  readonly label: Child
  /** The name of the panel. */
  readonly name: string
  /** What the panel has, rebuilt whenever it opens. */
  readonly content: () => Child
  readonly signal: AbortSignal
}

export function dropDown({ label, name, content, signal }: DropDownOptions) {
  // It takes the focus of a click beside a control, such as on the words of a box: without that, the click would close it.
  const panel = h('div', { class: 'drop-panel', role: 'group', 'aria-label': name, hidden: true, tabindex: '-1' })
  const opener = button(label, () => show(panel.hidden !== false), { 'aria-expanded': 'false' })
  const element = h('div', { class: 'drop-down' }, opener, panel)

  function show(isShown: boolean): void {
    if (panel.hidden !== isShown) return
    panel.hidden = !isShown
    opener.setAttribute('aria-expanded', String(isShown))
    fill(panel, isShown && content())
    if (isShown) panel.querySelector<HTMLElement>('input, button')?.focus()
  }

  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || panel.hidden) return
    event.stopPropagation()
    show(false)
    opener.focus()
  })
  element.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !element.contains(relatedTarget)) show(false)
  })
  addEventListener(
    'pointerdown',
    ({ target }) => {
      if (target instanceof Node && !element.contains(target)) show(false)
    },
    { signal },
  )
  return { element, close: (): void => show(false) }
}
