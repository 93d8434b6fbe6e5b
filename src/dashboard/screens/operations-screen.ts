/** The screen of operations. */
import type { OpenScreen } from '../screen.ts'
import { t } from '../texts/texts.ts'
import { h } from '../view/dom.ts'

export const operationsScreen: OpenScreen = () => {
  const title = t('operations.title')
  return { title, element: h('section', {}, h('h1', {}, title)) }
}
