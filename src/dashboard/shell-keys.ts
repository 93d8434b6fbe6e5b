/**
 * The keys that work everywhere. Those of one sign do nothing where the reader types, and can be switched off (WCAG 2.2, 2.1.4):
 * a reader who speaks to the computer types them by accident.
 */
import { storeChoice, storedChoice } from './browser-storage.ts'
import type { Screen } from './screen.ts'
import { takeBack } from './kit/notices.ts'

const CHOICE = 'keys'
const OFF = 'off'
const TYPING = 'input:not([type=checkbox]), textarea, select, [contenteditable]'
/** There Ctrl+K is a key of text fields, which deletes the rest of a line. */
const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform)
/** As keyboards name it. */
export const PALETTE_KEY = IS_MAC ? '⌘ K' : 'Ctrl K'

export function areSingleKeysOn(): boolean {
  return storedChoice(CHOICE) !== OFF
}

export function switchSingleKeys(isOn: boolean): void {
  storeChoice(CHOICE, isOn ? undefined : OFF)
}

export interface ShellKeys {
  readonly screen: () => Screen | undefined
  readonly closeNavigation: () => void
  readonly openPalette: () => void
  /** With what sets the status of documents. */
  readonly openStatuses: () => void
  readonly openHelp: () => void
  readonly create: () => void
  readonly signal: AbortSignal
}

export function onShellKeys({ signal, ...shell }: ShellKeys): void {
  addEventListener(
    'keydown',
    (event) => {
      const { target, ctrlKey, metaKey, altKey, shiftKey } = event
      const sign = signOf(event)
      const isModal = document.querySelector('dialog[open]') !== null
      const isPalette = sign === 'k' && !shiftKey && (IS_MAC ? metaKey && !ctrlKey : ctrlKey)
      const isSaving = sign === 's' && (ctrlKey || metaKey)
      if (isPalette || isSaving) {
        event.preventDefault()
        if (isModal) return
        if (isPalette) shell.openPalette()
        else shell.screen()?.save?.()
      } else if (isModal || event.isComposing || (target instanceof Element && target.closest(TYPING) !== null)) return
      else if (sign === 'z' && (ctrlKey || metaKey) && !shiftKey) takeBack()
      else if (ctrlKey || metaKey || altKey) return
      else if (sign === 'Escape') shell.closeNavigation()
      else if (!event.defaultPrevented && areSingleKeysOn() && onSingleKey(sign, shell)) event.preventDefault()
    },
    { signal },
  )
}

/** False where the key means nothing on the screen. */
function onSingleKey(sign: string, shell: Omit<ShellKeys, 'signal'>): boolean {
  const screen = shell.screen()
  if (sign === '?') shell.openHelp()
  else if (sign === '/' && screen?.search !== undefined) screen.search.focus()
  else if (sign === 'n') shell.create()
  else if (sign === 's') shell.openStatuses()
  else {
    const run = Object.entries(screen?.keys ?? {}).find(([key]) => key === sign)?.[1]
    run?.()
    return run !== undefined
  }
  return true
}

/** What a key writes; for readers who write in other letters, what it writes on a Latin keyboard. */
function signOf({ key, code, shiftKey }: KeyboardEvent): string {
  if (key.length > 1 || /^[!-~]$/.test(key)) return key
  const letter = /^Key([A-Z])$/.exec(code)?.[1]
  if (letter !== undefined) return shiftKey ? letter : letter.toLowerCase()
  return code === 'Slash' ? (shiftKey ? '?' : '/') : key
}
