/** The screen of users. */
import type { OpenScreen } from '../screen.ts'
import { t } from '../texts/texts.ts'
import { h } from '../view/dom.ts'

export const usersScreen: OpenScreen = () => {
  const title = t('users.title')
  return { title, element: h('section', {}, h('h1', {}, title)) }
}
