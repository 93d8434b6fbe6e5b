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

/**
 * Changes a part of the page. Where that loses the focus, the element gets it again if it is still there, else one with the same
 * `data-key`, a link to the same place, or `otherwise`. Of several that are alike, it is the one in the same position among them.
 */
export function keepFocus(part: Element, change: () => void, otherwise = focusMain): void {
  const focused = hasFocus(part) ? (document.activeElement as HTMLElement) : null
  const finders = focused === null ? [] : [alike(part, focused, 'data-key'), alike(part, focused, 'href')]
  change()
  if (focused === null) return
  if (focused.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true })
  if (focused === document.activeElement) return
  const same = finders.map((find) => find()).find((one) => one !== undefined)
  if (same === undefined) otherwise()
  else same.focus({ preventScroll: true })
}

/** Finds later what is like the element now. */
function alike(part: Element, element: HTMLElement, name: string): () => HTMLElement | undefined {
  const value = element.getAttribute(name) ?? ''
  const all = (): readonly HTMLElement[] => (value === '' ? [] : [...part.querySelectorAll<HTMLElement>(`[${name}="${CSS.escape(value)}"]`)])
  const position = all().indexOf(element)
  return () => all()[position]
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
