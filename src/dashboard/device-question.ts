/** Whether this device is the reader's own, so that sessions stay on it: asked once, and remembered by the browser. */
import { storeChoice, storedChoice, type Kept } from './browser-storage.ts'
import { t } from './texts.ts'
import { button, h } from './kit/dom.ts'
import { keepFocus } from './kit/focus.ts'

const CHOICE = 'device'
const OWN = 'own'

/** How a sign-in on this device is kept; undefined while that is not known. */
export function deviceKeeps(): Kept | undefined {
  const device = storedChoice(CHOICE)
  return device === undefined ? undefined : device === OWN ? 'browser' : 'tab'
}

export function rememberDevice(isOwn: boolean): void {
  storeChoice(CHOICE, isOwn ? OWN : 'shared')
}

/** The question, over the first screen after a sign-in. It goes with its answer. */
export function deviceQuestion(onAnswer: (isOwn: boolean) => void): HTMLElement {
  const answer = (isOwn: boolean): void => {
    keepFocus(element, () => element.remove())
    onAnswer(isOwn)
  }
  const element = h(
    'section',
    { class: 'banner question', 'aria-label': t('device.question') },
    h('p', {}, t('device.question')),
    h(
      'div',
      { class: 'buttons' },
      button(t('device.own'), () => answer(true), { class: 'primary small' }),
      button(t('device.shared'), () => answer(false), { class: 'small' }),
    ),
  )
  return element
}
