/**
 * The roles of a user, saved only while no other user has changed them. An administrator who takes the own role
 * away is warned, and asked once more.
 */
import { PreconditionFailed, type Stored } from '../../../client/client.ts'
import type { User } from '../../../models/user.ts'
import { valueTitle } from '../../model-titles.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { ask } from '../../kit/dialog.ts'
import { fill, h } from '../../kit/dom.ts'
import { problemLine, submitForm } from '../../kit/elements.ts'
import { notify } from '../../kit/notices.ts'
import { isAbort, errorText } from '../../kit/states.ts'
import { roleFields } from './role-fields.ts'

export type RoleForm = ReturnType<typeof roleForm>

export function roleForm(given: Stored<User>, { client, user: self, signal, restart }: ScreenContext) {
  let stored = given
  let isSaving = false
  const isOwn = given.document.id === self.id
  const warning = h('p', { class: 'field-about warn', role: 'status' })
  const problem = problemLine('roles-problem')
  const { elements, chosen } = roleFields(given.document, problem.id)
  const send = h('button', { type: 'submit', class: 'primary' }, t('save'))
  const buttons = h('div', { class: 'buttons' }, send)
  const element = submitForm({ class: 'form' }, () => void save(), elements, warning, problem, buttons)
  element.addEventListener('change', () => {
    fill(problem)
    show()
  })
  show()

  function hasUnsaved(): boolean {
    const { document } = stored
    return chosen().appRole !== document.appRole || chosen().dashboardRole !== document.dashboardRole
  }

  function losesOwn(): boolean {
    return isOwn && chosen().dashboardRole !== stored.document.dashboardRole
  }

  function show(): void {
    send.disabled = isSaving || !hasUnsaved()
    fill(warning, losesOwn() && t('users.demoteSelf'))
  }

  async function save(): Promise<void> {
    if (isSaving || !hasUnsaved()) return
    const confirm = t('users.giveUp')
    if (losesOwn() && !(await ask({ title: confirm, text: t('users.demoteSelf'), confirm, isDangerous: true }))) return
    const before = stored.document
    isSaving = true
    fill(problem)
    show()
    try {
      const body = { ...before, ...chosen() }
      stored = await client.data('user').replace(before.id, body, { ifMatch: stored.etag, signal })
      // What this page offers depends on the own role: without it, the page starts again.
      if (isOwn && before.dashboardRole !== stored.document.dashboardRole) return restart()
      notify(t('saved'), { kind: 'done' })
    } catch (error) {
      if (!isAbort(error)) await tell(error)
    } finally {
      isSaving = false
      show()
    }
  }

  async function tell(error: unknown): Promise<void> {
    if (!(error instanceof PreconditionFailed)) return void fill(problem, errorText(error))
    try {
      stored = await client.data('user').get(stored.document.id, { signal })
      const { appRole, dashboardRole } = stored.document
      fill(problem, t('users.changedMeanwhile', { app: valueTitle(appRole), dashboard: valueTitle(dashboardRole) }))
    } catch (failure) {
      if (!isAbort(failure)) fill(problem, errorText(failure))
    }
  }

  /** Goes on from the user as another form of the page has stored it. */
  function take(next: Stored<User>): void {
    stored = next
    show()
  }

  return { element, hasUnsaved, save, take }
}
