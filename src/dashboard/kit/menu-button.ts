/** A button that opens a menu of actions. A choice closes it, and the button has the focus again before the action runs. */
import { button, h, type Child } from './dom.ts'
import { dropDown } from './drop-down.ts'
import { icon, type IconName } from './icons.ts'

export interface MenuItem {
  readonly label: string
  readonly icon: IconName
  /** An address in place of an action. */
  readonly href?: string
  readonly isRisky?: boolean
  readonly run?: () => void
}

export interface MenuButtonOptions {
  readonly label: Child
  /** What a button of a sign alone is called, and its menu. */
  readonly name: string
  readonly items: () => readonly MenuItem[]
  readonly signal: AbortSignal
  /** The class of the button. */
  readonly kind?: string
}

export function menuButton({ label, name, items, signal, kind }: MenuButtonOptions) {
  const menu = dropDown({
    label: [label, h('span', { class: 'spoken' }, name)],
    name,
    content: () => items().map(item),
    signal,
  })
  const opener = menu.element.querySelector('button')
  if (kind !== undefined) opener?.classList.add(kind)
  menu.element.classList.add('action-menu')

  function item({ label: words, icon: iconName, href, isRisky = false, run }: MenuItem): HTMLElement {
    if (href !== undefined) return h('a', { class: 'button', href }, icon(iconName), words)
    const choose = (): void => {
      menu.close()
      opener?.focus()
      run?.()
    }
    return button([icon(iconName), words], choose, { class: isRisky ? 'risky' : undefined })
  }
  return menu
}
