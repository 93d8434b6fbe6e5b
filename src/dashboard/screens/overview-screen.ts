/** The first page. */
import type { OpenScreen } from '../screen.ts'
import { t } from '../texts/texts.ts'
import { h } from '../view/dom.ts'

export const overviewScreen: OpenScreen = () => {
  const title = t('overview.title')
  return { title, element: h('section', {}, h('h1', {}, title)) }
}
