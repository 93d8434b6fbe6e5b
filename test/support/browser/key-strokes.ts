/** Keys by their names, and what WebDriver's key actions make of them (https://www.w3.org/TR/webdriver2/#keyboard-actions). */

const MODIFIERS: Readonly<Record<string, string>> = {
  Ctrl: '\uE009',
  Shift: '\uE008',
  Alt: '\uE00A',
}
const NAMED: Readonly<Record<string, string>> = {
  ...MODIFIERS,
  Backspace: '\uE003',
  Tab: '\uE004',
  Enter: '\uE007',
  Escape: '\uE00C',
  Space: ' ',
  PageDown: '\uE00F',
  End: '\uE010',
  Home: '\uE011',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  Delete: '\uE017',
}

export type Key = 'Tab' | 'Enter' | 'Escape' | 'Space' | 'Home' | 'End' | 'ArrowUp' | 'ArrowDown' | (string & {})

interface KeyAction {
  readonly type: 'keyDown' | 'keyUp'
  readonly value: string
}

/** `Tab`, `a`, `?`, `Shift+Tab`, `Ctrl+S`: down from left to right, up again from right to left. */
function keyActions(chord: Key): readonly KeyAction[] {
  // The last of `Ctrl++` is a plus sign.
  const names = chord === '+' ? ['+'] : chord.replace(/\+\+$/, '+Plus').split('+')
  const values = names.map((name) => {
    if (name === 'Plus') return '+'
    const value = NAMED[name] ?? name
    if ([...value].length !== 1) throw new Error(`Cannot press "${chord}": there is no key "${name}"`)
    // A letter in a chord is the key on the keyboard: Ctrl+S is without Shift.
    return names.length > 1 ? value.toLowerCase() : value
  })
  return [
    ...values.map((value) => ({ type: 'keyDown', value }) as const),
    ...values.toReversed().map((value) => ({ type: 'keyUp', value }) as const),
  ]
}

/** The body of an actions command that presses one chord after the other. */
export function pressing(chords: readonly Key[]): object {
  return { actions: [{ type: 'key', id: 'keyboard', actions: chords.flatMap(keyActions) }] }
}
