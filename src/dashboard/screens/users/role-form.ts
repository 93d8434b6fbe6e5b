/**
 * The roles of a user, saved only while no other user has changed them. An administrator who takes the own role
 * away is warned, and asked once more.
 */
import { PreconditionFailed, type Stored } from '../../../client/client.ts'
import { APP_ROLES, DASHBOARD_ROLES, type User } from '../../../models/user.ts'
import { valueTitle } from '../../model-words.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { ask } from '../../kit/dialog.ts'
import { fill, h } from '../../kit/dom.ts'
import { notify } from '../../kit/notices.ts'
import { isAbort, wordsOf } from '../../kit/states.ts'
import { roleSelect } from './role-select.ts'

export interface RoleForm {
  readonly element: HTMLElement
  hasUnsaved(): boolean
  save(): Promise<void>
}

export function roleForm(given: Stored<User>, { client, user: self, signal, restart }: ScreenContext): RoleForm {
  let stored = given
  let isSaving = false
  const isOwn = given.document.id === self.id
  const note = h('p', { class: 'field-about warn', role: 'status' })
  const problem = h('p', { id: 'roles-problem', class: 'field-problem', role: 'alert' })
  const { appRole: app, dashboardRole: dashboard } = given.document
  const describedBy = 'roles-problem'
  // Being a guest is no role to give: it is having no address.
  const appRoles = APP_ROLES.filter((role) => role !== 'guestUser' || role === app)
  const appRole = roleSelect({ name: 'appRole', values: appRoles, value: app, describedBy, onChange: show })
  const dashboardRole = roleSelect({
    ...{ name: 'dashboardRole', values: DASHBOARD_ROLES, value: dashboard, describedBy },
    onChange: show,
  })
  const button = h('button', { type: 'submit', class: 'primary' }, t('save'))
  const element = h(
    'form',
    {
      class: 'form',
      on: {
        submit(event) {
          event.preventDefault()
          void save()
        },
      },
    },
    ...[appRole.element, dashboardRole.element, note, problem, h('div', { class: 'buttons' }, button)],
  )
  show()

  function chosen(): Pick<User, 'appRole' | 'dashboardRole'> {
    return { appRole: appRole.select.value, dashboardRole: dashboardRole.select.value } as User
  }

  function hasUnsaved(): boolean {
    const { document } = stored
    return chosen().appRole !== document.appRole || chosen().dashboardRole !== document.dashboardRole
  }

  function losesOwn(): boolean {
    return isOwn && chosen().dashboardRole !== stored.document.dashboardRole
  }

  function show(): void {
    button.disabled = isSaving || !hasUnsaved()
    fill(note, losesOwn() && t('users.demoteSelf'))
    fill(problem)
  }

  async function save(): Promise<void> {
    if (isSaving || !hasUnsaved()) return
    const confirm = t('users.giveUp')
    if (losesOwn() && !(await ask({ title: confirm, text: t('users.demoteSelf'), confirm, isDangerous: true }))) return
    const before = stored.document
    isSaving = true
    show()
    try {
      const { id } = before
      stored = await client.data('user').replace(id, { ...before, ...chosen() }, { ifMatch: stored.etag, signal })
      isSaving = false
      show()
      // What this page offers depends on the own role: without it, the page starts again.
      if (isOwn && before.dashboardRole !== stored.document.dashboardRole) return restart()
      notify(t('saved'), { kind: 'done' })
    } catch (error) {
      isSaving = false
      show()
      if (!isAbort(error)) await tell(error)
    }
  }

  async function tell(error: unknown): Promise<void> {
    if (!(error instanceof PreconditionFailed)) return void fill(problem, wordsOf(error))
    try {
      stored = await client.data('user').get(stored.document.id, { signal })
      const { appRole: now, dashboardRole: place } = stored.document
      show()
      fill(problem, t('users.changedMeanwhile', { app: valueTitle(now), dashboard: valueTitle(place) }))
    } catch (failure) {
      if (!isAbort(failure)) fill(problem, wordsOf(failure))
    }
  }

  return { element, hasUnsaved, save }
}
