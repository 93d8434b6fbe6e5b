/**
 * The focus where an element that has it is redrawn, removed or disabled: a browser would leave it to no element at all,
 * and the next Tab would begin at the top of the page.
 */

/** Whether a part of the page has the focus, itself or within. */
export function hasFocus(part: Element | undefined): boolean {
  return part?.contains(document.activeElement) === true
}

/** Goes to the screen as a whole: nothing scrolls, and what is there comes next. */
export function focusMain(): void {
  document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
}

/** Changes a part of the page. Where that loses the focus, the element with the same `data-key` gets it, a link to the same place, or `otherwise`. */
export function keepFocus(part: Element, change: () => void, otherwise = focusMain): void {
  const focused = hasFocus(part) ? document.activeElement : null
  change()
  if (focused === null || focused === document.activeElement) return
  const same = alike(part, focused, 'data-key') ?? alike(part, focused, 'href')
  if (same === null) otherwise()
  else same.focus({ preventScroll: true })
}

function alike(part: Element, element: Element, name: string): HTMLElement | null {
  const value = element.getAttribute(name) ?? ''
  return value === '' ? null : part.querySelector<HTMLElement>(`[${name}="${CSS.escape(value)}"]`)
}

/** Disables a button while it works; afterwards it has the focus again, unless the reader went on. */
export async function whileBusy(button: HTMLButtonElement, work: () => Promise<void>): Promise<void> {
  const hadFocus = hasFocus(button)
  button.disabled = true
  try {
    await work()
  } finally {
    button.disabled = false
    if (hadFocus && document.activeElement === document.body) button.focus()
  }
}
