/** The screen of configuration. */
import type { OpenScreen } from '../screen.ts'
import { t } from '../texts/texts.ts'
import { h } from '../view/dom.ts'

export const configurationScreen: OpenScreen = () => {
  const title = t('configuration.title')
  return { title, element: h('section', {}, h('h1', {}, title)) }
}
