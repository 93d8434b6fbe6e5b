/** One user: who it is, the roles, where they are signed in, and deleting the account. */
import type { Stored } from '../../../client/client.ts'
import type { User } from '../../../models/user.ts'
import { fieldTitle } from '../../model-titles.ts'
import { auditHref } from '../operations/audit-search.ts'
import type { Screen, ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { askToLeave } from '../../kit/dialog.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { card, code, crumb, facts, screenHead } from '../../kit/elements.ts'
import { dateTime } from '../../kit/moments.ts'
import { readInto } from '../../kit/read-into.ts'
import { passkeysOf } from './passkey-list.ts'
import { personCode } from './person-code.ts'
import { roleForm, type RoleForm } from './role-form.ts'
import { sentInvitation } from './sent-invitation.ts'
import { callsFor, sessionList } from './session-list.ts'
import { nameForm } from './name-form.ts'
import { isGuest, userName } from './user-name.ts'
import { userRemoval } from './user-removal.ts'

/** `back` is where the list is, as it was left. */
export function userPage(id: string, back: string, context: ScreenContext): Screen {
  const { client } = context
  const title = t('model.user')
  const heading = h('h1', {}, title)
  const body = h('div', { class: 'part user-cards' })
  let roles: RoleForm | undefined
  readInto(context, { element: body, lines: [3, 6, 5], read: (options) => client.data('user').get(id, options), show })

  function show(stored: Stored<User>): Child {
    const user = stored.document
    const name = userName(user)
    document.title = `${name} · Dateline`
    fill(heading, h('bdi', {}, name))
    roles = roleForm(stored, context)
    return [
      card(
        h('h2', {}, t('users.account')),
        facts(
          [t('signIn.email'), h('bdi', {}, isGuest(user) ? t('users.guestAbout') : user.email)],
          [t('field.createdAt'), dateTime(user.createdAt)],
          [t('field.id'), code(user.id)],
        ),
      ),
      card(h('h2', {}, t('users.roles')), roles.element),
      user.dashboardRole !== 'none' && card(h('h2', {}, fieldTitle('displayName')), nameForm(user, context, (next) => roles?.take(next))),
      card(
        h('h2', {}, t('operations.audit')),
        h('ul', { class: 'user-links' }, auditLink({ actor: id }, t('users.did')), auditLink({ document: id }, t('users.wasDone'))),
      ),
      user.dashboardRole !== 'none' && card(h('h2', {}, t('users.invitation')), sentInvitation(user, context)),
      !isGuest(user) && card(h('h2', {}, t('users.code')), ...personCode(id, context)),
      card(h('h2', {}, t('users.sessions')), sessionList(callsFor(id, context), context)),
      !isGuest(user) && card(h('h2', {}, t('passkeys.title')), passkeysOf(id, context)),
      card(
        h('h2', {}, t('users.delete')),
        userRemoval(user, context, () => (roles = undefined)),
      ),
    ]
  }

  return {
    title,
    element: h(
      'section',
      { class: 'user-page' },
      crumb(back, t('models.user')),
      screenHead(heading),
      body,
    ),
    hasUnsaved: () => roles?.hasUnsaved() === true,
    mayLeave: askToLeave,
    save: () => void roles?.save(),
  }
}

function auditLink(of: Parameters<typeof auditHref>[0], words: string): HTMLElement {
  return h('li', {}, h('a', { href: auditHref(of) }, words))
}
