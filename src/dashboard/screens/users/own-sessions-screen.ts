/** Where the reader is signed in, and a way to end what is not known or not used any more. */
import type { OpenScreen } from '../../screen.ts'
import { t } from '../../texts.ts'
import { ownPasskeys } from './passkey-list.ts'
import { ownCalls, sessionList } from './session-list.ts'
import { h } from '../../kit/dom.ts'

export const ownSessionsScreen: OpenScreen = (context) => {
  const title = t('shell.sessions')
  return {
    title,
    element: h(
      'section',
      { class: 'own-sessions' },
      h('div', { class: 'screen-head' }, h('h1', {}, title)),
      h('p', { class: 'soft' }, t('users.ownSessionsAbout')),
      h('div', { class: 'card' }, sessionList(ownCalls(context), context)),
      h('h2', {}, t('passkeys.title')),
      h('p', { class: 'soft' }, t('passkeys.about')),
      h('div', { class: 'card' }, ownPasskeys(context)),
    ),
  }
}
