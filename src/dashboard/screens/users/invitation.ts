/** Adds a user by e-mail, with roles, and invites by mail. Where the e-mail is known already, it links to that user. */
import { Conflict } from '../../../client/client.ts'
import { fieldTitle } from '../../model-titles.ts'
import { goTo, hrefTo } from '../../screen-url.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { openDialog } from '../../kit/dialog.ts'
import { button, fill, h, setAttributes, type Child } from '../../kit/dom.ts'
import { labelled, problemLine, submitForm } from '../../kit/elements.ts'
import { notify } from '../../kit/notices.ts'
import { isAbort, errorText } from '../../kit/states.ts'
import { invitationMail } from './invitation-mail-choice.ts'
import { roleFields } from './role-fields.ts'

export function openInvitation({ client, signal }: Pick<ScreenContext, 'client' | 'signal'>): void {
  const problem = problemLine('invite-problem')
  const email = h('input', {
    ...{ type: 'email', name: 'email', autocomplete: 'off', spellcheck: 'false', dir: 'ltr', required: true },
    autofocus: true,
    'aria-describedby': problem.id,
    on: { input: () => say() },
  })
  const { elements, chosen } = roleFields({ appRole: 'standardUser', dashboardRole: 'publisher' })
  const name = h('input', { name: 'displayName', dir: 'auto', autocomplete: 'off' })
  const named = labelled(fieldTitle('displayName'), name)
  const mail = invitationMail({ client, signal }, () => chosen().dashboardRole !== 'none')
  const send = h('button', { type: 'submit', class: 'primary' }, t('users.invite'))
  const form = submitForm(
    { novalidate: true },
    () => void (!send.disabled && invite()),
    labelled(t('signIn.email'), email),
    problem,
    elements,
    named,
    mail.element,
    mail.about,
    h('div', { class: 'buttons end' }, button(t('cancel'), () => close()), send),
  )
  form.addEventListener('change', () => {
    mail.update()
    // Users of the apps have no name here.
    named.hidden = chosen().dashboardRole === 'none'
  })
  const { close } = openDialog({ title: t('users.invite'), body: form })

  /** Says what is wrong with the e-mail address, or that nothing is. */
  function say(...words: readonly Child[]): void {
    fill(problem, words)
    setAttributes(email, { 'aria-invalid': words.length > 0 && 'true' })
  }

  async function invite(): Promise<void> {
    send.disabled = true
    say()
    try {
      const displayName = named.hidden || name.value.trim() === '' ? null : name.value.trim()
      const body = { email: email.value.trim(), feedDecoratorStatus: {}, ...chosen(), displayName }
      const { document } = await client.data('user').create(body, { ...mail.wanted(), signal })
      close()
      notify(t(mail.isWanted() ? 'users.invitedByMail' : 'users.invited'), { kind: 'done' })
      goTo(hrefTo(['users', document.id]))
    } catch (error) {
      if (!isAbort(error)) await tell(error)
    } finally {
      send.disabled = false
    }
  }

  async function tell(error: unknown): Promise<void> {
    say(errorText(error))
    email.focus()
    if (!(error instanceof Conflict)) return
    const filter = { email: email.value.trim().toLowerCase() }
    const found = await client
      .data('user')
      .list({ filter, limit: 1 }, { signal })
      .catch(() => undefined)
    const id = found?.items[0]?.id
    if (id === undefined) return
    say(errorText(error), ' ', h('a', { href: hrefTo(['users', id]), on: { click: close } }, t('users.openIt')))
  }
}
