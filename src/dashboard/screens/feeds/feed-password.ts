/** The password of a feed with basic authentication: set or removed, and never shown. */
import type { Json } from '../../../client/client.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import { labelled, submitForm } from '../../kit/elements.ts'
import { whileBusy } from '../../kit/focus.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { workButton } from '../../kit/work-button.ts'

/** Null where the feed has no user whose password it would be. */
export function passwordCard({ client, signal }: ScreenContext, id: string, username: Json | undefined): HTMLElement | null {
  if (typeof username !== 'string' || username === '') return null
  const input = h('input', { type: 'password', autocomplete: 'new-password', maxlength: 1_000, required: true, dir: 'ltr' })
  const set = h('button', { type: 'submit' }, t('feeds.setPassword'))
  const remove = workButton(t('feeds.removePassword'), () => send(null), { class: 'plain' })

  async function send(password: string | null): Promise<void> {
    await client.admin.setFeedPassword(id, { password }, { signal })
    input.value = ''
    notify(t(password === null ? 'feeds.passwordRemoved' : 'feeds.passwordSet'), { kind: 'done' })
  }

  return h(
    'section',
    { class: 'card' },
    h('h2', {}, t('feeds.password')),
    submitForm({ class: 'form' }, () => void whileBusy(set, () => send(input.value)).catch(notifyFailure), labelled(t('feeds.newPassword'), input), h('div', { class: 'buttons' }, set, remove)),
  )
}
