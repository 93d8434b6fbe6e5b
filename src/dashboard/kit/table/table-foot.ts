/** The foot of a table: how many rows there are, or that some could not be read, which stays until it is tried again. */
import { t } from '../../texts.ts'
import { button, fill, h } from '../dom.ts'
import { focusMain } from '../focus.ts'
import { errorText } from '../states.ts'

export type TableFoot = ReturnType<typeof tableFoot>

export function tableFoot(retry: () => void) {
  const element = h('div', { class: 'table-foot' })
  let shown = ''
  let hasFailed = false
  return {
    element,
    get hasFailed() {
      return hasFailed
    },
    /** Shows these words, unless a failure stands there. */
    show(words: string): void {
      if (hasFailed || words === shown) return
      shown = words
      fill(element, words)
    },
    fail(error: unknown): void {
      hasFailed = true
      // The button goes.
      const tryAgain = (): void => {
        focusMain()
        retry()
      }
      const again = button(t('tryAgain'), tryAgain, { class: 'link' })
      fill(element, h('div', { class: 'table-failure', role: 'alert' }, errorText(error), again))
    },
    clear(): void {
      hasFailed = false
      shown = ''
      fill(element)
    },
  }
}
