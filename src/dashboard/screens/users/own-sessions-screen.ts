/** The reader's account: the name that colleagues see, and where it is signed in, to end what is not known or not used any more. */
import type { OpenScreen } from '../../screen.ts'
import { t } from '../../texts.ts'
import { ownPasskeys } from './passkey-list.ts'
import { ownCalls, sessionList } from './session-list.ts'
import { h } from '../../kit/dom.ts'
import { screenHead } from '../../kit/elements.ts'
import { readInto } from '../../kit/read-into.ts'
import { nameForm } from './name-form.ts'

export const ownSessionsScreen: OpenScreen = (context) => {
  const title = t('shell.sessions')
  const name = h('div')
  readInto(context, { element: name, lines: 2, read: (options) => context.client.auth.me(options), show: (user) => nameForm(user, context) })
  return {
    title,
    element: h(
      'section',
      { class: 'own-sessions' },
      screenHead(title),
      h('div', { class: 'card' }, name),
      h('h2', {}, t('users.sessions')),
      h('p', { class: 'soft' }, t('users.ownSessionsAbout')),
      h('div', { class: 'card' }, sessionList(ownCalls(context), context)),
      h('h2', {}, t('passkeys.title')),
      h('p', { class: 'soft' }, t('passkeys.about')),
      h('div', { class: 'card' }, ownPasskeys(context)),
    ),
  }
}
