/** Deleting a user: the reader confirms by typing the e-mail address. */
import type { User } from '../../../models/user.ts'
import { goTo, hrefTo } from '../../screen-url.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { ask } from '../../kit/dialog.ts'
import { button, h } from '../../kit/dom.ts'
import { problemLine } from '../../kit/elements.ts'
import { icon } from '../../kit/icons.ts'
import { notify } from '../../kit/notices.ts'
import { orTell } from '../../kit/states.ts'

/** `onDone` runs before the page of the user is left. */
export function userRemoval(
  { id, email }: User,
  { client, user: self, signal, restart }: ScreenContext,
  onDone: () => void,
): HTMLElement {
  const problem = problemLine()
  const text = t('users.deleteText')

  async function remove(): Promise<void> {
    const isSure = await ask({
      title: t('users.delete'),
      text: [h('p', {}, h('strong', { dir: 'auto' }, email)), h('p', {}, text)],
      confirm: t('delete'),
      isDangerous: true,
      typed: email,
    })
    if (!isSure) return
    await client.data('user').remove(id, { signal })
    onDone()
    if (id === self.id) return restart()
    notify(t('removal.done', { label: email }), { kind: 'done' })
    goTo(hrefTo(['users']), 'replace')
  }

  return h(
    'div',
    { class: 'form' },
    h('p', { class: 'soft' }, text),
    problem,
    h('div', { class: 'buttons' }, button([icon('trash'), t('users.delete')], () => void orTell(problem, remove))),
  )
}
