/** Adds a user by e-mail, with roles, and invites by mail. Where the e-mail is known already, it links to that user. */
import { Conflict } from '../../../client/client.ts'
import { fieldTitle } from '../../model-titles.ts'
import { goTo, hrefTo } from '../../screen-url.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { fill, h, setAttributes, type Child } from '../../kit/dom.ts'
import { labelled, problemLine } from '../../kit/elements.ts'
import { openFormDialog } from '../../kit/form-dialog.ts'
import { notify } from '../../kit/notices.ts'
import { errorText } from '../../kit/states.ts'
import { invitationMail } from './invitation-mail-choice.ts'
import { roleFields } from './role-fields.ts'

export function openInvitation({ client, signal }: Pick<ScreenContext, 'client' | 'signal'>): void {
  const problem = problemLine('invite-problem')
  const email = h('input', {
    ...{ type: 'email', name: 'email', autocomplete: 'off', spellcheck: 'false', dir: 'ltr', required: true },
    autofocus: true,
    'aria-describedby': problem.id,
    on: { input },
  })
  const { elements, chosen } = roleFields({ appRole: 'standardUser', dashboardRole: 'publisher' })
  const name = h('input', { name: 'displayName', dir: 'auto', autocomplete: 'off' })
  const named = labelled(fieldTitle('displayName'), name)
  const mail = invitationMail({ client, signal }, () => chosen().dashboardRole !== 'none')
  const { close, form } = openFormDialog({
    title: t('users.invite'),
    confirm: t('users.invite'),
    fields: [labelled(t('signIn.email'), email), problem, elements, named, mail.element, mail.about],
    problem,
    send,
    wordsOf,
  })
  form.addEventListener('change', () => {
    mail.update()
    // Users of the apps have no name here.
    named.hidden = chosen().dashboardRole === 'none'
  })

  function input(): void {
    fill(problem)
    mark(false)
  }

  function mark(isWrong: boolean): void {
    setAttributes(email, { 'aria-invalid': isWrong && 'true' })
  }

  async function send(): Promise<void> {
    mark(false)
    const displayName = named.hidden || name.value.trim() === '' ? null : name.value.trim()
    const body = { email: email.value.trim(), feedDecoratorStatus: {}, ...chosen(), displayName }
    const { document } = await client.data('user').create(body, { ...mail.wanted(), signal })
    close()
    notify(t(mail.isWanted() ? 'users.invitedByMail' : 'users.invited'), { kind: 'done' })
    goTo(hrefTo(['users', document.id]))
  }

  /** What is wrong with the e-mail address; of one that has an account, with a link to it. */
  function wordsOf(error: unknown): Child {
    mark(true)
    email.focus()
    const known = h('span')
    if (error instanceof Conflict) void linkTo(known)
    return [errorText(error), known]
  }

  async function linkTo(place: HTMLElement): Promise<void> {
    const filter = { email: email.value.trim().toLowerCase() }
    const found = await client
      .data('user')
      .list({ filter, limit: 1 }, { signal })
      .catch(() => undefined)
    const id = found?.items[0]?.id
    if (id !== undefined) fill(place, ' ', h('a', { href: hrefTo(['users', id]), on: { click: close } }, t('users.openIt')))
  }
}
