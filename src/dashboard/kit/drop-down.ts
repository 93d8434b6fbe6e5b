/** A button that opens a small panel below it. Escape, a click elsewhere and the focus elsewhere close it. */
import { h, fill, type Child } from './dom.ts'

export interface DropDown {
  readonly element: HTMLElement
  close(): void
}

export interface DropDownOptions {
  readonly label: Child
  /** The name of the panel. */
  readonly name: string
  /** What the panel has, rebuilt whenever it opens. */
  readonly content: () => Child
  readonly signal: AbortSignal
}

export function dropDown({ label, name, content, signal }: DropDownOptions): DropDown {
  const panel = h('div', { class: 'drop-panel', role: 'group', 'aria-label': name, hidden: true })
  const button = h(
    'button',
    { type: 'button', 'aria-expanded': 'false', on: { click: () => show(panel.hidden !== false) } },
    label,
  )
  const element = h('div', { class: 'drop-down' }, button, panel)

  function show(isShown: boolean): void {
    if (panel.hidden !== isShown) return
    panel.hidden = !isShown
    button.setAttribute('aria-expanded', String(isShown))
    fill(panel, isShown && content())
    if (isShown) panel.querySelector<HTMLElement>('input, button')?.focus()
  }

  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || panel.hidden) return
    event.stopPropagation()
    show(false)
    button.focus()
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
  return { element, close: () => show(false) }
}
