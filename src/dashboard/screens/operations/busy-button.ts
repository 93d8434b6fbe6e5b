/** Keeps a button from being pressed while it works; it has the focus again afterwards, unless the reader went on. */
export async function whileBusy(button: HTMLButtonElement, work: () => Promise<void>): Promise<void> {
  const hadFocus = document.activeElement === button
  button.disabled = true
  try {
    await work()
  } finally {
    button.disabled = false
    if (hadFocus && document.activeElement === document.body) button.focus()
  }
}
