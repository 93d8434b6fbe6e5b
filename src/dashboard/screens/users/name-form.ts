/** What a publisher or an administrator is called in the dashboard: one's own name, or that of another for administrators. */
import type { Stored } from '../../../client/client.ts'
import type { User } from '../../../models/user.ts'
import { fieldTitle } from '../../model-titles.ts'
import { ownNameChanged } from '../../people.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import { labelled, problemLine, submitForm } from '../../kit/elements.ts'
import { whileBusy } from '../../kit/focus.ts'
import { notify } from '../../kit/notices.ts'
import { errorText, orTell } from '../../kit/states.ts'

/** `onSaved` gets the user as it is stored then. */
export function nameForm(given: User, { client, user: self, signal }: ScreenContext, onSaved: (stored: Stored<User>) => void = () => {}): HTMLElement {
  const isOwn = given.id === self.id
  const problem = problemLine('name-problem')
  const input = h('input', {
    ...{ name: 'displayName', dir: 'auto', value: given.displayName ?? '', autocomplete: isOwn ? 'name' : 'off', 'aria-describedby': problem.id },
  })
  const send: HTMLButtonElement = h('button', { type: 'submit' }, t('users.saveName'))
  return submitForm(
    { class: 'form', novalidate: true },
    () => void whileBusy(send, () => orTell(problem, save, tell)),
    labelled(fieldTitle('displayName'), input),
    h('p', { class: 'field-about' }, t('users.nameAbout')),
    problem,
    h('div', { class: 'buttons' }, send),
  )

  async function save(): Promise<void> {
    const name = input.value.trim()
    const stored = await client.data('user').patch(given.id, { displayName: name === '' ? null : name }, { signal })
    input.value = stored.document.displayName ?? ''
    if (isOwn) ownNameChanged(stored.document.displayName)
    onSaved(stored)
    notify(t('saved'), { kind: 'done' })
  }

  function tell(error: unknown): string {
    input.focus()
    return errorText(error)
  }
}
